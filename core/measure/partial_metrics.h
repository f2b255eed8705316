#pragma once
// The measurements of one observer in one repeat: some of the clients, in one process, on one
// thread. Sums, maxima and lists, nearly all of integers, so that shares join exactly to what one
// observer of all clients would have measured. Every repeat is the sum of its shares: one in a
// simulation, many on hardware.
//
// A new number is a field here, written in core/run/measured.cc, and a line in visit_share(), which
// also carries it between processes. A sum or a maximum also has a line in add()
// (partial_metrics.cc), which joins shares; a number that takes a view of all clients has
// none, and its metric is absent without `saw_everything`.

#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "core/checks/guard_findings.h"
#include "core/measure/histogram.h"
#include "core/measure/metrics.h"
#include "core/measure/open_loop.h"
#include "core/measure/verb_metrics.h"
#include "core/verbs/tally.h"

namespace latchlab {

struct PartialMetrics : Counters {
  // True if this share saw all clients, and all effects in their order. Only then do first effects,
  // the events' fingerprint and the checks of granted locks describe the whole run.
  bool saw_everything = false;

  // Its clients, ascending, and for each the cycles that counted, except those that were cut.
  std::vector<std::uint64_t> clients;
  std::vector<std::uint64_t> cycles_by_client;
  std::uint64_t live_clients = 0;
  std::uint64_t without_progress = 0;  // in one acquire or release since before the window

  std::uint64_t warmup_ps = 0;              // from the start of the run until the window opened
  std::vector<std::uint64_t> batch_cycles;  // counted cycles in each of kBatches parts
  WindowLaw law;                            // of these clients
  std::uint64_t first_half = 0, second_half = 0;  // cycles that counted and were not cut
  std::uint64_t cut = 0;                          // cycles that counted and were cut
  std::uint64_t open_count = 0;                   // cycles open at the window's end
  std::uint64_t open_age_max_ps = 0;
  Histogram cycle, acquire_read, acquire_write, release, recovery;
  bool measured_lock = false;  // were one lock's acquisitions measured separately?
  Histogram acquire_lock;
  std::vector<Histogram> group_cycles;  // by group; empty: groups are not measured
  std::uint64_t interval_ps = 0;        // 0: no intervals are measured
  std::vector<std::uint64_t> interval_cycles, interval_acquisitions, interval_acquire_ps;
  PhaseTotals read_phases, write_phases, release_phases;
  PhaseTotals reads_waited, writes_waited;  // of acquisitions that waited
  VerbTally cycle_verbs;                    // of counted cycles
  std::vector<VerbTally> group_verbs;       // the same, by group; empty: groups are not measured
  AcquireAtomics acquisitions;
  Histogram transaction;         // empty if transactions are not reported
  std::uint64_t given_back = 0;  // transactions that released their locks and started over
  OpenLoopTally open_loop;
  std::uint64_t ended_ps = 0;  // the date at which the run ended

  // About granted locks.
  std::uint64_t checks = 0, violations = 0, expired_holds = 0, late_effects = 0;
  std::uint64_t max_bypassed = 0;  // only if the share saw everything, as the next one
  std::string fingerprint;
  std::string violation;  // the first one as text; empty: none

  GuardFindings guard;

  // Of the whole process: set in one of its shares, zero or empty in the others.
  VerbTally background_verbs;
  std::uint64_t verbs_posted = 0, events = 0;
  RepeatMetrics::ServerNic server_nic;
  RepeatMetrics::ServerCpu server_cpu;
  RepeatMetrics::Real client_cpu;

  // Threads and clocks of machines; empty in a simulation. For each worker: the window by its
  // thread's clock, the part of it spent in turns that did work, its longest turn, the number of
  // its clients, and how long after the agreed start date it began. For each process: the bound on
  // its clock's error against the first node's.
  std::vector<std::uint64_t> worker_ps, worker_busy_ps, worker_turn_max_ps, worker_clients;
  std::vector<std::uint64_t> worker_began_ps, clock_error_ns;

  // Why no observer can have measured this share; empty: it is consistent.
  std::string contradiction() const;
  bool operator==(const PartialMetrics&) const = default;
};

// Calls visit(name, field) for each field of a share. Fields are bool, std::uint64_t, std::string,
// Histogram, PhaseTotals, WindowLaw, VerbTally, GuardFindings, vectors of integers or histograms,
// or optional reals.
template <class Share, class Visit>
void visit_share(Share& share, Visit&& visit) {
  visit("saw_everything", share.saw_everything);
  visit("clients", share.clients);
  visit("cycles_by_client", share.cycles_by_client);
  visit("live_clients", share.live_clients);
  visit("without_progress", share.without_progress);
  visit("warmup_ps", share.warmup_ps);
  visit("batch_cycles", share.batch_cycles);
  visit("law", share.law);
  visit("first_half", share.first_half);
  visit("second_half", share.second_half);
  visit("cut", share.cut);
  visit("open_count", share.open_count);
  visit("open_age_max_ps", share.open_age_max_ps);
  visit("cycle", share.cycle);
  visit("acquire_read", share.acquire_read);
  visit("acquire_write", share.acquire_write);
  visit("release", share.release);
  visit("recovery", share.recovery);
  visit("measured_lock", share.measured_lock);
  visit("acquire_lock", share.acquire_lock);
  visit("group_cycles", share.group_cycles);
  visit("interval_ps", share.interval_ps);
  visit("interval_cycles", share.interval_cycles);
  visit("interval_acquisitions", share.interval_acquisitions);
  visit("interval_acquire_ps", share.interval_acquire_ps);
  visit("read_phases", share.read_phases);
  visit("write_phases", share.write_phases);
  visit("release_phases", share.release_phases);
  visit("reads_waited", share.reads_waited);
  visit("writes_waited", share.writes_waited);
  visit("cycle_verbs", share.cycle_verbs);
  visit("group_verbs", share.group_verbs);
  visit("acquire_atomics", share.acquisitions.atomics);
  visit("acquire_mismatched", share.acquisitions.mismatched);
  visit_counters(visit, share);
  visit("transaction", share.transaction);
  visit("given_back", share.given_back);
  visit("open_loop.offered", share.open_loop.offered);
  visit("open_loop.waited_first_ps", share.open_loop.waited_first_ps);
  visit("open_loop.waited_second_ps", share.open_loop.waited_second_ps);
  visit("open_loop.backlog_max", share.open_loop.backlog_max);
  visit("ended_ps", share.ended_ps);
  visit("checks", share.checks);
  visit("violations", share.violations);
  visit("expired_holds", share.expired_holds);
  visit("late_effects", share.late_effects);
  visit("max_bypassed", share.max_bypassed);
  visit("fingerprint", share.fingerprint);
  visit("violation", share.violation);
  visit("guard", share.guard);
  visit("background_verbs", share.background_verbs);
  visit("verbs_posted", share.verbs_posted);
  visit("events", share.events);
  visit("server_nic.verbs_s", share.server_nic.verbs_s);
  visit("server_nic.pipeline", share.server_nic.pipeline);
  visit("server_nic.hottest_slot", share.server_nic.hottest_slot);
  visit("server_nic.window", share.server_nic.window);
  visit("server_nic.link", share.server_nic.link);
  visit("server_nic.slot_wait_ns", share.server_nic.slot_wait_ns);
  visit("server_cpu.utilisation", share.server_cpu.utilisation);
  visit("server_cpu.queue_ns", share.server_cpu.queue_ns);
  visit("client_cpu.utilisation", share.client_cpu);
  visit("worker_ps", share.worker_ps);
  visit("worker_busy_ps", share.worker_busy_ps);
  visit("worker_turn_max_ps", share.worker_turn_max_ps);
  visit("worker_clients", share.worker_clients);
  visit("worker_began_ps", share.worker_began_ps);
  visit("clock_error_ns", share.clock_error_ns);
}

// Why these are not the shares of one repeat: there are none, windows differ, a client was measured
// twice, or sums exceed 64 bits; empty: they are.
std::string why_not_shares(std::span<const PartialMetrics> shares);

// Joins the shares of one repeat, at least one, as if one observer had measured them; but the
// result of several shares did not see everything, since no observer did.
PartialMetrics join(std::span<const PartialMetrics> shares);

// Computes the metrics of these kinds that have a source.
void write_requested(const PartialMetrics& share, const std::set<MetricOf>& requested,
                     RepeatMetrics& metrics);
// Without the metrics on request. What was not measured is empty, and so is what only a share that
// saw everything can measure.
RepeatMetrics metrics_of(const PartialMetrics& share);
RepeatMetrics merge(std::span<const PartialMetrics> shares);  // metrics_of(join(shares))

// What the threads and clocks of a run on hardware contribute to its metrics.
void add_workers(PartialMetrics& sum, const PartialMetrics& share);
// No effect if there are no such threads.
void write_workers(const PartialMetrics& share, RepeatMetrics& metrics);
// Why a share's numbers about its workers are inconsistent, such as cycles although no worker was
// busy; empty: they are consistent.
std::string why_not_workers(const PartialMetrics& share);

}  // namespace latchlab

#pragma once
// What one observer measured in one repeat: some of the clients, in one process, on one thread.
// Plain integers, so that parts add up to exactly what one observer of everybody would have seen;
// every repeat is made of parts, of one in a simulation and of many on hardware.
//
// A new number is a field here and a line in visit_part(): its way from process to process follows
// from the walk.

#include <cstdint>
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

struct MeasuredPart {
  // Did this part see all clients, and all effects in their order? Only then do first effects, the
  // events' fingerprint and the checks of granted locks speak of the whole run.
  bool saw_everything = false;

  // Who: ascending numbers, and for each the cycles that counted.
  std::vector<std::uint64_t> clients;
  std::vector<std::uint64_t> cycles_by_client;
  std::uint64_t live_clients = 0;
  std::uint64_t without_progress = 0;  // inside one acquire or release since before the window

  WindowLaw law;                                  // of these clients
  std::uint64_t first_half = 0, second_half = 0;  // counted cycles
  std::uint64_t open_count = 0;                   // cycles open at the window's end
  std::uint64_t open_age_max_ps = 0;
  Histogram cycle, acquire_read, acquire_write, release;
  bool measured_lock = false;  // was one lock's acquisitions measured apart?
  Histogram acquire_lock;
  std::uint64_t interval_ps = 0;  // 0: no intervals are told
  std::vector<std::uint64_t> interval_cycles, interval_acquisitions, interval_acquire_ps;
  PhaseTotals read_phases, write_phases, release_phases;
  VerbTally cycle_verbs;  // of counted cycles
  AcquireAtomics acquisitions;
  std::uint64_t aborted = 0, shared_as_exclusive = 0, recoveries = 0;
  std::uint64_t update_as_exclusive = 0;
  OpenLoopTally open_loop;
  std::uint64_t ended_ps = 0;  // the date at which the run ended

  // Of locks seen granted.
  std::uint64_t checks = 0, violations = 0, expired_holds = 0, late_effects = 0;
  std::uint64_t max_bypassed = 0;  // means something if the part saw everything, and so below
  std::string fingerprint;
  std::string violation;  // the first, for people; empty: none

  GuardFindings guard;

  // Of the whole process; one of its parts says it, the others leave it at nothing.
  VerbTally background_verbs;
  std::uint64_t verbs_posted = 0, events = 0;
  RepeatMetrics::ServerNic server_nic;
  RepeatMetrics::ServerCpu server_cpu;

  // What cannot be in any one part, whoever wrote it; empty: nothing.
  std::string contradiction() const;
  bool operator==(const MeasuredPart&) const = default;
};

// Calls visit(name, field) for each field of a part. They are bool, std::uint64_t, std::string,
// Histogram, PhaseTotals, WindowLaw, VerbTally, GuardFindings, vectors of integers or optional
// reals.
template <class Part, class Visit>
void visit_part(Part& part, Visit&& visit) {
  visit("saw_everything", part.saw_everything);
  visit("clients", part.clients);
  visit("cycles_by_client", part.cycles_by_client);
  visit("live_clients", part.live_clients);
  visit("without_progress", part.without_progress);
  visit("law", part.law);
  visit("first_half", part.first_half);
  visit("second_half", part.second_half);
  visit("open_count", part.open_count);
  visit("open_age_max_ps", part.open_age_max_ps);
  visit("cycle", part.cycle);
  visit("acquire_read", part.acquire_read);
  visit("acquire_write", part.acquire_write);
  visit("release", part.release);
  visit("measured_lock", part.measured_lock);
  visit("acquire_lock", part.acquire_lock);
  visit("interval_ps", part.interval_ps);
  visit("interval_cycles", part.interval_cycles);
  visit("interval_acquisitions", part.interval_acquisitions);
  visit("interval_acquire_ps", part.interval_acquire_ps);
  visit("read_phases", part.read_phases);
  visit("write_phases", part.write_phases);
  visit("release_phases", part.release_phases);
  visit("cycle_verbs", part.cycle_verbs);
  visit("acquire_atomics", part.acquisitions.atomics);
  visit("acquire_mismatched", part.acquisitions.mismatched);
  visit("aborted", part.aborted);
  visit("shared_as_exclusive", part.shared_as_exclusive);
  visit("recoveries", part.recoveries);
  visit("update_as_exclusive", part.update_as_exclusive);
  visit("open_loop.offered", part.open_loop.offered);
  visit("open_loop.waited_first_ps", part.open_loop.waited_first_ps);
  visit("open_loop.waited_second_ps", part.open_loop.waited_second_ps);
  visit("open_loop.backlog_max", part.open_loop.backlog_max);
  visit("ended_ps", part.ended_ps);
  visit("checks", part.checks);
  visit("violations", part.violations);
  visit("expired_holds", part.expired_holds);
  visit("late_effects", part.late_effects);
  visit("max_bypassed", part.max_bypassed);
  visit("fingerprint", part.fingerprint);
  visit("violation", part.violation);
  visit("guard", part.guard);
  visit("background_verbs", part.background_verbs);
  visit("verbs_posted", part.verbs_posted);
  visit("events", part.events);
  visit("server_nic.verbs_s", part.server_nic.verbs_s);
  visit("server_nic.pipeline", part.server_nic.pipeline);
  visit("server_nic.hottest_slot", part.server_nic.hottest_slot);
  visit("server_nic.window", part.server_nic.window);
  visit("server_nic.link", part.server_nic.link);
  visit("server_nic.slot_wait_ns", part.server_nic.slot_wait_ns);
  visit("server_cpu.utilisation", part.server_cpu.utilisation);
  visit("server_cpu.queue_ns", part.server_cpu.queue_ns);
}

// Why these are not the parts of one repeat: none at all, windows that differ, a client measured
// twice, or sums beyond 64 bits; empty: they are.
std::string why_not_parts(std::span<const MeasuredPart> parts);

// The parts of one repeat as if one observer had measured them, except that it did not see
// everything: nobody did, if they are more than one. At least one part.
MeasuredPart join(std::span<const MeasuredPart> parts);

// What nobody measured, or only a part that saw everything could have, is empty.
RepeatMetrics metrics_of(const MeasuredPart& part);
RepeatMetrics merge(std::span<const MeasuredPart> parts);  // metrics_of(join(parts))

}  // namespace latchlab

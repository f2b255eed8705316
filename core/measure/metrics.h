#pragma once
// The measurements of one repeat of one point: plain data, filled by the runner, and one function
// that visits all of it in the order and under the names of results.json. What was not measured is
// empty.
//
// A new metric is a field here and a line in visit_metrics(); serialisation, aggregation and
// results use visit_metrics().

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/measure/histogram.h"
#include "core/verbs/phases.h"

namespace latchlab {

// How the time of all operations of one kind is divided into phases. The sum of the phases equals
// the sum of the operations' own histogram, to the picosecond.
struct PhaseTotals {
  std::uint64_t operations = 0;
  std::array<std::uint64_t, kPhases> sum_ps = {};  // by Phase

  void add(const std::array<Duration, kPhases>& spent);
  void merge(const PhaseTotals& other);
  bool holds(const PhaseTotals& some) const;  // `some` can be a subset of these operations
  bool add_up_to(const Histogram& operations_histogram) const;
  bool operator==(const PhaseTotals&) const = default;
};

// The exact law of the window, in integer picoseconds:
//   counted lengths = clients * duration + ages at start - ages at end - idle
// An age is the time since the beginning of the cycle that is open at that date. Idle is the time
// inside the window in which a client had no open cycle (0 in a closed loop that starts earlier).
struct WindowLaw {
  std::uint64_t clients = 0;
  std::uint64_t duration_ps = 0;
  std::uint64_t counted_cycles = 0;
  std::uint64_t counted_lengths_ps = 0;
  std::uint64_t ages_at_start_ps = 0;
  std::uint64_t ages_at_end_ps = 0;
  std::uint64_t idle_ps = 0;

  bool holds() const;
  bool operator==(const WindowLaw&) const = default;
};

struct RepeatMetrics {
  using Real = std::optional<double>;
  using Count = std::optional<std::uint64_t>;
  using Table = std::map<std::string, double>;

  Real goodput_ops_s;
  Histogram cycle, acquire, acquire_read, acquire_write, release;
  struct Open {
    Count count;
    Real age_mean_ns, age_max_ns;
    bool operator==(const Open&) const = default;
  } open;
  struct VerbsPerCycle {
    Real read, write, atomic, send, call;
    bool operator==(const VerbsPerCycle&) const = default;
  } verbs_per_cycle;
  Table verbs_per_cycle_detail;  // "cas_8": by verb and bytes
  Real background_verbs_s;
  Real retry_share, retry_share_acquire;
  struct Phases {
    std::optional<PhaseTotals> read, write, release;
    bool operator==(const Phases&) const = default;
  } phases;
  // Acquisitions that waited: those that spent time in a phase after the initial atomic.
  struct Waited {
    std::optional<PhaseTotals> read, write;
    Real share_of_reads, share_of_writes;
    bool operator==(const Waited&) const = default;
  } waited;
  struct ServerNic {
    Real verbs_s, pipeline, hottest_slot, window, link, slot_wait_ns;
    bool operator==(const ServerNic&) const = default;
  } server_nic;
  struct ServerCpu {
    Real utilisation, queue_ns;
    bool operator==(const ServerCpu&) const = default;
  } server_cpu;
  struct Fairness {
    Real jain;
    Count max_bypassed;
    bool operator==(const Fairness&) const = default;
  } fairness;
  struct Safety {
    Count checks, violations, expired_holds, late_effects;
    bool operator==(const Safety&) const = default;
  } safety;
  Count recoveries, aborted_acquisitions, cut_sections, shared_as_exclusive;
  Real stationary;                     // goodput of the window's second half over its first half
  using Sequence = std::vector<Real>;  // one value for each interval of the window
  struct Window {
    Real warmup_ns;
    Count settled;     // 1 or 0
    Sequence batches;  // goodput of each of kBatches parts
    bool operator==(const Window&) const = default;
  } window;
  struct Engine {
    Count verbs, events;
    Real simulated_s;
    bool operator==(const Engine&) const = default;
  } engine;
  WindowLaw window_law;
  // Measured only if the scenario asks for it; otherwise results omit it.
  struct HottestLock {
    std::optional<Histogram> acquire;
    bool operator==(const HottestLock&) const = default;
  } hottest_lock;
  std::optional<Count> update_as_exclusive, ranges_as_whole;
  std::optional<Real> aborted_share, false_conflict_share, client_cpu;
  struct Transactions {
    std::optional<Histogram> length;
    std::optional<Real> commits_s, aborts_s;
    bool operator==(const Transactions&) const = default;
  } transactions;
  struct OpenLoop {
    std::optional<Real> offered_s;
    std::optional<Count> backlog_max, carried;
    bool operator==(const OpenLoop&) const = default;
  } open_loop;
  struct Groups {
    Table goodput_ops_s;  // by group
    bool operator==(const Groups&) const = default;
  } groups;
  // For a run on threads and clocks of machines: one value for each worker, node by node.
  struct Workers {
    Sequence busy, turn_max_ns;
    std::optional<Real> busiest, longest_turn_ns;  // busiest: of the workers that have clients
    bool operator==(const Workers&) const = default;
  } workers;
  struct Clocks {
    std::optional<Real> start_skew_ns, error_ns;
    bool operator==(const Clocks&) const = default;
  } clocks;
  struct Series {
    Sequence goodput_ops_s, acquire_ns;
    bool operator==(const Series&) const = default;
  } series;
  std::string fingerprint;  // hexadecimal; empty: none

  bool operator==(const RepeatMetrics&) const = default;
};

// How the values of repeats are combined into the value of the point.
enum class Fold : std::uint8_t {
  mean,    // {mean, ci95} over the repeats that measured it
  pooled,  // histograms: merged
  sum,
  greatest,
  least,
  combined,  // text: equal for equal repeats in the same order
  dropped,   // kept in the repeat only
};

// Calls visit(path, field, fold) for each metric. Fields are Real, Count, Histogram, Table,
// std::optional<PhaseTotals>, WindowLaw or std::string; metrics that are measured only on request
// are Groups, Sequence or optionals of the first three.
template <class Metrics, class Visit>
void visit_metrics(Metrics& m, Visit&& visit) {
  visit("goodput_ops_s", m.goodput_ops_s, Fold::mean);
  visit("cycle_ns", m.cycle, Fold::pooled);
  visit("acquire_ns", m.acquire, Fold::pooled);
  visit("acquire_read_ns", m.acquire_read, Fold::pooled);
  visit("acquire_write_ns", m.acquire_write, Fold::pooled);
  visit("release_ns", m.release, Fold::pooled);
  visit("open.count", m.open.count, Fold::sum);
  visit("open.age_mean_ns", m.open.age_mean_ns, Fold::mean);
  visit("open.age_max_ns", m.open.age_max_ns, Fold::greatest);
  visit("verbs_per_cycle.read", m.verbs_per_cycle.read, Fold::mean);
  visit("verbs_per_cycle.write", m.verbs_per_cycle.write, Fold::mean);
  visit("verbs_per_cycle.atomic", m.verbs_per_cycle.atomic, Fold::mean);
  visit("verbs_per_cycle.send", m.verbs_per_cycle.send, Fold::mean);
  visit("verbs_per_cycle.call", m.verbs_per_cycle.call, Fold::mean);
  visit("verbs_per_cycle_detail", m.verbs_per_cycle_detail, Fold::mean);
  visit("background_verbs_s", m.background_verbs_s, Fold::mean);
  visit("retry_share", m.retry_share, Fold::mean);
  visit("retry_share_acquire", m.retry_share_acquire, Fold::mean);
  visit("phases_ns.read", m.phases.read, Fold::mean);
  visit("phases_ns.write", m.phases.write, Fold::mean);
  visit("phases_ns.release", m.phases.release, Fold::mean);
  visit("phases_waited_ns.read", m.waited.read, Fold::mean);
  visit("phases_waited_ns.write", m.waited.write, Fold::mean);
  visit("waited_share.read", m.waited.share_of_reads, Fold::mean);
  visit("waited_share.write", m.waited.share_of_writes, Fold::mean);
  visit("server_nic.verbs_s", m.server_nic.verbs_s, Fold::mean);
  visit("server_nic.utilisation.pipeline", m.server_nic.pipeline, Fold::mean);
  visit("server_nic.utilisation.hottest_slot", m.server_nic.hottest_slot, Fold::mean);
  visit("server_nic.utilisation.window", m.server_nic.window, Fold::mean);
  visit("server_nic.utilisation.link", m.server_nic.link, Fold::mean);
  visit("server_nic.slot_wait_ns", m.server_nic.slot_wait_ns, Fold::mean);
  visit("server_cpu.utilisation", m.server_cpu.utilisation, Fold::mean);
  visit("server_cpu.queue_ns", m.server_cpu.queue_ns, Fold::mean);
  visit("fairness.jain", m.fairness.jain, Fold::mean);
  visit("fairness.max_bypassed", m.fairness.max_bypassed, Fold::greatest);
  visit("safety.checks", m.safety.checks, Fold::sum);
  visit("safety.violations", m.safety.violations, Fold::sum);
  visit("safety.expired_holds", m.safety.expired_holds, Fold::sum);
  visit("safety.late_effects", m.safety.late_effects, Fold::sum);
  visit("recoveries", m.recoveries, Fold::sum);
  visit("aborted_acquisitions", m.aborted_acquisitions, Fold::sum);
  visit("cut_sections", m.cut_sections, Fold::sum);
  visit("shared_as_exclusive", m.shared_as_exclusive, Fold::sum);
  visit("stationary", m.stationary, Fold::mean);
  visit("window.warmup_ns", m.window.warmup_ns, Fold::mean);
  visit("window.settled", m.window.settled, Fold::least);
  visit("window.batches", m.window.batches, Fold::dropped);
  visit("engine.verbs", m.engine.verbs, Fold::sum);
  visit("engine.events", m.engine.events, Fold::sum);
  visit("engine.simulated_s", m.engine.simulated_s, Fold::sum);
  visit("hottest_lock.acquire_ns", m.hottest_lock.acquire, Fold::pooled);
  visit("update_as_exclusive", m.update_as_exclusive, Fold::sum);
  visit("ranges_as_whole", m.ranges_as_whole, Fold::sum);
  visit("aborted_share", m.aborted_share, Fold::mean);
  visit("false_conflict_share", m.false_conflict_share, Fold::mean);
  visit("client_cpu.utilisation", m.client_cpu, Fold::mean);
  visit("workers.busy", m.workers.busy, Fold::dropped);
  visit("workers.turn_max_ns", m.workers.turn_max_ns, Fold::dropped);
  visit("workers.busiest", m.workers.busiest, Fold::mean);
  visit("workers.longest_turn_ns", m.workers.longest_turn_ns, Fold::greatest);
  visit("clocks.start_skew_ns", m.clocks.start_skew_ns, Fold::greatest);
  visit("clocks.error_ns", m.clocks.error_ns, Fold::greatest);
  visit("transaction_ns", m.transactions.length, Fold::pooled);
  visit("commits_s", m.transactions.commits_s, Fold::mean);
  visit("aborts_s", m.transactions.aborts_s, Fold::mean);
  visit("open_loop.offered_s", m.open_loop.offered_s, Fold::mean);
  visit("open_loop.backlog_max", m.open_loop.backlog_max, Fold::greatest);
  visit("open_loop.carried", m.open_loop.carried, Fold::least);
  visit("group_goodput_ops_s", m.groups, Fold::mean);
  visit("series.goodput_ops_s", m.series.goodput_ops_s, Fold::dropped);
  visit("series.acquire_ns", m.series.acquire_ns, Fold::dropped);
  visit("window_law", m.window_law, Fold::dropped);
  visit("fingerprint", m.fingerprint, Fold::combined);
}

// The same for the integers of the window's law.
template <class Law, class Visit>
void visit_law(Law& law, Visit&& visit) {
  visit("clients", law.clients);
  visit("duration_ps", law.duration_ps);
  visit("counted_cycles", law.counted_cycles);
  visit("counted_lengths_ps", law.counted_lengths_ps);
  visit("ages_at_start_ps", law.ages_at_start_ps);
  visit("ages_at_end_ps", law.ages_at_end_ps);
  visit("idle_ps", law.idle_ps);
}

}  // namespace latchlab

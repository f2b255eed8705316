#pragma once
// The measurements of one repeat of one point: plain data, filled by the runner, and a table of all
// metrics in the order and under the names of results.json. What was not measured is empty.
//
// A metric that is computed from what is counted already is a field here and a row in
// metric_table.cc. Serialisation, aggregation, results and texts use the table. One that needs a
// new number: see also partial_metrics.h.

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
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

// What an observer counts one by one during the window. Shares of a repeat are summed; a maximum is
// a field of PartialMetrics.
struct Counters {
  std::uint64_t aborted = 0, shared_as_exclusive = 0, recoveries = 0;
  std::uint64_t update_as_exclusive = 0, ranges_as_whole = 0, false_conflicts = 0;
  // Verbs of acquisitions that ended, and of releases. Polls: the READs of await_remote.
  std::uint64_t reads_in_acquire = 0, polls_in_acquire = 0;
  std::uint64_t writes_in_acquire = 0, atomics_in_acquire = 0, polls_in_release = 0;
  std::uint64_t file_bytes = 0;

  bool operator==(const Counters&) const = default;
};

// Calls visit(name, counter...) for each counter of some Counters.
template <class Visit, class... Of>
void visit_counters(Visit&& visit, Of&... of) {
  visit("aborted", of.aborted...);
  visit("shared_as_exclusive", of.shared_as_exclusive...);
  visit("recoveries", of.recoveries...);
  visit("update_as_exclusive", of.update_as_exclusive...);
  visit("ranges_as_whole", of.ranges_as_whole...);
  visit("false_conflicts", of.false_conflicts...);
  visit("reads_in_acquire", of.reads_in_acquire...);
  visit("polls_in_acquire", of.polls_in_acquire...);
  visit("writes_in_acquire", of.writes_in_acquire...);
  visit("atomics_in_acquire", of.atomics_in_acquire...);
  visit("polls_in_release", of.polls_in_release...);
  visit("file_bytes", of.file_bytes...);
}

struct RepeatMetrics {
  // Empty: not measured.
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
  struct VerbsPerAcquire {
    Real read, poll, write, atomic, operation;
    bool operator==(const VerbsPerAcquire&) const = default;
  } verbs_per_acquire;
  Real rereads_per_release;
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
  Histogram recovery;
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
  std::optional<Real> aborted_share, false_conflict_share, file_bytes_s, client_cpu;
  struct Transactions {
    std::optional<Histogram> length;
    std::optional<Real> commits_s, aborts_s, abort_share;
    bool operator==(const Transactions&) const = default;
  } transactions;
  struct OpenLoop {
    std::optional<Real> offered_s;
    std::optional<Count> backlog_max, carried;
    bool operator==(const OpenLoop&) const = default;
  } open_loop;
  struct Groups {
    Table values;  // "readers", or "readers.atomic"
    bool operator==(const Groups&) const = default;
  } group_goodput, group_verbs;
  struct GroupTimes {
    std::map<std::string, Histogram> by_group;
    bool operator==(const GroupTimes&) const = default;
  } group_cycles;
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
enum class Aggregation : std::uint8_t {
  mean,    // {mean, ci95} over the repeats that measured it
  pooled,  // histograms: merged
  sum,
  greatest,
  least,
  combined,  // text: equal for equal repeats in the same order
  dropped,   // kept in the repeat only
};

using MetricField = std::variant<RepeatMetrics::Real*, RepeatMetrics::Count*, Histogram*,
                                 RepeatMetrics::Table*, std::optional<PhaseTotals>*, WindowLaw*,
                                 std::string*, RepeatMetrics::Groups*, RepeatMetrics::GroupTimes*,
                                 RepeatMetrics::Sequence*, std::optional<RepeatMetrics::Real>*,
                                 std::optional<RepeatMetrics::Count>*, std::optional<Histogram>*>;
// True for the fields of metrics that are measured only on request: without a value the key is
// absent from results; with an empty one it is null.
template <class Field>
inline constexpr bool kOnRequest = std::is_same_v<Field, std::optional<RepeatMetrics::Real>> ||
                                   std::is_same_v<Field, std::optional<RepeatMetrics::Count>> ||
                                   std::is_same_v<Field, std::optional<Histogram>>;

struct PartialMetrics;

// The runs that have a metric.
enum class MetricOf : std::uint8_t {
  always,
  shared_cores,  // platform.cores is set
  update_mode,   // some requests are in update mode
  ranges,        // the workload requests parts of objects
  file_data,     // the workload reads or writes files
  transactions,
  open_loop,
};

struct Metric {
  std::string path;                      // as in results.json: "acquire_ns", "open.count"
  std::string unit;                      // "ns", "1/s", "share" (0 to 1), "1", "text" ...
  std::string short_name;                // for axes and columns, unique: "acquire"
  Aggregation aggregation;               // over the repeats of a point
  MetricField (*field)(RepeatMetrics&);  // where it is stored
  std::string says;                      // what it is and how it is computed, in sentences
  // Begins with "Higher is better" or "Lower is better" if that holds for all values; compare uses
  // it.
  std::string good = {};             // which values are good or bad, and why; empty: neither
  MetricOf runs = MetricOf::always;  // the runs in which `source` is called
  // Computes the metric from what was counted. Called after all metrics without a source are in
  // `metrics`. Null: metrics_of() computes it together with others.
  void (*source)(const PartialMetrics& all, RepeatMetrics& metrics) = nullptr;
};

// In the order of results.json.
const std::vector<Metric>& metric_table();

// Calls visit(path, field, aggregation) for each metric.
template <class Metrics, class Visit>
void visit_metrics(Metrics& m, Visit&& visit) {
  for (const Metric& metric : metric_table())
    std::visit(
        [&](auto* field) {
          if constexpr (std::is_const_v<Metrics>)
            visit(metric.path, std::as_const(*field), metric.aggregation);
          else
            visit(metric.path, *field, metric.aggregation);
        },
        metric.field(const_cast<RepeatMetrics&>(m)));
}

// Adds to `shape` the metrics on request and the groups that `metrics` has.
void add_requested(RepeatMetrics& shape, const RepeatMetrics& metrics);

// As visit_metrics(), for the integers of the window's law.
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

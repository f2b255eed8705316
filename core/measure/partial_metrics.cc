#include "core/measure/partial_metrics.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "core/measure/statistics.h"
#include "core/measure/steady.h"

namespace latchlab {
namespace {

void add_law(WindowLaw& sum, const WindowLaw& law) {
  sum.clients += law.clients;
  sum.duration_ps = law.duration_ps;
  sum.counted_cycles += law.counted_cycles;
  sum.counted_lengths_ps += law.counted_lengths_ps;
  sum.ages_at_start_ps += law.ages_at_start_ps;
  sum.ages_at_end_ps += law.ages_at_end_ps;
  sum.idle_ps += law.idle_ps;
}

void add_safety(PartialMetrics& sum, const PartialMetrics& share) {
  sum.checks += share.checks;
  sum.violations += share.violations;
  sum.expired_holds += share.expired_holds;
  sum.late_effects += share.late_effects;
  if (sum.violation.empty()) sum.violation = share.violation;
  sum.guard.merge(share.guard);
}

// If several processes have servers, the NIC and CPU of the busiest server.
void add_process(PartialMetrics& sum, const PartialMetrics& share) {
  sum.background_verbs += share.background_verbs;
  sum.verbs_posted += share.verbs_posted;
  sum.events += share.events;
  sum.ended_ps = std::max(sum.ended_ps, share.ended_ps);
  if (share.server_nic.verbs_s > sum.server_nic.verbs_s) sum.server_nic = share.server_nic;
  if (share.server_cpu.utilisation > sum.server_cpu.utilisation) sum.server_cpu = share.server_cpu;
  sum.client_cpu = std::max(sum.client_cpu, share.client_cpu);
}

void add_intervals(PartialMetrics& sum, const PartialMetrics& share) {
  for (std::size_t i = 0; i < sum.interval_cycles.size(); ++i) {
    sum.interval_cycles[i] += share.interval_cycles[i];
    sum.interval_acquisitions[i] += share.interval_acquisitions[i];
    sum.interval_acquire_ps[i] += share.interval_acquire_ps[i];
  }
}

void add(PartialMetrics& sum, const PartialMetrics& share) {
  const auto append = [](std::vector<std::uint64_t>& to, const std::vector<std::uint64_t>& more) {
    to.insert(to.end(), more.begin(), more.end());
  };
  append(sum.clients, share.clients);
  append(sum.cycles_by_client, share.cycles_by_client);
  sum.live_clients += share.live_clients;
  sum.without_progress += share.without_progress;
  for (std::size_t i = 0; i < sum.batch_cycles.size(); ++i)
    sum.batch_cycles[i] += share.batch_cycles[i];
  add_law(sum.law, share.law);
  sum.first_half += share.first_half;
  sum.second_half += share.second_half;
  sum.cut += share.cut;
  sum.open_count += share.open_count;
  sum.open_age_max_ps = std::max(sum.open_age_max_ps, share.open_age_max_ps);
  sum.cycle.merge(share.cycle);
  sum.acquire_read.merge(share.acquire_read);
  sum.acquire_write.merge(share.acquire_write);
  sum.release.merge(share.release);
  sum.recovery.merge(share.recovery);
  sum.acquire_lock.merge(share.acquire_lock);
  for (std::size_t i = 0; i < sum.group_cycles.size(); ++i)
    sum.group_cycles[i].merge(share.group_cycles[i]);
  add_intervals(sum, share);
  sum.read_phases.merge(share.read_phases);
  sum.write_phases.merge(share.write_phases);
  sum.release_phases.merge(share.release_phases);
  sum.reads_waited.merge(share.reads_waited);
  sum.writes_waited.merge(share.writes_waited);
  sum.cycle_verbs += share.cycle_verbs;
  for (std::size_t i = 0; i < sum.group_verbs.size(); ++i)
    sum.group_verbs[i] += share.group_verbs[i];
  sum.acquisitions.atomics += share.acquisitions.atomics;
  sum.acquisitions.mismatched += share.acquisitions.mismatched;
  visit_counters([](const char*, std::uint64_t& total, std::uint64_t more) { total += more; }, sum,
                 share);
  sum.transaction.merge(share.transaction);
  sum.given_back += share.given_back;
  sum.open_loop.merge(share.open_loop);
  add_safety(sum, share);
  add_process(sum, share);
  add_workers(sum, share);
}

RepeatMetrics::Real stationarity(const PartialMetrics& share) {
  const Duration window{static_cast<std::int64_t>(share.law.duration_ps)};
  const Duration half = window / 2;
  if (share.first_half == 0 || half.ps == 0) return std::nullopt;
  const double first = static_cast<double>(share.first_half) * (window - half).seconds();
  const double second = static_cast<double>(share.second_half) * half.seconds();
  return second / first;
}

RepeatMetrics::Open open_cycles(const PartialMetrics& share) {
  RepeatMetrics::Open open;
  open.count = share.open_count;
  if (share.open_count == 0) return open;
  open.age_mean_ns =
      static_cast<double>(share.law.ages_at_end_ps) / static_cast<double>(share.open_count) / 1e3;
  open.age_max_ns = static_cast<double>(share.open_age_max_ps) / 1e3;
  return open;
}

// One value for each interval; the last one may be shorter than the others.
void write_series(const PartialMetrics& share, RepeatMetrics& metrics) {
  for (std::size_t i = 0; i < share.interval_cycles.size(); ++i) {
    const std::uint64_t left_ps = share.law.duration_ps - i * share.interval_ps;
    const Duration length{static_cast<std::int64_t>(std::min(left_ps, share.interval_ps))};
    metrics.series.goodput_ops_s.emplace_back(static_cast<double>(share.interval_cycles[i]) /
                                              length.seconds());
    RepeatMetrics::Real& mean_ns = metrics.series.acquire_ns.emplace_back();
    if (const std::uint64_t count = share.interval_acquisitions[i]; count > 0)
      mean_ns =
          static_cast<double>(share.interval_acquire_ps[i]) / static_cast<double>(count) / 1e3;
  }
}

// A share that saw only some of the grants can find a violation, but cannot show that there was
// none; guard words can. If both found violations, they may be the same ones, so the larger number
// counts.
void write_checks(const PartialMetrics& share, RepeatMetrics& metrics) {
  const GuardVerdict guard = judge(share.guard);
  const std::uint64_t violations = std::max(share.violations, guard.violations);
  if (share.saw_everything) {
    metrics.safety = {share.checks, violations, share.expired_holds, share.late_effects};
    metrics.fairness.max_bypassed = share.max_bypassed;
    metrics.fingerprint = share.fingerprint;
  } else if (share.guard.guarded) {
    metrics.safety = {share.guard.checks, violations, guard.expired_holds, std::nullopt};
  } else if (violations > 0) {
    metrics.safety.violations = violations;
  }
}

}  // namespace

void write_requested(const PartialMetrics& share, const std::set<MetricOf>& requested,
                     RepeatMetrics& metrics) {
  for (const Metric& metric : metric_table())
    if (metric.source != nullptr && requested.contains(metric.runs)) metric.source(share, metrics);
}

RepeatMetrics metrics_of(const PartialMetrics& share) {
  RepeatMetrics metrics;
  const double window_s = Duration{static_cast<std::int64_t>(share.law.duration_ps)}.seconds();
  const std::uint64_t counted = share.law.counted_cycles;
  metrics.goodput_ops_s = static_cast<double>(counted - share.cut) / window_s;
  metrics.cycle = share.cycle;
  metrics.acquire = share.acquire_read;
  metrics.acquire.merge(share.acquire_write);
  metrics.acquire_read = share.acquire_read;
  metrics.acquire_write = share.acquire_write;
  metrics.release = share.release;
  metrics.open = open_cycles(share);
  write_verb_metrics(share.cycle_verbs, share.acquisitions, counted, metrics);
  const VerbTally& background = share.background_verbs;
  metrics.background_verbs_s =
      static_cast<double>(background.one_sided() + background.sends) / window_s;
  metrics.phases = {share.read_phases, share.write_phases, share.release_phases};
  metrics.waited = {share.reads_waited, share.writes_waited,
                    ratio(share.reads_waited.operations, share.read_phases.operations),
                    ratio(share.writes_waited.operations, share.write_phases.operations)};
  metrics.server_nic = share.server_nic;
  metrics.server_cpu = share.server_cpu;
  metrics.fairness.jain = jain_index(share.cycles_by_client);
  write_checks(share, metrics);
  metrics.stationary = stationarity(share);
  metrics.window.warmup_ns = static_cast<double>(share.warmup_ps) / 1e3;
  metrics.window.settled = is_steady(share.batch_cycles) ? 1 : 0;
  for (const std::uint64_t cycles : share.batch_cycles)
    metrics.window.batches.emplace_back(static_cast<double>(cycles) * kBatches / window_s);
  metrics.engine.verbs = share.verbs_posted;
  metrics.engine.events = share.events;
  metrics.engine.simulated_s = Duration{static_cast<std::int64_t>(share.ended_ps)}.seconds();
  metrics.window_law = share.law;
  if (share.measured_lock) metrics.hottest_lock.acquire = share.acquire_lock;
  write_series(share, metrics);
  write_workers(share, metrics);
  write_requested(share, {MetricOf::always}, metrics);
  return metrics;
}

std::string PartialMetrics::contradiction() const {
  const auto ascends = [](std::uint64_t a, std::uint64_t b) { return a >= b; };
  if (std::adjacent_find(clients.begin(), clients.end(), ascends) != clients.end())
    return "its clients are not in ascending order";
  if (clients.size() != cycles_by_client.size() || clients.size() != law.clients)
    return "its clients and their cycles differ in number";
  const auto longest = static_cast<std::uint64_t>(kForever.ps);
  if (law.duration_ps == 0 || law.duration_ps > longest || ended_ps > longest)
    return "its window has no length that a window can have";
  if (!law.holds()) return "its window's law does not hold";
  const std::uint64_t intervals =
      interval_ps == 0 ? 0 : (law.duration_ps + interval_ps - 1) / interval_ps;
  if (interval_cycles.size() != intervals || interval_acquisitions.size() != intervals ||
      interval_acquire_ps.size() != intervals)
    return "its intervals are not those of its window";
  if (batch_cycles.size() != kBatches ||
      std::accumulate(batch_cycles.begin(), batch_cycles.end(), cut) != law.counted_cycles)
    return "its batches are not those of its window";
  if (law.counted_cycles != cycle.count() || law.counted_cycles != first_half + second_half + cut)
    return "its counted cycles are not those of its histogram";
  std::uint64_t of_groups = 0;
  for (const Histogram& group : group_cycles) of_groups += group.count();
  if (!group_cycles.empty() && of_groups != law.counted_cycles)
    return "the cycles of its groups are not those of its clients";
  VerbTally verbs_of_groups;
  for (const VerbTally& group : group_verbs) verbs_of_groups += group;
  if (!group_verbs.empty() &&
      (group_verbs.size() != group_cycles.size() || verbs_of_groups != cycle_verbs))
    return "the verbs of its groups are not those of its cycles";
  if (!read_phases.add_up_to(acquire_read) || !write_phases.add_up_to(acquire_write) ||
      !release_phases.add_up_to(release))
    return "the phases of its operations do not add up";
  if (!read_phases.holds(reads_waited) || !write_phases.holds(writes_waited))
    return "more of its operations waited than there were";
  if (std::adjacent_find(guard.expired.begin(), guard.expired.end(), ascends) !=
          guard.expired.end() ||
      std::adjacent_find(guard.unguarded.begin(), guard.unguarded.end(), ascends) !=
          guard.unguarded.end())
    return "its locks are not in ascending order";
  return why_not_workers(*this);
}

std::string why_not_shares(std::span<const PartialMetrics> shares) {
  if (shares.empty()) return "no share measured anything";
  std::vector<std::uint64_t> clients;
  Wide time_ps = 0;
  for (const PartialMetrics& share : shares) {
    if (share.law.duration_ps != shares.front().law.duration_ps)
      return "the windows of two shares differ in length";
    if (share.interval_ps != shares.front().interval_ps)
      return "the intervals of two shares differ in length";
    if (share.group_cycles.size() != shares.front().group_cycles.size() ||
        share.group_verbs.size() != shares.front().group_verbs.size())
      return "the groups of two shares differ in number";
    clients.insert(clients.end(), share.clients.begin(), share.clients.end());
    visit_law(share.law, [&](const char*, std::uint64_t value) { time_ps += value; });
  }
  if (time_ps >> 64 != 0) return "the shares' times add up to more than any run can have";
  std::sort(clients.begin(), clients.end());
  const auto twice = std::adjacent_find(clients.begin(), clients.end());
  if (twice != clients.end()) return "client " + std::to_string(*twice) + " was measured twice";
  return {};
}

PartialMetrics join(std::span<const PartialMetrics> shares) {
  PartialMetrics sum = shares.front();
  for (const PartialMetrics& share : shares.subspan(1)) {
    add(sum, share);
    sum.saw_everything = false;
  }
  return sum;
}

RepeatMetrics merge(std::span<const PartialMetrics> shares) {
  return metrics_of(join(shares));
}

namespace {

void append_all(std::vector<std::uint64_t>& to, const std::vector<std::uint64_t>& more) {
  to.insert(to.end(), more.begin(), more.end());
}

}  // namespace

void add_workers(PartialMetrics& sum, const PartialMetrics& share) {
  append_all(sum.worker_ps, share.worker_ps);
  append_all(sum.worker_busy_ps, share.worker_busy_ps);
  append_all(sum.worker_turn_max_ps, share.worker_turn_max_ps);
  append_all(sum.worker_clients, share.worker_clients);
  append_all(sum.worker_began_ps, share.worker_began_ps);
  append_all(sum.clock_error_ns, share.clock_error_ns);
}

// `busiest` excludes workers with a server part alone: their load is part of the lock's, and does
// not delay the loops of clients.
void write_workers(const PartialMetrics& share, RepeatMetrics& metrics) {
  if (share.worker_ps.empty()) return;
  RepeatMetrics::Real busiest;
  RepeatMetrics::Workers& workers = metrics.workers;
  for (std::size_t i = 0; i < share.worker_ps.size(); ++i) {
    const RepeatMetrics::Real& busy =
        workers.busy.emplace_back(ratio(share.worker_busy_ps[i], share.worker_ps[i]));
    workers.turn_max_ns.emplace_back(static_cast<double>(share.worker_turn_max_ps[i]) / 1e3);
    if (share.worker_clients[i] > 0) busiest = std::max(busiest, busy);
  }
  workers.busiest = busiest;
  workers.longest_turn_ns =
      *std::max_element(workers.turn_max_ns.begin(), workers.turn_max_ns.end());
  const auto [first, last] =
      std::minmax_element(share.worker_began_ps.begin(), share.worker_began_ps.end());
  const RepeatMetrics::Real skew = static_cast<double>(*last - *first) / 1e3;
  RepeatMetrics::Real error;
  if (!share.clock_error_ns.empty()) {
    // The sum of the two largest: the bound for the two clocks that agree least.
    std::vector<double> errors(share.clock_error_ns.begin(), share.clock_error_ns.end());
    std::sort(errors.rbegin(), errors.rend());
    error = errors[0] + (errors.size() > 1 ? errors[1] : 0);
  }
  metrics.clocks = {skew, error};
}

std::string why_not_workers(const PartialMetrics& share) {
  const std::size_t workers = share.worker_ps.size();
  if (share.worker_busy_ps.size() != workers || share.worker_turn_max_ps.size() != workers ||
      share.worker_clients.size() != workers || share.worker_began_ps.size() != workers)
    return "its workers are not told of alike";
  std::uint64_t busy = 0;
  for (std::size_t i = 0; i < workers; ++i) {
    busy += share.worker_busy_ps[i];
    if (share.worker_busy_ps[i] > share.worker_ps[i])
      return "a worker was busy for longer than there was time";
  }
  if (workers > 0 && busy == 0 && share.law.counted_cycles > 0)
    return "its cycles were counted by workers that did nothing";
  return {};
}

}  // namespace latchlab

#include "core/measure/part.h"

#include <algorithm>

#include "core/measure/statistics.h"

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

void add_safety(MeasuredPart& sum, const MeasuredPart& part) {
  sum.checks += part.checks;
  sum.violations += part.violations;
  sum.expired_holds += part.expired_holds;
  sum.late_effects += part.late_effects;
  if (sum.violation.empty()) sum.violation = part.violation;
  sum.guard.merge(part.guard);
}

// The busiest server's NIC and CPU, where several processes have one.
void add_process(MeasuredPart& sum, const MeasuredPart& part) {
  sum.background_verbs += part.background_verbs;
  sum.verbs_posted += part.verbs_posted;
  sum.events += part.events;
  sum.ended_ps = std::max(sum.ended_ps, part.ended_ps);
  if (part.server_nic.verbs_s > sum.server_nic.verbs_s) sum.server_nic = part.server_nic;
  if (part.server_cpu.utilisation > sum.server_cpu.utilisation) sum.server_cpu = part.server_cpu;
}

void add_intervals(MeasuredPart& sum, const MeasuredPart& part) {
  for (std::size_t i = 0; i < sum.interval_cycles.size(); ++i) {
    sum.interval_cycles[i] += part.interval_cycles[i];
    sum.interval_acquisitions[i] += part.interval_acquisitions[i];
    sum.interval_acquire_ps[i] += part.interval_acquire_ps[i];
  }
}

void add(MeasuredPart& sum, const MeasuredPart& part) {
  const auto append = [](std::vector<std::uint64_t>& to, const std::vector<std::uint64_t>& more) {
    to.insert(to.end(), more.begin(), more.end());
  };
  append(sum.clients, part.clients);
  append(sum.cycles_by_client, part.cycles_by_client);
  sum.live_clients += part.live_clients;
  sum.without_progress += part.without_progress;
  add_law(sum.law, part.law);
  sum.first_half += part.first_half;
  sum.second_half += part.second_half;
  sum.open_count += part.open_count;
  sum.open_age_max_ps = std::max(sum.open_age_max_ps, part.open_age_max_ps);
  sum.cycle.merge(part.cycle);
  sum.acquire_read.merge(part.acquire_read);
  sum.acquire_write.merge(part.acquire_write);
  sum.release.merge(part.release);
  sum.acquire_lock.merge(part.acquire_lock);
  add_intervals(sum, part);
  sum.read_phases.merge(part.read_phases);
  sum.write_phases.merge(part.write_phases);
  sum.release_phases.merge(part.release_phases);
  sum.cycle_verbs += part.cycle_verbs;
  sum.acquisitions.atomics += part.acquisitions.atomics;
  sum.acquisitions.mismatched += part.acquisitions.mismatched;
  sum.aborted += part.aborted;
  sum.shared_as_exclusive += part.shared_as_exclusive;
  sum.recoveries += part.recoveries;
  sum.update_as_exclusive += part.update_as_exclusive;
  sum.open_loop.merge(part.open_loop);
  add_safety(sum, part);
  add_process(sum, part);
}

RepeatMetrics::Real stationarity(const MeasuredPart& part) {
  const Duration window{static_cast<std::int64_t>(part.law.duration_ps)};
  const Duration half = window / 2;
  if (part.first_half == 0 || half.ps == 0) return std::nullopt;
  const double first = static_cast<double>(part.first_half) * (window - half).seconds();
  const double second = static_cast<double>(part.second_half) * half.seconds();
  return second / first;
}

RepeatMetrics::Open open_cycles(const MeasuredPart& part) {
  RepeatMetrics::Open open;
  open.count = part.open_count;
  if (part.open_count == 0) return open;
  open.age_mean_ns =
      static_cast<double>(part.law.ages_at_end_ps) / static_cast<double>(part.open_count) / 1e3;
  open.age_max_ns = static_cast<double>(part.open_age_max_ps) / 1e3;
  return open;
}

// One value for each interval; the last one may be shorter than the others.
void write_series(const MeasuredPart& part, RepeatMetrics& metrics) {
  for (std::size_t i = 0; i < part.interval_cycles.size(); ++i) {
    const std::uint64_t left_ps = part.law.duration_ps - i * part.interval_ps;
    const Duration length{static_cast<std::int64_t>(std::min(left_ps, part.interval_ps))};
    metrics.series.goodput_ops_s.emplace_back(static_cast<double>(part.interval_cycles[i]) /
                                              length.seconds());
    RepeatMetrics::Real& mean_ns = metrics.series.acquire_ns.emplace_back();
    if (const std::uint64_t count = part.interval_acquisitions[i]; count > 0)
      mean_ns = static_cast<double>(part.interval_acquire_ps[i]) / static_cast<double>(count) / 1e3;
  }
}

// Who saw only some of the grants can find a violation, but not that there was none; guard words
// can. Where both looked, both may have found the same ones.
void write_checks(const MeasuredPart& part, RepeatMetrics& metrics) {
  const GuardVerdict guard = judge(part.guard);
  const std::uint64_t violations = std::max(part.violations, guard.violations);
  if (part.saw_everything) {
    metrics.safety = {part.checks, violations, part.expired_holds, part.late_effects};
    metrics.fairness.max_bypassed = part.max_bypassed;
    metrics.fingerprint = part.fingerprint;
  } else if (part.guard.guarded) {
    metrics.safety = {part.guard.checks, violations, guard.expired_holds, std::nullopt};
  } else if (violations > 0) {
    metrics.safety.violations = violations;
  }
}

}  // namespace

RepeatMetrics metrics_of(const MeasuredPart& part) {
  RepeatMetrics metrics;
  const double window_s = Duration{static_cast<std::int64_t>(part.law.duration_ps)}.seconds();
  const std::uint64_t counted = part.law.counted_cycles;
  metrics.goodput_ops_s = static_cast<double>(counted) / window_s;
  metrics.cycle = part.cycle;
  metrics.acquire = part.acquire_read;
  metrics.acquire.merge(part.acquire_write);
  metrics.acquire_read = part.acquire_read;
  metrics.acquire_write = part.acquire_write;
  metrics.release = part.release;
  metrics.open = open_cycles(part);
  write_verb_metrics(part.cycle_verbs, part.acquisitions, counted, metrics);
  const VerbTally& background = part.background_verbs;
  metrics.background_verbs_s =
      static_cast<double>(background.one_sided() + background.sends) / window_s;
  metrics.phases = {part.read_phases, part.write_phases, part.release_phases};
  metrics.server_nic = part.server_nic;
  metrics.server_cpu = part.server_cpu;
  metrics.fairness.jain = jain_index(part.cycles_by_client);
  write_checks(part, metrics);
  metrics.recoveries = part.recoveries;
  metrics.aborted_acquisitions = part.aborted;
  metrics.shared_as_exclusive = part.shared_as_exclusive;
  metrics.stationary = stationarity(part);
  metrics.engine.verbs = part.verbs_posted;
  metrics.engine.events = part.events;
  metrics.engine.simulated_s = Duration{static_cast<std::int64_t>(part.ended_ps)}.seconds();
  metrics.window_law = part.law;
  if (part.measured_lock) metrics.hottest_lock.acquire = part.acquire_lock;
  write_series(part, metrics);
  return metrics;
}

std::string MeasuredPart::contradiction() const {
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
  if (law.counted_cycles != cycle.count() || law.counted_cycles != first_half + second_half)
    return "its counted cycles are not those of its histogram";
  if (!read_phases.add_up_to(acquire_read) || !write_phases.add_up_to(acquire_write) ||
      !release_phases.add_up_to(release))
    return "the phases of its operations do not add up";
  if (std::adjacent_find(guard.expired.begin(), guard.expired.end(), ascends) !=
          guard.expired.end() ||
      std::adjacent_find(guard.unguarded.begin(), guard.unguarded.end(), ascends) !=
          guard.unguarded.end())
    return "its locks are not in ascending order";
  return {};
}

std::string why_not_parts(std::span<const MeasuredPart> parts) {
  if (parts.empty()) return "nobody measured anything";
  std::vector<std::uint64_t> clients;
  Wide time_ps = 0;
  for (const MeasuredPart& part : parts) {
    if (part.law.duration_ps != parts.front().law.duration_ps)
      return "the windows of two parts differ in length";
    if (part.interval_ps != parts.front().interval_ps)
      return "the intervals of two parts differ in length";
    clients.insert(clients.end(), part.clients.begin(), part.clients.end());
    visit_law(part.law, [&](const char*, std::uint64_t value) { time_ps += value; });
  }
  if (time_ps >> 64 != 0) return "the parts' times add up to more than any run can have";
  std::sort(clients.begin(), clients.end());
  const auto twice = std::adjacent_find(clients.begin(), clients.end());
  if (twice != clients.end()) return "client " + std::to_string(*twice) + " was measured twice";
  return {};
}

MeasuredPart join(std::span<const MeasuredPart> parts) {
  MeasuredPart sum = parts.front();
  for (const MeasuredPart& part : parts.subspan(1)) {
    add(sum, part);
    sum.saw_everything = false;
  }
  return sum;
}

RepeatMetrics merge(std::span<const MeasuredPart> parts) {
  return metrics_of(join(parts));
}

}  // namespace latchlab

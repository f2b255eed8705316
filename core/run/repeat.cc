#include "core/run/repeat.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "core/measure/statistics.h"
namespace latchlab {

namespace {

RepeatOutcome failed(std::uint64_t seed, std::string message) {
  RepeatOutcome outcome;
  outcome.seed = seed;
  outcome.status = RepeatStatus::failed;
  outcome.message = std::move(message);
  return outcome;
}

// True if a fault of the point ends this node's process.
bool is_expected(const LostNode& lost, const Point& point) {
  const WorldShape shape = shape_of(point, 0);
  return std::any_of(point.faults.begin(), point.faults.end(), [&](const FaultSpec& fault) {
    if (fault.kind == FaultKind::node_crash) return fault.node + 1U == lost.node.value;
    return fault.kind == FaultKind::process_crash &&
           shape.node_of(ClientId{fault.client}) == lost.node;
  });
}

std::uint64_t clients_on(std::span<const LostNode> lost, const Point& point) {
  const WorldShape shape = shape_of(point, 0);
  std::uint64_t count = 0;
  for (std::uint32_t i = 0; i < shape.clients(); ++i)
    count +=
        static_cast<std::uint64_t>(std::any_of(lost.begin(), lost.end(), [&](const LostNode& gone) {
          return gone.node == shape.node_of(ClientId{i});
        }));
  return count;
}

// Describes the first node whose loss no fault explains; empty: none.
std::string why_lost(const Point& point, std::span<const LostNode> lost) {
  for (const LostNode& gone : lost)
    if (!is_expected(gone, point))
      return fmt::format("node {} was lost: {}", gone.node.value, gone.why);
  return {};
}

// Why the shares form no repeat; empty: they do.
std::string why_failed(const Point& point, std::span<const ShareOutcome> outcomes,
                       const PartialMetrics& all, std::span<const LostNode> lost) {
  if (std::string why = why_lost(point, lost); !why.empty()) return why;
  for (const ShareOutcome& outcome : outcomes)
    if (outcome.seed != outcomes.front().seed) return "the shares are of different repeats";
  const std::uint64_t measured = all.clients.size();
  if (measured + clients_on(lost, point) < point.platform.clients())
    return fmt::format("only {} of {} clients were measured", measured, point.platform.clients());
  return {};
}

// The first refusal that another process did not cause, else the first refusal; null: none.
const ShareOutcome* first_refusal(std::span<const ShareOutcome> outcomes) {
  const ShareOutcome* first = nullptr;
  for (const ShareOutcome& one : outcomes) {
    if (one.status == RepeatStatus::ok) continue;
    if (!one.secondary) return &one;
    if (first == nullptr) first = &one;
  }
  return first;
}

// The outcome if some processes did not run. A lost node is the cause of other refusals.
RepeatOutcome refused(const Point& point, std::uint64_t seed, std::string why, RepeatStatus status,
                      std::span<const LostNode> lost) {
  if (std::string gone = why_lost(point, lost); !gone.empty()) return failed(seed, std::move(gone));
  RepeatOutcome outcome = failed(seed, std::move(why));
  outcome.status = status;
  return outcome;
}

// Locks that a lost node held are exempt, even if its amounts are removed later: until then the
// guard words are wrong.
GuardFindings left_behind(const LostNode& lost) {
  GuardFindings findings;
  for (const LeftInside& left : lost.left) findings.unguarded.push_back(left.lock.value);
  std::sort(findings.unguarded.begin(), findings.unguarded.end());
  const auto end = std::unique(findings.unguarded.begin(), findings.unguarded.end());
  findings.unguarded.erase(end, findings.unguarded.end());
  return findings;
}

void forgive(PartialMetrics& all, std::span<const LostNode> lost) {
  for (const LostNode& gone : lost) all.guard.merge(left_behind(gone));
  if (!std::all_of(lost.begin(), lost.end(), [](const LostNode& gone) { return gone.journal; }))
    all.guard = {};
}

std::string violation_of(const PartialMetrics& all) {
  return all.violation.empty() ? judge(all.guard).violation : all.violation;
}

void write_groups(const Point& point, const PartialMetrics& all, RepeatMetrics& metrics) {
  const ClientGroups groups = client_groups(point);
  if (groups.names.empty()) return;
  std::vector<std::uint64_t> cycles(groups.names.size());
  for (std::size_t i = 0; i < all.clients.size(); ++i)
    cycles[groups.of_clients[all.clients[i]]] += all.cycles_by_client[i];
  for (std::size_t group = 0; group < cycles.size(); ++group) {
    const std::string& name = groups.names[group];
    metrics.group_goodput.values[name] =
        static_cast<double>(cycles[group]) / point.run.duration.seconds();
    if (!point.run.by_group) continue;
    metrics.group_cycles.by_group[name] = all.group_cycles[group];
    write_group_verbs(name, all.group_verbs[group], all.group_cycles[group].count(), metrics);
  }
}

bool asks_for_update(const WorkloadSpec& workload) {
  return workload.update_ratio_ppb > 0 ||
         std::any_of(workload.arrivals.script.begin(), workload.arrivals.script.end(),
                     [](const ScriptedArrival& arrival) {
                       return arrival.mode == ScriptedArrival::Mode::update;
                     });
}

std::set<MetricOf> requested_by(const Point& point) {
  std::set<MetricOf> requested;
  const auto add = [&](bool is, MetricOf metrics) {
    if (is) requested.insert(metrics);
  };
  add(point.platform.cores > 0, MetricOf::shared_cores);
  for_each_workload(point, [&](const WorkloadSpec& workload) {
    add(asks_for_update(workload), MetricOf::update_mode);
    add(wants_parts(workload.kind), MetricOf::ranges);
    add(workload.kind == WorkloadKind::file_io && workload.file.data != FileData::none,
        MetricOf::file_data);
    add(makes_transactions(workload.kind), MetricOf::transactions);
    add(workload.arrivals.kind != ArrivalKind::none, MetricOf::open_loop);
  });
  return requested;
}

// Proposes a `run.duration`, from what happened after the window.
std::string too_short(const Point& point, const PartialMetrics& all, const RunOn& after) {
  const Duration before = point.run.warmup.value_or(Duration{});
  const Duration enough = std::max(after.drained - before, point.run.duration * 2);
  return fmt::format(
      "no cycle ended in the window of {}, and {} of {} clients had one in the {} after it: set "
      "run.duration to {}",
      format_duration(point.run.duration), after.cycles, all.live_clients,
      format_duration(after.length), format_duration(enough));
}

void judge_progress(const Point& point, const PartialMetrics& all, bool deadlock,
                    const std::optional<RunOn>& after, RepeatOutcome& outcome) {
  const std::uint64_t waiting = all.without_progress;
  if (after && after->progressed()) {
    outcome.status = RepeatStatus::too_short;
    outcome.message = too_short(point, all, *after);
  } else if (deadlock || (after && after->stuck)) {
    outcome.status = RepeatStatus::stuck;
    outcome.message = fmt::format(
        "deadlock: all {} live clients wait, and nothing can happen any more", all.live_clients);
  } else if (after) {
    outcome.status = RepeatStatus::no_progress;
    outcome.message = fmt::format(
        "no cycle of the {} live clients ended in the window of {}, nor in the {} after it: the "
        "lock hangs",
        all.live_clients, format_duration(point.run.duration), format_duration(after->length));
  } else if (waiting > 0 && waiting == all.live_clients) {
    outcome.status = RepeatStatus::no_progress;
    outcome.message = fmt::format(
        "all {} live clients waited for one lock each through the whole window of {}: the lock "
        "hangs, or one cycle takes longer than that, which a longer run.duration tells",
        waiting, format_duration(point.run.duration));
  } else if (waiting > 0) {
    outcome.status = RepeatStatus::starved;
    outcome.message = fmt::format(
        "{} of {} clients waited for one lock through the whole window of {}: the lock starves "
        "them, or hangs",
        waiting, point.platform.clients(), format_duration(point.run.duration));
  }
}

}  // namespace

RepeatOutcome merge_outcomes(const Point& point, std::span<const ShareOutcome> outcomes,
                             std::span<const LostNode> lost) {
  const std::uint64_t seed = outcomes.empty() ? 0 : outcomes.front().seed;
  if (const ShareOutcome* const one = first_refusal(outcomes))
    return refused(point, seed, one->message, one->status, lost);
  std::vector<PartialMetrics> shares;
  bool deadlock = !outcomes.empty();
  for (const ShareOutcome& one : outcomes) {
    deadlock = deadlock && one.end == RunEnd::stuck;
    shares.insert(shares.end(), one.shares.begin(), one.shares.end());
  }
  if (std::string why = why_not_shares(shares); !why.empty())
    return refused(point, seed, std::move(why), RepeatStatus::failed, lost);
  PartialMetrics all = join(shares);
  forgive(all, lost);
  RepeatOutcome outcome;
  outcome.seed = seed;
  outcome.metrics = metrics_of(all);
  write_groups(point, all, outcome.metrics);
  write_requested(all, requested_by(point), outcome.metrics);
  if (std::string violation = violation_of(all); !violation.empty()) {
    outcome.status = RepeatStatus::unsafe;
    outcome.message = std::move(violation);
  } else if (std::string why = why_failed(point, outcomes, all, lost); !why.empty()) {
    outcome.status = RepeatStatus::failed;
    outcome.message = std::move(why);
  } else {
    const std::optional<RunOn> after = outcomes.empty() ? std::nullopt : outcomes.front().after;
    judge_progress(point, all, deadlock, after, outcome);
  }
  return outcome;
}

RepeatOutcome run_repeat(const Point& point, const ProtocolEntry& entry, std::uint32_t repeat,
                         const BackendFactory& make_backend, TraceHook* hook) {
  ShareOptions options;
  options.hook = hook;
  const ShareOutcome outcome = run_share(point, entry, repeat, make_backend, options);
  RepeatOutcome merged = merge_outcomes(point, {&outcome, 1});
  if (hook != nullptr) merged.report = hook->report();
  return merged;
}

}  // namespace latchlab

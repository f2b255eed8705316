#include "tools/swarm/play.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/base/random.h"
#include "core/measure/results_json.h"
#include "core/protocols/registry.h"
#include "core/scenario/quantities.h"

namespace latchlab::swarm {

namespace {

std::uint64_t checksum_of(const RepeatOutcome& outcome) {
  std::uint64_t sum = static_cast<std::uint64_t>(outcome.status);
  for (const std::string& text :
       {outcome.message, outcome.report, serialise_repeat(outcome.metrics)})
    for (const char letter : text) sum = hash_of(sum, static_cast<unsigned char>(letter));
  return sum;
}

// Each client waits for one lock at a time, and holds no other.
bool single(const Point& point) {
  const WorkloadSpec& workload = workers_of(point);
  return workload.locks_per_section == 1 && workload.patience.ps == 0;
}

}  // namespace

const Broken* Played::finding() const {
  const auto found = std::ranges::find_if(broken, [](const Broken& each) { return each.claimed; });
  return found == broken.end() ? nullptr : &*found;
}

Played judge(const Point& point, const ProtocolEntry& entry, const ParamValues& forced,
             const RepeatOutcome& outcome) {
  Played played;
  const Claims claims = claims_without(forced, point.protocol.params, entry.info);
  played.checksum = checksum_of(outcome);
  played.mishaps = mishaps_of(point, entry, claims);
  if (outcome.status == RepeatStatus::unavailable) {
    played.refused = true;
    played.how = outcome.message;
    return played;
  }
  if (outcome.status == RepeatStatus::failed || outcome.report.empty()) {
    played.broken.push_back({std::nullopt, outcome.message});
    return played;
  }
  if (auto seen = parse_seen(outcome.report)) played.seen = std::move(seen).value();
  if (played.seen.cut > 0) played.mishaps.push_back(Mishap::long_section);
  played.expired_holds = outcome.metrics.safety.expired_holds.value_or(0);
  played.late_effects = outcome.metrics.safety.late_effects.value_or(0);
  const auto add = [&](Keeps what, const std::string& how) {
    const bool claimed =
        claims.none.empty() && std::ranges::all_of(played.mishaps, [&](Mishap mishap) {
          return claims.keeps(mishap, what);
        });
    played.broken.push_back({what, how, claimed});
  };
  if (outcome.status == RepeatStatus::unsafe) {
    add(Keeps::exclusion, outcome.message);
    return played;  // the run ended there
  }
  if (played.late_effects > 0)
    add(Keeps::fencing, fmt::format("{} grants that were over had an effect", played.late_effects));
  if (outcome.status == RepeatStatus::stuck && played.seen.progress.empty())
    add(Keeps::progress, outcome.message);
  if (!played.seen.progress.empty())
    add(Keeps::progress, played.seen.progress);
  else if (played.mishaps.empty() && played.seen.recoveries == 0 && claims.turns > 0 &&
           single(point) && played.seen.waited > fair_wait(point, claims))
    add(Keeps::progress,
        fmt::format(
            "client {} waits for {} without any fault; at most {} turns of each client, {}, "
            "are claimed",
            played.seen.waiter, format_duration_for_reading(played.seen.waited), claims.turns,
            format_duration_for_reading(fair_wait(point, claims))));
  if (!played.seen.clean_end.empty()) add(Keeps::clean_end, played.seen.clean_end);
  if (!played.seen.order.empty()) add(Keeps::order, played.seen.order);
  return played;
}

Batch play(std::span<const Scenario* const> scenarios, const ParamValues& forced,
           std::uint32_t jobs, const BackendFactory& make_backend) {
  Scenario all;
  for (const Scenario* each : scenarios) all.points.push_back(each->points.front());
  StudyOptions options;
  options.jobs = jobs;
  options.hook = [](const Point& point, std::uint32_t) { return make_watch(point); };
  const StudyOutcome outcome = run_study(all, options, make_backend);
  Batch batch;
  batch.interrupted = outcome.interrupted;
  if (outcome.interrupted) return batch;
  for (std::size_t i = 0; i < all.points.size(); ++i) {
    const Point& point = all.points[i];
    batch.played.push_back(judge(point, *find_protocol(point.protocol.name), forced,
                                 *outcome.points[i].repeats.front()));
  }
  return batch;
}

}  // namespace latchlab::swarm

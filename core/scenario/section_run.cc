#include <fmt/format.h>

#include <limits>

#include "core/scenario/scenario_keys.h"
#include "core/scenario/sections.h"
#include "core/scenario/suggestions.h"

namespace latchlab {
namespace {

constexpr Duration kLongestRun = seconds(3600);

constexpr std::int64_t kMostIntervals = 10'000;

void read_series(MapReader& reader, RunSpec& run) {
  const YamlNode* node = reader.find_or_null("series");
  if (!node) return;
  run.series = read_duration(*node, reader.path_of("series"), microseconds(1), kLongestRun);
  if (run.duration.ps / run.series.ps > kMostIntervals)
    reject(node->place,
           fmt::format("run.series is {}, which makes {} intervals of a run.duration of {}; at "
                       "most {} are possible",
                       node->text, run.duration.ps / run.series.ps, format_duration(run.duration),
                       kMostIntervals));
}

}  // namespace

RunSpec read_run(const YamlNode* node, const Place& place) {
  MapReader reader(node, "run", place);
  reader.know_only(keys_of("run"));
  RunSpec run;
  run.warmup = reader.duration("warmup", run.warmup, Duration{0}, kLongestRun);
  run.duration = reader.duration("duration", run.duration, microseconds(1), kLongestRun);
  run.seed = static_cast<std::uint64_t>(
      reader.count("seed", 1, 0, std::numeric_limits<std::int64_t>::max()));
  run.repeats = static_cast<std::uint32_t>(reader.count("repeats", 1, 1, 1'000));
  run.guard = static_cast<GuardMode>(reader.choice("guard", 0, {"off", "sampled", "on"}));
  run.on_violation = static_cast<OnViolation>(reader.choice("on_violation", 0, {"stop", "record"}));
  reader.unsupported("acquisitions");
  read_series(reader, run);
  run.hottest_lock = reader.boolean("hottest_lock", false);
  return run;
}

}  // namespace latchlab

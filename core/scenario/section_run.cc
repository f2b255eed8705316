#include <limits>

#include "core/scenario/scenario_keys.h"
#include "core/scenario/sections.h"
#include "core/scenario/suggestions.h"

namespace latchlab {
namespace {

constexpr Duration kLongestRun = seconds(3600);

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
  return run;
}

}  // namespace latchlab

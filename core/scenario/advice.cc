#include "core/scenario/advice.h"

#include <fmt/format.h>

#include <algorithm>

namespace latchlab {
namespace {

constexpr std::int64_t kAdaptations = 10;
constexpr std::int64_t kTimeouts = 3;

Duration longer_than_any(Duration unit, std::int64_t times) {
  return unit.ps > kForever.ps / times ? kForever : unit * times;
}

// Advice that people would write: whole milliseconds, or microseconds for short runs.
Duration rounded_up(Duration length) {
  const Duration step = length < milliseconds(10) ? microseconds(1) : milliseconds(1);
  if (length.ps > kForever.ps - step.ps) return length;
  return {(length.ps + step.ps - 1) / step.ps * step.ps};
}

std::string warmup_warning(const Point& point, Duration period) {
  const Duration wanted = longer_than_any(period, kAdaptations);
  return fmt::format(
      "run.warmup {} is shorter than ten adaptation periods of {} ({} each): set run.warmup to {}",
      format_duration(point.run.warmup), point.protocol.label, format_duration(period),
      format_duration(rounded_up(wanted)));
}

std::string duration_warning(const Point& point, Duration timeout) {
  const Duration wanted = longer_than_any(timeout, kTimeouts);
  return fmt::format(
      "run.duration {} is shorter than three timeouts of {} ({} each): set run.duration to {}",
      format_duration(point.run.duration), point.protocol.label, format_duration(timeout),
      format_duration(rounded_up(wanted)));
}

}  // namespace

std::vector<std::string> time_warnings(const std::vector<Point>& points,
                                       const std::vector<ProtocolInfo>& protocols) {
  std::vector<std::string> warnings;
  const auto add = [&](std::string line) {
    if (std::find(warnings.begin(), warnings.end(), line) == warnings.end())
      warnings.push_back(std::move(line));
  };
  for (const Point& point : points) {
    const auto info = std::find_if(protocols.begin(), protocols.end(), [&](const auto& candidate) {
      return candidate.name == point.protocol.name;
    });
    if (info == protocols.end()) continue;
    const ParamSet& params = point.protocol.params;
    const Duration period = info->adaptation_period ? info->adaptation_period(params) : Duration{0};
    const Duration timeout = info->longest_timeout ? info->longest_timeout(params) : Duration{0};
    if (point.run.warmup < longer_than_any(period, kAdaptations))
      add(warmup_warning(point, period));
    if (point.run.duration < longer_than_any(timeout, kTimeouts))
      add(duration_warning(point, timeout));
  }
  return warnings;
}

}  // namespace latchlab

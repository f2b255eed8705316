#include "tools/latchlab/doubt_text.h"

#include <fmt/format.h>

#include "core/study/comparison.h"
#include "tools/latchlab/values.h"

namespace latchlab::tool {

Halves halves_of(const PointOutcome& point) {
  Halves halves;
  for (const auto& repeat : point.repeats) {
    if (!repeat) continue;
    const auto& batches = repeat->metrics.window.batches;
    for (std::size_t i = 0; i < batches.size(); ++i)
      (2 * i < batches.size() ? halves.first : halves.second) +=
          batches[i].value_or(0) * 2 / static_cast<double>(batches.size() * point.repeats.size());
  }
  return halves;
}

std::string doubt_text(const std::string& lock, const PointOutcome& point) {
  const Leaves metrics = point.metrics();
  const std::string goodput = rate(number_at(metrics, "goodput_ops_s").value_or(0));
  switch (doubt_of(point)) {
    case Doubt::nothing_done:
      return fmt::format("nobody finished anything with {} in the window", lock);
    case Doubt::cut:
      return fmt::format(
          "{:.3g}% of the sections of {} were cut at the end of their grants ({} did "
          "their work)",
          share_cut(metrics) * 100, lock, goodput);
    case Doubt::emulated:
      return fmt::format("{} was emulated, which is no measure of an RNIC ({})", lock,
                         point.emulated);
    case Doubt::starved:
      return fmt::format("{} keeps some clients waiting through its whole window ({})", lock,
                         goodput);
    case Doubt::overloaded:
      return fmt::format("{} does not carry the load, so that its queues grow", lock);
    case Doubt::client_bound:
      return fmt::format("{} keeps the clients' own cores busy all the time ({})", lock, goodput);
    case Doubt::unchecked:
      return fmt::format("nobody has checked {} for mutual exclusion", lock);
    case Doubt::none:
    case Doubt::unsettled:
      break;
  }
  const Halves halves = halves_of(point);
  return fmt::format(
      "{} has not settled after {:.4g} ms ({} in the first half of its window, {} in the second)",
      lock, number_at(metrics, "window.warmup_ns").value_or(0) / 1e6, rate(halves.first),
      rate(halves.second));
}

}  // namespace latchlab::tool

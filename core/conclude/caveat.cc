#include "core/conclude/caveat.h"

#include <fmt/format.h>

#include "core/conclude/values.h"
#include "core/measure/steady.h"

namespace latchlab {
namespace {

// A single repeat may seem unsettled by chance; then the sums over all repeats do not.
bool settled_together(const PointOutcome& point) {
  std::vector<std::uint64_t> sums(kBatches);
  for (const auto& repeat : point.repeats)
    for (std::size_t i = 0; repeat && i < repeat->metrics.window.batches.size(); ++i)
      sums[i % kBatches] +=
          static_cast<std::uint64_t>(repeat->metrics.window.batches[i].value_or(0));
  return point.repeats.size() > 1 && is_steady(sums);
}

}  // namespace

double share_cut(const Leaves& metrics) {
  const double cycles = number_at(metrics, "cycle_ns.count").value_or(0);
  return cycles > 0 ? number_at(metrics, "cut_sections").value_or(0) / cycles : 0;
}

Caveat caveat_of(const PointOutcome& point) {
  const Caveat other = caveat_beside_emulation(point);
  const bool worse = other == Caveat::nothing_done || other == Caveat::cut;
  return point.emulated.empty() || worse ? other : Caveat::emulated;
}

Caveat caveat_beside_emulation(const PointOutcome& point) {
  const Leaves metrics = point.metrics();
  if (share_cut(metrics) > kMostCut) return Caveat::cut;
  if (number_at(metrics, "goodput_ops_s").value_or(0) <= 0) return Caveat::nothing_done;
  if (number_at(metrics, "open_loop.carried").value_or(1) <= 0) return Caveat::overloaded;
  if (number_at(metrics, "window.settled").value_or(1) <= 0 && !settled_together(point))
    return Caveat::unsettled;
  if (point.status() == RepeatStatus::starved) return Caveat::starved;
  if (number_at(metrics, "client_cpu.utilisation").value_or(0) >= kClientBound ||
      number_at(metrics, "workers.busiest").value_or(0) >= kWorkerBound)
    return Caveat::client_bound;
  if (number_at(metrics, "safety.checks").value_or(-1) < 0) return Caveat::unchecked;
  return Caveat::none;
}

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

std::string caveat_text(const std::string& lock, const PointOutcome& point) {
  const Leaves metrics = point.metrics();
  const std::string goodput = rate(number_at(metrics, "goodput_ops_s").value_or(0));
  switch (caveat_of(point)) {
    case Caveat::nothing_done:
      return fmt::format("no client completed anything with {} in the window", lock);
    case Caveat::cut:
      return fmt::format(
          "{:.3g}% of the critical sections of {} were cut at the end of their grants "
          "(goodput {})",
          share_cut(metrics) * 100, lock, goodput);
    case Caveat::emulated:
      return fmt::format("{} was emulated, which is no measure of an RNIC ({})", lock,
                         point.emulated);
    case Caveat::starved:
      return fmt::format("with {}, some clients wait through the whole window ({})", lock, goodput);
    case Caveat::overloaded:
      return fmt::format("{} does not carry the load: its queues grow", lock);
    case Caveat::client_bound:
      return fmt::format("{} keeps the clients' own cores busy all the time ({})", lock, goodput);
    case Caveat::unchecked:
      return fmt::format("mutual exclusion of {} was not checked", lock);
    case Caveat::none:
    case Caveat::unsettled:
      break;
  }
  const Halves halves = halves_of(point);
  return fmt::format(
      "{} has not settled after a warm-up of {:.4g} ms ({} in the first half of its window, {} in "
      "the second)",
      lock, number_at(metrics, "window.warmup_ns").value_or(0) / 1e6, rate(halves.first),
      rate(halves.second));
}

}  // namespace latchlab

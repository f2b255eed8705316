#include <algorithm>

#include "core/run/share.h"

namespace latchlab {
namespace {

// Until the first cycle ends, run on 16 times as long as so far if that is less than 100 ms, and
// twice as long in any case: livelocks cost time, too.
constexpr std::int64_t kMost = 16, kLeast = 2;
constexpr Duration kLong = milliseconds(100);
constexpr std::int64_t kSteps = 2;    // for each length so far
constexpr std::uint64_t kEnough = 4;  // one cycle per this many clients suffices for an estimate

// Rounded up to two digits.
Duration rounded_up(Duration length) {
  std::int64_t unit = 1;
  while (length.ps / unit >= 100) unit *= 10;
  return Duration{(length.ps + unit - 1) / unit * unit};
}

}  // namespace

std::optional<RunOn> run_on(Running& backend, const WindowRecorder& recorder,
                            const PartialMetrics& share) {
  const std::uint64_t before = recorder.ended_cycles(), all = share.live_clients;
  const bool none = share.law.counted_cycles == 0 && share.open_count > 0;
  if (!none || before >= all || !share.violation.empty()) return std::nullopt;
  const Time end = backend.true_now();
  const Duration so_far = end - Time{};
  const Duration longest = std::max(so_far * kLeast, std::min(so_far * kMost, kLong));
  RunOn after, first;
  for (std::int64_t step = 1; after.progressed() || so_far * step / kSteps <= longest; ++step) {
    const RunEnd how = backend.run_until(end + so_far * step / kSteps);
    after.length = backend.true_now() - end;
    after.cycles = recorder.ended_cycles() - before;
    after.stuck = how == RunEnd::stuck;
    if (how != RunEnd::reached || kEnough * after.cycles >= all) break;
    if (!first.progressed()) first = after;
    if (first.progressed() && after.length > first.length * 2) break;
  }
  if (!after.progressed()) return after;
  // At the rate after the first cycle, because the first one may have taken much longer.
  const bool paced = after.cycles > first.cycles && first.progressed();
  const std::uint64_t ended = paced ? after.cycles - first.cycles : after.cycles;
  const Duration took = paced ? after.length - first.length : after.length;
  const std::uint64_t left = all - std::min(all, before + after.cycles);
  const double rest = took.seconds() / static_cast<double>(ended) * static_cast<double>(left);
  after.drained =
      rounded_up(so_far + after.length + Duration{static_cast<std::int64_t>(rest * 1e12)});
  return after;
}

}  // namespace latchlab

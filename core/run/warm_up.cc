#include "core/run/warm_up.h"

#include <algorithm>
#include <span>
#include <utility>

#include "core/measure/steady.h"

namespace latchlab {
namespace {

constexpr std::int64_t kLook = 25;  // ticks between two tests for steady state
constexpr std::int64_t kTicksOfBatch = 5;

}  // namespace

WarmUp::WarmUp(MeasuringObserver& observer, Backend& backend, const RunSpec& run, Duration least,
               std::function<void(Time)> opens)
    : observer_(observer),
      backend_(backend),
      duration_(run.duration),
      least_(std::max(run.earliest(), std::min(least, run.duration * kMost))),
      opens_(std::move(opens)) {}

void WarmUp::begin() {
  next_tick();
}

// Times are computed without accumulated rounding, so that each window has its full length.
Time WarmUp::date_of(std::int64_t tick) const {
  const std::int64_t whole = tick / kTicks, rest = tick % kTicks;
  return Time{} + duration_ * whole + duration_ * rest / kTicks;
}

void WarmUp::next_tick() {
  backend_.at(date_of(std::ssize(observed_) + 1), [this] { tick(); });
}

void WarmUp::tick() {
  const std::uint64_t ended = observer_.recorder().ended_cycles();
  observed_.push_back(ended - std::exchange(ended_, ended));
  const std::int64_t now = std::ssize(observed_);
  if (opened_at_ < 0) {
    if (may_open()) open();
  } else if ((now - opened_at_) % kTicksOfBatch == 0) {
    observer_.recorder().batch_ended();
  }
  if (opened_at_ >= 0 && now - opened_at_ == kTicks) {
    const auto window = std::span(observed_).last(kTicks);
    std::vector<std::uint64_t> batches;
    for (std::size_t i = 0; i < kBatches; ++i) {
      std::uint64_t& batch = batches.emplace_back();
      for (const std::uint64_t cycles : window.subspan(i * kTicksOfBatch, kTicksOfBatch))
        batch += cycles;
    }
    over_ = is_steady(batches) || now + kTicks > (kMost + 1) * kTicks;
    if (over_) return backend_.request_stop();
    open();
  }
  next_tick();
}

bool WarmUp::may_open() const {
  const std::int64_t now = std::ssize(observed_);
  if (date_of(now) < Time{} + least_ || now % kLook != 0) return false;
  return now >= kMost * kTicks || mser_5(observed_).has_value();
}

void WarmUp::open() {
  opened_at_ = std::ssize(observed_);
  observer_.measure_anew();
  opens_(backend_.true_now());
}

void WarmUp::give_up() {
  if (opened_at_ < 0) open();
}

}  // namespace latchlab

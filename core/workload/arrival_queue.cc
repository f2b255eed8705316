#include "core/workload/arrival_queue.h"

#include <algorithm>
#include <utility>

#include "core/workload/timing.h"

namespace latchlab {

ArrivalDates::ArrivalDates(Rng rng, Duration mean) : rng_(rng), mean_(mean) {
  advance();
}

ArrivalDates::ArrivalDates(std::vector<ScriptedArrival> script) : script_(std::move(script)) {}

void ArrivalDates::advance() {
  if (mean_.ps > 0)
    at_ = at_ + exponential(rng_, mean_);
  else
    ++index_;
}

ArrivalQueue::ArrivalQueue(ArrivalDates dates, Duration window_start, Duration window)
    : next_(dates),
      ahead_(std::move(dates)),
      start_(window_start),
      middle_(window_start + window / 2),
      end_(window_start + window) {}

void ArrivalQueue::window_opens(Duration start) {
  const Duration length = end_ - start_;
  start_ = start;
  middle_ = start + length / 2;
  end_ = start + length;
  tally_ = {.backlog_max = tally_.backlog_max};
  if (taken_ > 0 && in_window(last_)) tally_.offered = 1;  // taken before it arrives
}

void ArrivalQueue::wait(OpenLoopTally& tally, const ArrivalQueue& queue, Duration from,
                        Duration to) {
  const auto within = [&](Duration begin, Duration end) {
    const Duration length = std::min(to, end) - std::max(from, begin);
    return static_cast<std::uint64_t>(std::max<std::int64_t>(length.ps, 0));
  };
  tally.waited_first_ps += within(queue.start_, queue.middle_);
  tally.waited_second_ps += within(queue.middle_, queue.end_);
}

std::optional<ArrivalQueue::Arrival> ArrivalQueue::take(Duration now) {
  if (next_.over()) return std::nullopt;
  Arrival arrival{next_.at(), std::nullopt};
  if (next_.scripted() != nullptr) arrival.scripted = *next_.scripted();
  for (; !ahead_.over() && ahead_.at() <= now; ahead_.advance()) ++arrived_;
  if (arrived_ > taken_) tally_.backlog_max = std::max(tally_.backlog_max, arrived_ - taken_);
  last_ = arrival.at;
  if (in_window(arrival.at)) ++tally_.offered;
  wait(tally_, *this, arrival.at, std::max(arrival.at, now));
  next_.advance();
  ++taken_;
  if (taken_ > arrived_) {  // taken before it arrives
    ahead_.advance();
    arrived_ = taken_;
  }
  return arrival;
}

OpenLoopTally ArrivalQueue::tally(Duration now) const {
  OpenLoopTally all = tally_;
  std::uint64_t waiting = 0;
  for (ArrivalDates left = next_; !left.over() && left.at() <= now; left.advance()) {
    ++waiting;
    if (in_window(left.at())) ++all.offered;
    wait(all, *this, left.at(), now);
  }
  all.backlog_max = std::max(all.backlog_max, waiting);
  return all;
}

}  // namespace latchlab

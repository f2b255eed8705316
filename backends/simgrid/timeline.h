#pragma once
// The present of the simulated world and its pending events, ordered by (time, actor, sequence).

#include <cstdint>
#include <deque>
#include <functional>
#include <utility>

#include "backends/simgrid/event_queue.h"
#include "core/base/time.h"

namespace latchlab::sim {

class Timeline {
 public:
  Time now() const { return now_; }
  // `date` is not before the present; `actor` orders events of equal dates.
  [[gnu::noinline]] void push(Time date, std::uint32_t actor, EventKind kind, void* subject) {
    queue_.push(date.ps, actor, kind, subject);
  }
  // Runs the action before other events of that date.
  void at(Time date, std::function<void()> action) {
    push(date, 0, EventKind::action, &actions_.emplace_back(std::move(action)));
  }

  // For the event loop.
  bool empty() const { return queue_.empty(); }
  const Event& next() { return queue_.next(); }
  const Event* glimpse() const { return queue_.glimpse(); }
  Event pop() {
    const Event event = queue_.pop();
    now_ = Time{event.time_ps};
    ++events_;
    return event;
  }
  void reach(Time date) { now_ = date; }  // no event is pending before `date`
  std::uint64_t events() const { return events_; }

 private:
  EventQueue queue_;
  Time now_;
  std::uint64_t events_ = 0;
  std::deque<std::function<void()>> actions_;
};

}  // namespace latchlab::sim

#include "backends/simgrid/timeline.h"

#include <utility>

namespace latchlab::sim {

void Timeline::push(Time date, std::uint32_t actor, EventKind kind, void* subject) {
  queue_.push(date.ps, actor, kind, subject);
}

void Timeline::at(Time date, std::function<void()> action) {
  actions_.push_back(std::move(action));
  push(date, 0, EventKind::action, &actions_.back());
}

}  // namespace latchlab::sim

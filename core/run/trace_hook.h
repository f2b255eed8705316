#pragma once
// A passive hook around the backend and the observer of one repeat. It forwards everything and does
// not change what happens or when.

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "core/workload/client_loop.h"
#include "core/world/backend.h"
#include "core/world/world.h"

namespace latchlab {

// The base class observes nothing. The object must outlive the repeat.
class TraceHook {
 public:
  virtual ~TraceHook() = default;
  // The backend to use instead of `inner`, which was made for `plan`.
  virtual std::unique_ptr<Backend> around(std::unique_ptr<Backend> inner,
                                          const WorldPlan& /*plan*/) {
    return inner;
  }
  // The observer to use instead of `inner`, which already receives phase marks.
  virtual LoopObserver& around(LoopObserver& inner, const World& /*world*/) { return inner; }
  // Called after the run; `now` is the true time.
  virtual void ended(Time /*now*/) {}
  // After ended(): what it has to say about the run, for RepeatOutcome::report.
  virtual std::string report() const { return {}; }
};

// Creates the hook for one repeat of a point; null: none. Called in the process that runs the
// repeat.
using TraceHookFactory =
    std::function<std::unique_ptr<TraceHook>(const Point& point, std::uint32_t repeat)>;

}  // namespace latchlab

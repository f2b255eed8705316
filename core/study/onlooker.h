#pragma once
// Somebody who looks on while a repeat runs: stands around the backend and the observer of the
// client loops, hands everything on, and changes nothing in what happens or when.

#include <cstdint>
#include <functional>
#include <memory>

#include "core/workload/client_loop.h"
#include "core/world/backend.h"
#include "core/world/world.h"

namespace latchlab {

// The base version looks at nothing. It outlives the repeat.
class Onlooker {
 public:
  virtual ~Onlooker() = default;
  // The backend to be used in place of `inner`, made for `plan`.
  virtual std::unique_ptr<Backend> around(std::unique_ptr<Backend> inner,
                                          const WorldPlan& /*plan*/) {
    return inner;
  }
  // The observer to be used in place of `inner`, which by then hears of phases.
  virtual LoopObserver& around(LoopObserver& inner, const World& /*world*/) { return inner; }
  // The run is over; `now` is its true date.
  virtual void ended(Time /*now*/) {}
};

// The onlooker of one repeat of a point; null: none. Called in the process that runs it.
using OnlookerFactory =
    std::function<std::unique_ptr<Onlooker>(const Point& point, std::uint32_t repeat)>;

}  // namespace latchlab

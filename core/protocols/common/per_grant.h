#pragma once
// What a client part keeps for each of its grants beyond Grant::words. A client numbers its grants
// with small numbers that it reuses, so this is a short list.

#include <cstddef>
#include <deque>

#include "core/protocols/lock.h"

namespace latchlab {

template <class State>
class PerGrant {
 public:
  // The state that the last grant of this number left; State{} the first time.
  State& operator[](GrantId id) {
    if (id.value >= states_.size()) states_.resize(std::size_t{id.value} + 1);
    return states_[id.value];
  }

 private:
  std::deque<State> states_;  // references outlive growth
};

}  // namespace latchlab

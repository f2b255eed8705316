#pragma once
// What a client part keeps for each of its grants beyond Grant::words. Grants of one client have
// small numbers that are used again, so that this is a short list.

#include <cstddef>
#include <deque>

#include "core/protocols/lock.h"

namespace latchlab {

template <class State>
class PerGrant {
 public:
  // As it was left; State{} the first time.
  State& operator[](GrantId id) {
    if (id.value >= states_.size()) states_.resize(std::size_t{id.value} + 1);
    return states_[id.value];
  }

 private:
  std::deque<State> states_;  // references outlive growth
};

}  // namespace latchlab

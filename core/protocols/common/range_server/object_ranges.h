#pragma once
// The held and waited-for ranges of one object in a server's CPU. No function here waits or answers
// a call: its caller does. Kinds of locks differ in which requests wait for which.
//
//  1. No two holders' ranges share a unit. All are exclusive.
//  2. A waiting request waits for a holder, or for a request that does.

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "core/protocols/common/range_server/request.h"

namespace latchlab::range_server {

class ObjectRanges {
 public:
  using Calls = std::vector<PendingCall>;

  virtual ~ObjectRanges() = default;
  // True: the request holds its range now. False: it waits, and its call is kept.
  virtual bool acquire(const Asked& asked, const PendingCall& call) = 0;
  // Releases the range. Adds to `granted` the calls of the requests that hold their ranges now, in
  // the order in which they are granted. No effect if `who` is no holder.
  virtual void release(const Asker& who, Calls& granted) = 0;
  // Removes a waiting request and returns its call; `granted` as above. None: it does not wait.
  virtual std::optional<PendingCall> withdraw(const Asker& who, Calls& granted) = 0;

  virtual bool holds(const Asker& who) const = 0;
  virtual std::uint64_t holders() const = 0;
  virtual std::uint64_t waiters() const = 0;
  // Steps of searches and changes in the structure since the last call.
  virtual std::uint64_t take_steps() = 0;

  bool empty() const { return holders() + waiters() == 0; }
};

}  // namespace latchlab::range_server

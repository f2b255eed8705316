#pragma once
// The ranges of one object that are held or waited for, as a server's CPU keeps them. Nothing here
// waits or answers: who calls it does. What a kind of lock decides by itself is who waits for whom.
//
//  1. No two holders' ranges have a unit in common. All are exclusive.
//  2. Whoever waits does so for a holder, or for somebody who does.

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
  // True: it holds its range now. False: it waits, and its call is kept.
  virtual bool acquire(const Asked& asked, const PendingCall& call) = 0;
  // No holder any more. Adds to `granted` the calls of those who hold their ranges now, in the
  // order in which they are let in. Of nobody who holds anything: nothing happens.
  virtual void release(const Asker& who, Calls& granted) = 0;
  // Out of the queue: its call, and `granted` as above. None: it does not wait.
  virtual std::optional<PendingCall> withdraw(const Asker& who, Calls& granted) = 0;

  virtual bool holds(const Asker& who) const = 0;
  virtual std::uint64_t holders() const = 0;
  virtual std::uint64_t waiters() const = 0;
  // Steps through the structure that searches and changes have taken since this was last asked.
  virtual std::uint64_t take_steps() = 0;

  bool empty() const { return holders() + waiters() == 0; }
};

}  // namespace latchlab::range_server

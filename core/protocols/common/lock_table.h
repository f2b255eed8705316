#pragma once
// The lock table of a server that manages its locks by CPU: for each lock in use, its holders and
// the calls that wait for it. A lock without holders and waiters takes no memory, so that the table
// is bounded by the clients, not by the locks. No function here waits or answers a call: its caller
// does.
//
//  1. Holders of a lock are one writer, or readers.
//  2. Once `let_next_in` has returned none: if the lock has no holder, no call waits; and the first
//     in the queue conflicts with the holders.

#include <cstdint>
#include <list>
#include <optional>
#include <set>

#include "core/base/lookup.h"
#include "core/protocols/common/served.h"

namespace latchlab::served {

class LockTable {
 public:
  // True: the asker holds the lock now. False if it conflicts with a holder, or a call waits. The
  // same asker twice is one holder.
  bool try_enter(const Asked& asked);
  // Enters as a reader beside readers, before all that wait: each of them is passed once more.
  void pass(const Asked& asked);
  void wait(const Asked& asked, const PendingCall& call);
  // False: the asker is no holder.
  bool leave(const Asked& asked);
  // Removes the asker from the queue, and returns its call. None: it does not wait.
  std::optional<PendingCall> withdraw(const Asked& asked);
  // Makes the first in the queue a holder, unless it conflicts with the holders. Returns its call.
  std::optional<PendingCall> let_next_in(RemoteAddr lock);

  bool holds(const Asked& asked) const;
  struct Waiting {
    bool beside_readers = false;  // the holders are readers
    std::uint64_t passed = 0;     // how often the first in the queue has been passed
  };
  std::optional<Waiting> waiting(RemoteAddr lock) const;  // none: no call waits
  std::uint64_t entry_word_of(RemoteAddr lock) const;
  // What the entry shows: without `show` nothing, and then the table is not searched.
  std::uint64_t shown(bool show, RemoteAddr lock) const { return show ? entry_word_of(lock) : 0; }
  std::size_t locks_in_use() const { return locks_.size(); }

 private:
  struct Waiter {
    PendingCall call;
    std::uint64_t passed = 0;
  };
  struct Lock {
    std::set<Asker> holders;
    bool shared = false;  // the holders' mode
    std::list<Waiter> queue;

    bool admits(LockMode mode) const {
      return holders.empty() || (shared && mode == LockMode::shared);
    }
    void enter(const Asked& asked) {
      holders.insert(asked.who);
      shared = asked.mode == LockMode::shared;
    }
  };

  Lookup<Lock> locks_;  // by their entries' packed addresses
};

}  // namespace latchlab::served

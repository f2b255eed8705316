#pragma once
// The lock table of a server that keeps its locks by CPU: of each lock in use, who holds it and
// whose calls wait for it. A lock that nobody holds or awaits takes no memory, so that the table
// is bounded by the clients, not by the locks. Nothing here waits or answers: who calls it does.
//
//  1. Holders of a lock are one writer, or readers.
//  2. Once `let_next_in` has given all: unless the lock is held, nobody waits; and whoever is first
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
  // Beside whoever holds the lock, and before nobody who waits. The same asker twice is one holder.
  bool try_enter(const Asked& asked);
  // As a reader beside readers, before all who wait: each of them is passed once more.
  void pass(const Asked& asked);
  void wait(const Asked& asked, const PendingCall& call);
  // False: it is no holder.
  bool leave(const Asked& asked);
  // Out of the queue: its call. None: it does not wait.
  std::optional<PendingCall> withdraw(const Asked& asked);
  // Who is first in the queue becomes a holder, unless that conflicts with the others: its call.
  std::optional<PendingCall> let_next_in(RemoteAddr lock);

  bool holds(const Asked& asked) const;
  struct Waiting {
    bool beside_readers = false;  // they hold the lock
    std::uint64_t passed = 0;     // how often who is first in the queue has been passed
  };
  std::optional<Waiting> waiting(RemoteAddr lock) const;  // none: nobody is
  std::uint64_t entry_word_of(RemoteAddr lock) const;
  // What the entry shows of it: nothing unless `show`, and then nobody looks it up.
  std::uint64_t shown(bool show, RemoteAddr lock) const { return show ? entry_word_of(lock) : 0; }
  std::size_t locks_in_use() const { return locks_.size(); }

 private:
  struct Waiter {
    PendingCall call;
    std::uint64_t passed = 0;
  };
  struct Lock {
    std::set<Asker> holders;
    bool shared = false;  // what they are
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

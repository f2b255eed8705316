#pragma once
// Queues of the clients of one node that want the same locks: which clients of the node hold a
// lock, which wait for it, and which is next when one releases it. For locks in two stages: the
// clients of a node queue among themselves, and one of them acquires the lock that all nodes share
// (the global lock) for its node. A node part owns a LocalQueues and uses it in visits only
// (Verbs::on_node). The class posts no verb and notifies no client: its caller does.
//
//   join   `leads`: no client of the node holds or wants the lock. The caller acquires the global
//          lock, and then, where there are readers, calls `admit`.
//          `enters`: a late reader, beside readers of the node that have been admitted, if no
//          client waits here and the caller's rule for late readers allows it.
//          `waits`: until another client of the node tells it that it leads, or that it has the
//          lock.
//   leave  `others_stay`: readers of the node still hold it. The caller does nothing.
//          `handed_on`: `next` holds the lock, and the node keeps the global one. The caller tells
//          it.
//          `must_free`: the caller frees the global lock, and then calls `freed`. Until then the
//          caller counts as a holder, so that clients which join meanwhile wait.
//   freed  returns the client that leads now, if any waits. The caller tells it.
//
//  1. The holders of a lock are one exclusive holder or any number of shared ones.
//  2. No client waits for a lock that has no holder; and a lock without holders takes no memory.
//  3. The global lock is handed over only in the mode in which the node holds it, and only while
//     the caller's rule allows it. Readers that enter beside others are not a handover, but they
//     count as holders: a rule can use either number.
//  4. No reader enters past a client that waits here: a late reader that waits keeps later ones
//     waiting until the next `admit`.

#include <cstdint>
#include <list>
#include <vector>

#include "core/base/inline_function.h"
#include "core/base/lookup.h"
#include "core/base/zero_padding.h"
#include "core/protocols/lock.h"

namespace latchlab {

// The word in which a waiting client is told what it has been given. It is reset by that client.
enum HandoverWord : std::uint64_t {
  kWait = 0,
  kLead = 1,   // it leads its node: it acquires the global lock
  kYours = 2,  // it holds the lock
};

class LocalQueues {
 public:
  struct Waiter {
    ClientId client;
    LockMode mode = LockMode::exclusive;
    ZeroPadding<std::uint8_t, 3> padding = {};
    std::uint64_t since = 0;  // the caller's: when the client asked, if a rule uses it
  };
  // Which client is next: the first that waits, or the first reader if there is one.
  enum class Order : std::uint8_t { as_they_came, readers_first };
  enum class Joined : std::uint64_t { leads, enters, waits };
  enum class Left : std::uint64_t { others_stay, handed_on, must_free };
  struct Exit {
    Left left = Left::others_stay;
    Waiter next = {};
  };
  struct Next {
    bool any = false;
    ZeroPadding<std::uint8_t, 7> padding = {};
    Waiter waiter = {};
  };

  // A client that may get the lock while the node keeps the global one, and what the node has done
  // with the global lock since it acquired it. A rule says whether the client gets the lock: by
  // handover (Stays) or beside readers (Admits). Rules that locks share are below.
  struct Candidate {
    std::uint64_t in_a_row = 0;  // handovers
    std::uint64_t holders = 0;   // clients that have held the lock, the first one included
    Waiter next = {};
  };
  using Rule = InlineFunction<bool(const Candidate&)>;
  using Stays = Rule;
  using Admits = Rule;

  // `late`: which late readers enter. By default all.
  Joined join(LockId lock, const Waiter& who, const Admits& late = always());
  // Would `join` return `enters`?
  bool enters(LockId lock, const Waiter& who, const Admits& late) const;
  Exit leave(LockId lock, const Stays& stays, Order order = Order::as_they_came);
  Next freed(LockId lock, Order order = Order::as_they_came);
  // A reader that leads, or that the lock was handed to, admits waiting readers as long as `admits`
  // allows it: those before the first writer, or all of them (readers_first). They hold the lock,
  // and the caller tells them. From now on late readers may enter, unless a client waits.
  std::vector<ClientId> admit(LockId lock, const Admits& admits, Order order = Order::as_they_came);
  // No late reader enters until the next `admit`.
  void close(LockId lock);

  std::size_t locks_in_use() const { return locks_.size(); }

  // ---- rules: the own clients go first never, always, a number of times, or a number of them ----
  static Rule never() { return at_most(0); }
  static Rule always() { return at_most(~0ULL); }
  static Rule at_most(std::uint64_t in_a_row) {
    return [in_a_row](const Candidate& each) { return each.in_a_row < in_a_row; };
  }
  static Rule at_most_holders(std::uint64_t holders) {
    return [holders](const Candidate& each) { return each.holders < holders; };
  }

 private:
  struct Local {
    std::list<Waiter> waiting;
    std::uint64_t holders = 0;  // at present
    std::uint64_t in_a_row = 0;
    std::uint64_t had_it = 0;             // Candidate::holders
    LockMode mode = LockMode::exclusive;  // of the holders
    bool open = false;                    // for late readers
    ZeroPadding<std::uint8_t, 6> padding = {};

    std::list<Waiter>::iterator first(Order order);
    Candidate candidate(const Waiter& next) const { return {in_a_row, had_it, next}; }
  };
  static Waiter let_in(Local& local, std::list<Waiter>::iterator next);

  Local& held(LockId lock);

  Lookup<Local> locks_;  // those that a client here holds, by number
};

}  // namespace latchlab

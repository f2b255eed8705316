#pragma once
// Clients of one node that want the same locks: who has a lock here, who waits for it, and what
// becomes of it when somebody leaves. For locks in two stages: the clients of a node line up among
// themselves, and one of them gets the lock that all nodes share (the global lock) for its node.
// A node part has one of these and touches it in visits alone (Verbs::on_node). It asks for no
// verb and tells nobody: whoever calls it does.
//
//   join   `leads`: nobody of the node has the lock or waits. The caller gets the global lock, and
//          then, where there are readers, says `admit`.
//          `enters`: a late reader, beside readers of the node that have been admitted, if nobody
//          waits here and the caller's rule for late readers says so.
//          `waits`: until a neighbour tells it that it leads, or that it has the lock.
//   leave  `others_stay`: readers of the node still have it. There is nothing to do.
//          `handed_on`: `next` has the lock, the node keeps the global one. The caller tells it.
//          `must_free`: the caller frees the global lock, and then says `freed`. Until it does it
//          counts as here, so that whoever joins meanwhile waits.
//   freed  who leads now, if anybody waits. The caller tells it.
//
//  1. Of those who have a lock here, either one is exclusive, or all are shared.
//  2. Nobody waits for a lock that nobody has; and a lock that nobody has takes no memory.
//  3. The global lock is handed on only in the mode in which the node has it, and only while the
//     caller's rule says so. Readers who enter beside others are no hand-over, but they count as
//     holders: a rule can go by either number.
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

class LocalQueues {
 public:
  struct Waiter {
    ClientId client;
    LockMode mode = LockMode::exclusive;
    ZeroPadding<std::uint8_t, 3> padding = {};
    std::uint64_t since = 0;  // the caller's own: when it asked, where somebody goes by that
  };
  // Who comes next: the first who waits, or the first reader if there is one.
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

  // A client that may get the lock while the node keeps the global one, and how much the node has
  // done with that since it got it. A rule says whether the client gets the lock: by hand-over
  // (Stays) or beside readers (Admits). Rules that locks share are below.
  struct Candidate {
    std::uint64_t in_a_row = 0;  // hand-overs
    std::uint64_t holders = 0;   // clients that have had the lock, the first one included
    Waiter next = {};
  };
  using Rule = InlineFunction<bool(const Candidate&)>;
  using Stays = Rule;
  using Admits = Rule;

  // `late`: which late readers enter. By default all.
  Joined join(LockId lock, const Waiter& who, const Admits& late = always());
  // Would `join` say `enters`?
  bool enters(LockId lock, const Waiter& who, const Admits& late) const;
  Exit leave(LockId lock, const Stays& stays, Order order = Order::as_they_came);
  Next freed(LockId lock, Order order = Order::as_they_came);
  // A reader who leads, or whom the lock was handed, lets others in: readers who wait, as long as
  // `admits` says so; those before the first writer, or all of them (readers_first). They have the
  // lock, and the caller tells them. From now on late readers may enter, unless somebody waits.
  std::vector<ClientId> admit(LockId lock, const Admits& admits, Order order = Order::as_they_came);
  // No late reader enters until the next `admit`.
  void close(LockId lock);

  std::size_t locks_in_use() const { return locks_.size(); }

  // ---- rules: own clients never come first, always, so often in a row, or so many of them ----
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
    std::uint64_t holders = 0;  // now
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

  Lookup<Local> locks_;  // that somebody here has, by their numbers
};

}  // namespace latchlab

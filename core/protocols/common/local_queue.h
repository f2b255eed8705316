#pragma once
// Clients of one node that want the same locks: who has a lock here, who waits for it, and what
// becomes of it when somebody leaves. For locks in two stages: the clients of a node line up among
// themselves, and one of them gets the lock that all nodes share (the global lock) for its node.
// A node part has one of these and touches it in visits alone (Verbs::on_node). It asks for no
// verb and tells nobody: whoever calls it does.
//
//   join   `leads`: nobody of the node has the lock or waits. The caller gets the global lock, and
//          then, where there are readers, says `admit`.
//          `enters`: a reader beside readers who have been told that others may follow them.
//          `waits`: until a neighbour tells it that it leads, or that it has the lock.
//   leave  `others_stay`: readers of the node still have it. There is nothing to do.
//          `handed_on`: `next` has the lock, the node keeps the global one. The caller tells it.
//          `must_free`: the caller frees the global lock, and then says `freed`. Until it does it
//          counts as here, so that whoever joins meanwhile waits.
//   freed  who leads now, if anybody waits. The caller tells it.
//
//  1. Of those who have a lock here, either one is exclusive, or all are shared.
//  2. Nobody waits for a lock that nobody has; and a lock that nobody has takes no memory.
//  3. The global lock is handed on only in the mode in which the node has it, and while `Stays`
//     says so. Readers who enter beside others are no hand-over: who bounds them does not `admit`.

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

  // May the node keep the global lock for `next`, when it has handed it on so often since it got
  // it? Answers that locks give are below; any other is a function of these.
  struct Handover {
    std::uint64_t in_a_row = 0;
    Waiter next = {};
  };
  using Stays = InlineFunction<bool(const Handover&)>;
  using Admits = InlineFunction<bool(const Waiter&)>;

  Joined join(LockId lock, const Waiter& who);
  Exit leave(LockId lock, const Stays& stays, Order order = Order::as_they_came);
  Next freed(LockId lock, Order order = Order::as_they_came);
  // A reader who leads, or whom the lock was handed, lets others in: readers who wait, as long as
  // `admits` says so; those before the first writer, or all of them (readers_first). They have the
  // lock, and the caller tells them. From now on readers enter as they come, unless somebody waits.
  std::vector<ClientId> admit(LockId lock, const Admits& admits, Order order = Order::as_they_came);
  // Readers enter as they come no longer, until the next `admit`.
  void close(LockId lock);

  std::size_t locks_in_use() const { return locks_.size(); }

  // ---- answers to Stays: own clients never come first, always, or so often in a row ----
  static Stays never() { return at_most(0); }
  static Stays always() { return at_most(~0ULL); }
  static Stays at_most(std::uint64_t in_a_row) {
    return [in_a_row](const Handover& handover) { return handover.in_a_row < in_a_row; };
  }

 private:
  struct Local {
    std::list<Waiter> waiting;
    std::uint64_t holders = 0;
    std::uint64_t in_a_row = 0;
    LockMode mode = LockMode::exclusive;  // of the holders
    bool open = false;                    // for readers, as they come
    ZeroPadding<std::uint8_t, 6> padding = {};

    std::list<Waiter>::iterator first(Order order);
  };
  static Waiter let_in(Local& local, std::list<Waiter>::iterator next);

  Local& held(LockId lock);

  Lookup<Local> locks_;  // that somebody here has, by their numbers
};

}  // namespace latchlab

#include "core/protocols/declock/node.h"

#include "core/base/check.h"
#include "core/base/paths.h"
#include "core/coro/when_all.h"
#include "core/protocols/common/planted.h"

namespace latchlab::declock {

Node::State& Node::state(LockId lock) {
  State* const found = states_.find(lock.value);
  LATCHLAB_CHECK(found != nullptr, "no client here has or wants the lock");
  return *found;
}

Node::Joined Node::join(LockId lock, ClientId client, LockMode mode, Time now) {
  return join_at(lock, client, mode, clock_.time(now), options_.late_readers_look());
}

Node::Joined Node::join_after_look(LockId lock, ClientId client, const Joined& looked,
                                   std::uint64_t since) {
  --state(lock).looking;
  if (since != 0) remote_waits(lock, looked.tenure, since);
  return join_at(lock, client, LockMode::shared, looked.since, false);
}

Node::Joined Node::join_at(LockId lock, ClientId client, LockMode mode, std::uint32_t since,
                           bool may_look) {
  if (options_.reset_ends_transfers && global_.asked(lock)) queues_.close(lock);
  State& state = states_[lock.value];
  const LocalQueues::Waiter who = {client, mode, {}, since};
  const LocalQueues::Admits late = late_readers(state);
  Joined joined;
  joined.since = since;
  joined.tenure = state.tenure;
  joined.held = state.held;
  joined.mode = state.mode;
  joined.remote_known = state.remote != 0;
  if (may_look && state.unlooked >= options_.look_after && queues_.enters(lock, who, late)) {
    joined.looks = true;
    ++state.looking;
    state.unlooked = 0;
    return joined;
  }
  joined.how = queues_.join(lock, who, late);
  if (joined.how == LocalQueues::Joined::enters && may_look) ++state.unlooked;
  return joined;
}

bool Node::outlives(LockId lock, ServerLife life) {
  State* const now = states_.find(lock.value);
  if (now == nullptr || !now->held || cql::life_of_count(now->resets) == life) return false;
  if (PLANTED(declock_hands_over_what_is_gone)) return false;
  now->outlived = true;
  queues_.close(lock);
  return true;
}

void Node::remote_waits(LockId lock, std::uint32_t tenure, std::uint64_t since) {
  State& now = state(lock);
  if (now.tenure != tenure || !now.held) {
    LATCHLAB_PATH("declock: what was prefetched is out of date");
    return;
  }
  const auto time = static_cast<std::uint32_t>(since - 1);
  if (now.remote == 0 || options_.times().earlier(time, static_cast<std::uint32_t>(now.remote - 1)))
    now.remote = since;
}

std::vector<ClientId> Node::took(const Grant& global) {
  State& now = state(global.lock.id);
  now.held = true;
  now.mode = global.mode;
  now.resets = global.words[0];
  now.remote = global.words[1];
  if (now.mode != LockMode::shared) return {};
  return admit(global.lock.id, now);
}

Node::Left Node::leave(LockRef lock) {
  State& now = state(lock.id);
  const LocalQueues::Exit exit =
      queues_.leave(lock.id, stays(lock.id, now), order_of_handover(now.mode));
  Left left;
  left.how = exit.left;
  if (exit.left == LocalQueues::Left::handed_on) {
    left.enter.push_back(exit.next.client);
    if (exit.next.mode != LockMode::shared) return left;
    const std::vector<ClientId> beside = admit(lock.id, now);
    left.enter.insert(left.enter.end(), beside.begin(), beside.end());
  }
  if (exit.left != LocalQueues::Left::must_free) return left;
  left.global.lock = lock;
  left.global.mode = now.mode;
  left.global.words[0] = now.resets;
  now.held = false;
  return left;
}

LocalQueues::Next Node::freed(LockId lock) {
  State& now = state(lock);
  const LocalQueues::Next next = queues_.freed(lock, order_of_lead(now.mode));
  if (!next.any && now.looking == 0)
    states_.erase(lock.value);
  else
    now = State{.tenure = now.tenure + 1, .looking = now.looking};
  return next;
}

LocalQueues::Stays Node::stays(LockId lock, const State& state) const {
  if (state.outlived) {
    LATCHLAB_PATH("declock: the failure of a server ends hand-overs within a node");
    return LocalQueues::never();
  }
  if (options_.reset_ends_transfers && global_.asked(lock)) {
    LATCHLAB_PATH("declock: a reset ends hand-overs within a node");
    return LocalQueues::never();
  }
  return transfers(state);
}

// Which clients of the node may get the lock before other nodes.
LocalQueues::Rule Node::transfers(const State& state) const {
  switch (options_.transfer) {
    case Transfer::local_prefer:
      return LocalQueues::always();
    case Transfer::local_bound: {
      const std::uint64_t most =
          options_.local_bound + (PLANTED(declock_hands_over_once_more) ? 1 : 0);
      return options_.bound_counts == BoundCounts::holders ? LocalQueues::at_most_holders(most)
                                                           : LocalQueues::at_most(most);
    }
    case Transfer::remote_prefer:
      return state.remote == 0 ? LocalQueues::always() : LocalQueues::never();
    case Transfer::timestamp:
      break;
  }
  if (state.remote == 0) return LocalQueues::always();
  const auto remote = static_cast<std::uint32_t>(state.remote - 1);
  return [remote, times = options_.times()](const LocalQueues::Candidate& each) {
    const auto here = static_cast<std::uint32_t>(each.next.since);
    if (PLANTED(declock_compares_without_wrap)) return here <= remote;
    return !times.earlier(remote, here);
  };
}

LocalQueues::Admits Node::late_readers(const State& state) const {
  return options_.late_readers == LateReaders::all ? LocalQueues::always() : transfers(state);
}

// In which order clients of the node are handed the lock that it holds in this mode, if it may
// stay.
LocalQueues::Order Node::order_of_handover(LockMode held) const {
  return options_.readers_first == ReadersFirst::reacquiring ? LocalQueues::Order::as_they_came
                                                             : order_of_lead(held);
}

// In which order clients of the node lead it to acquire the CQL lock, which it held in this mode.
LocalQueues::Order Node::order_of_lead(LockMode held) const {
  const bool turn = held == LockMode::exclusive || options_.readers_first == ReadersFirst::always;
  return options_.fairness == Fairness::phase_fair && turn ? LocalQueues::Order::readers_first
                                                           : LocalQueues::Order::as_they_came;
}

// The waiting readers that enter: all of them; with task_fair by timestamp, those before the first
// writer that asked before other nodes; with local_bound, no more than that.
std::vector<ClientId> Node::admit(LockId lock, const State& state) {
  const bool all = options_.fairness == Fairness::phase_fair;
  const bool by_time = options_.transfer == Transfer::timestamp && !all;
  const bool by_number =
      options_.transfer == Transfer::local_bound && options_.bound_counts == BoundCounts::holders;
  return queues_.admit(lock, by_time || by_number ? transfers(state) : LocalQueues::always(),
                       all ? LocalQueues::Order::readers_first : LocalQueues::Order::as_they_came);
}

Task<void> Node::background(Verbs& verbs) {
  if (options_.clock_sync.ps == 0) {
    co_await global_.background(verbs);
    co_return;
  }
  std::vector<Task<void>> tasks;
  tasks.push_back(global_.background(verbs));
  tasks.push_back(keep_synchronised(verbs, *env_.peers, options_, *this));
  co_await when_all(tasks);
}

}  // namespace latchlab::declock

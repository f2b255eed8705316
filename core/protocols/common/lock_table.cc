#include "core/protocols/common/lock_table.h"

#include <algorithm>

namespace latchlab::served {

bool LockTable::try_enter(const Asked& asked) {
  Lock& lock = locks_[asked.entry.packed()];  // if new, it has a holder afterwards
  if (!lock.queue.empty() || !lock.admits(asked.mode)) return false;
  lock.enter(asked);
  return true;
}

void LockTable::pass(const Asked& asked) {
  Lock& lock = locks_[asked.entry.packed()];
  for (Waiter& waiter : lock.queue) ++waiter.passed;
  lock.enter(asked);
}

void LockTable::wait(const Asked& asked, const PendingCall& call) {
  locks_[asked.entry.packed()].queue.push_back(Waiter{call});
}

bool LockTable::leave(const Asked& asked) {
  Lock* const lock = locks_.find(asked.entry.packed());
  if (lock == nullptr || lock->holders.erase(asked.who) == 0) return false;
  if (lock->holders.empty() && lock->queue.empty()) locks_.erase(asked.entry.packed());
  return true;
}

std::optional<PendingCall> LockTable::withdraw(const Asked& asked) {
  Lock* const lock = locks_.find(asked.entry.packed());
  if (lock == nullptr) return std::nullopt;
  std::list<Waiter>& queue = lock->queue;
  const auto found = std::find_if(queue.begin(), queue.end(), [&](const Waiter& waiter) {
    return unpack(waiter.call.request).who == asked.who;
  });
  if (found == queue.end()) return std::nullopt;
  const PendingCall call = found->call;
  queue.erase(found);  // the lock has a holder and stays in use
  return call;
}

std::optional<PendingCall> LockTable::let_next_in(RemoteAddr lock) {
  Lock* const here = locks_.find(lock.packed());
  if (here == nullptr || here->queue.empty()) return std::nullopt;
  const PendingCall call = here->queue.front().call;
  const Asked asked = unpack(call.request);
  if (!here->admits(asked.mode)) return std::nullopt;
  here->enter(asked);
  here->queue.pop_front();
  return call;
}

bool LockTable::holds(const Asked& asked) const {
  const Lock* const lock = locks_.find(asked.entry.packed());
  return lock != nullptr && lock->holders.count(asked.who) != 0;
}

std::optional<LockTable::Waiting> LockTable::waiting(RemoteAddr lock) const {
  const Lock* const here = locks_.find(lock.packed());
  if (here == nullptr || here->queue.empty()) return std::nullopt;
  return Waiting{here->shared, here->queue.front().passed};
}

std::uint64_t LockTable::entry_word_of(RemoteAddr lock) const {
  const Lock* const here = locks_.find(lock.packed());
  if (here == nullptr) return 0;
  const std::uint64_t holders = here->holders.size();
  return entry_word(here->shared ? 0 : holders, here->shared ? holders : 0, here->queue.size());
}

}  // namespace latchlab::served

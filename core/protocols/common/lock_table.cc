#include "core/protocols/common/lock_table.h"

#include <algorithm>

namespace latchlab::served {

bool LockTable::try_enter(const Asked& asked) {
  Lock& lock = locks_[asked.entry.packed()];  // it has a holder afterwards, if it had none
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
  const auto lock = locks_.find(asked.entry.packed());
  if (lock == locks_.end() || lock->second.holders.erase(asked.who) == 0) return false;
  forget_unused(lock);
  return true;
}

std::optional<PendingCall> LockTable::withdraw(const Asked& asked) {
  const auto lock = locks_.find(asked.entry.packed());
  if (lock == locks_.end()) return std::nullopt;
  std::list<Waiter>& queue = lock->second.queue;
  const auto found = std::find_if(queue.begin(), queue.end(), [&](const Waiter& waiter) {
    return unpack(waiter.call.request).who == asked.who;
  });
  if (found == queue.end()) return std::nullopt;
  const PendingCall call = found->call;
  queue.erase(found);  // somebody holds the lock: it stays in use
  return call;
}

std::vector<PendingCall> LockTable::let_in(RemoteAddr lock) {
  std::vector<PendingCall> entered;
  const auto found = locks_.find(lock.packed());
  if (found == locks_.end()) return entered;
  Lock& here = found->second;
  while (!here.queue.empty()) {
    const PendingCall call = here.queue.front().call;
    const Asked asked = unpack(call.request);
    if (!here.admits(asked.mode)) break;
    here.enter(asked);
    here.queue.pop_front();
    entered.push_back(call);
  }
  return entered;
}

bool LockTable::holds(const Asked& asked) const {
  const auto lock = locks_.find(asked.entry.packed());
  return lock != locks_.end() && lock->second.holders.count(asked.who) != 0;
}

std::optional<LockTable::Waiting> LockTable::waiting(RemoteAddr lock) const {
  const auto found = locks_.find(lock.packed());
  if (found == locks_.end() || found->second.queue.empty()) return std::nullopt;
  const Lock& here = found->second;
  return Waiting{here.shared, here.queue.front().passed};
}

std::uint64_t LockTable::entry_word_of(RemoteAddr lock) const {
  const auto found = locks_.find(lock.packed());
  if (found == locks_.end()) return 0;
  const Lock& here = found->second;
  const std::uint64_t holders = here.holders.size();
  return entry_word(here.shared ? 0 : holders, here.shared ? holders : 0, here.queue.size());
}

}  // namespace latchlab::served

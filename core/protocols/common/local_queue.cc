#include "core/protocols/common/local_queue.h"

#include <algorithm>

#include "core/base/check.h"
#include "core/protocols/common/planted.h"

namespace latchlab {

std::list<LocalQueues::Waiter>::iterator LocalQueues::Local::first(Order order) {
  if (order == Order::as_they_came) return waiting.begin();
  const auto reader = std::find_if(waiting.begin(), waiting.end(), [](const Waiter& each) {
    return each.mode == LockMode::shared;
  });
  return reader == waiting.end() ? waiting.begin() : reader;
}

// At first the client is the only holder.
LocalQueues::Waiter LocalQueues::let_in(Local& local, std::list<Waiter>::iterator next) {
  const Waiter who = *next;
  local.waiting.erase(next);
  local.holders = 1;
  local.mode = who.mode;
  local.open = false;
  return who;
}

LocalQueues::Local& LocalQueues::held(LockId lock) {
  Local* const local = locks_.find(lock.value);
  LATCHLAB_CHECK(local != nullptr, "no client here has the lock");
  return *local;
}

bool LocalQueues::enters(LockId lock, const Waiter& who, const Admits& late) const {
  const Local* const local = locks_.find(lock.value);
  return local != nullptr && local->open && who.mode == LockMode::shared &&
         late(local->candidate(who));
}

LocalQueues::Joined LocalQueues::join(LockId lock, const Waiter& who, const Admits& late) {
  const bool enters_now = enters(lock, who, late);
  Local& local = locks_[lock.value];
  if (local.holders == 0) {
    local.holders = local.had_it = 1;
    local.mode = who.mode;
    return Joined::leads;
  }
  if (enters_now) {
    ++local.holders;
    ++local.had_it;
    return Joined::enters;
  }
  local.open = false;
  local.waiting.push_back(who);
  return Joined::waits;
}

LocalQueues::Exit LocalQueues::leave(LockId lock, const Stays& stays, Order order) {
  Local& local = held(lock);
  if (local.holders > 1) {
    --local.holders;
    return {};
  }
  local.open = false;
  const auto next = local.first(order);
  if (next == local.waiting.end()) return {Left::must_free};
  const bool fits = next->mode == local.mode || PLANTED(common_hands_over_in_any_mode);
  if (!fits) return {Left::must_free};
  if (!stays(local.candidate(*next))) return {Left::must_free};
  ++local.in_a_row;
  ++local.had_it;
  return {Left::handed_on, let_in(local, next)};
}

LocalQueues::Next LocalQueues::freed(LockId lock, Order order) {
  Local& local = held(lock);
  LATCHLAB_CHECK(local.holders == 1, "no holder has left");
  local.in_a_row = 0;
  local.had_it = 1;
  if (local.waiting.empty()) {
    locks_.erase(lock.value);
    return {};
  }
  Next next;
  next.any = true;
  next.waiter = let_in(local, local.first(order));
  return next;
}

std::vector<ClientId> LocalQueues::admit(LockId lock, const Admits& admits, Order order) {
  Local& local = held(lock);
  LATCHLAB_CHECK(local.mode == LockMode::shared, "no client holds beside a writer");
  std::vector<ClientId> entered;
  for (auto each = local.waiting.begin(); each != local.waiting.end();) {
    const bool reads = each->mode == LockMode::shared && admits(local.candidate(*each));
    if (!reads && order == Order::as_they_came) break;
    if (reads) {
      entered.push_back(each->client);
      ++local.had_it;
    }
    each = reads ? local.waiting.erase(each) : std::next(each);
  }
  local.holders += entered.size();
  local.open = local.waiting.empty();  // no reader passes a client that was not admitted
  return entered;
}

void LocalQueues::close(LockId lock) {
  Local* const local = locks_.find(lock.value);
  if (local != nullptr) local->open = false;
}

}  // namespace latchlab

#include "core/checks/safety_monitor.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "core/base/check.h"
#include "core/base/random.h"

namespace latchlab {

namespace {

}  // namespace

SafetyMonitor::SafetyMonitor(std::uint32_t clients, const Clocks& clocks)
    : clocks_(clocks), clients_(clients) {
  table_.resize(64);
}

std::size_t SafetyMonitor::find(LockId lock) const {
  std::size_t at = mix64(lock.value) & (table_.size() - 1);
  while (table_[at].used() && table_[at].lock != lock) at = (at + 1) & (table_.size() - 1);
  return at;
}

SafetyMonitor::LockState& SafetyMonitor::state_of(LockId lock) {
  if (2 * used_ > table_.size()) grow();
  LockState& state = table_[find(lock)];
  if (!state.used()) {
    state.lock = lock;
    ++used_;
  }
  return state;
}

void SafetyMonitor::grow() {
  std::vector<LockState> old(table_.size() * 2);
  std::swap(old, table_);
  for (const LockState& state : old)
    if (state.used()) table_[find(state.lock)] = state;
}

// Removes an unused lock and moves later entries of its run back, so that no gap hides them.
void SafetyMonitor::drop_if_idle(std::size_t index) {
  if (table_[index].used()) return;
  const std::size_t mask = table_.size() - 1;
  --used_;
  std::size_t hole = index;
  for (std::size_t at = (hole + 1) & mask; table_[at].used(); at = (at + 1) & mask) {
    const std::size_t home = mix64(table_[at].lock.value) & mask;
    if (((at - home) & mask) < ((at - hole) & mask)) continue;
    std::swap(table_[hole], table_[at]);
    hole = at;
  }
}

void SafetyMonitor::requested(ClientId client, LockId lock, LockMode mode) {
  ClientState& me = clients_[client.value];
  me.wanted = lock;
  me.mode = mode;
  me.bypassed = 0;
  join_waiting(state_of(lock), client);
}

void SafetyMonitor::join_waiting(LockState& state, ClientId client) {
  ClientState& me = clients_[client.value];
  me.waiting = true;
  me.before = kNobody;
  me.after = state.waiting;
  if (me.after != kNobody) clients_[me.after].before = client.value;
  state.waiting = client.value;
}

void SafetyMonitor::leave_waiting(LockState& state, ClientId client) {
  ClientState& me = clients_[client.value];
  if (!std::exchange(me.waiting, false)) return;
  (me.before != kNobody ? clients_[me.before].after : state.waiting) = me.after;
  if (me.after != kNobody) clients_[me.after].before = me.before;
  me.before = me.after = kNobody;
}

void SafetyMonitor::add_holder(LockState& state, const Holder& holder) {
  if (free_holder_ == kNobody) {
    free_holder_ = static_cast<std::uint32_t>(holders_.size());
    holders_.emplace_back();
  }
  const std::uint32_t at = free_holder_;
  free_holder_ = holders_[at].next;
  holders_[at] = holder;
  holders_[at].next = state.holders;
  state.holders = at;
}

bool SafetyMonitor::remove_holder(LockState& state, ClientId client) {
  std::uint32_t* link = nullptr;  // to the last of the list that is this client's
  for (std::uint32_t* at = &state.holders; *at != kNobody; at = &holders_[*at].next)
    if (holders_[*at].client == client) link = at;
  if (link == nullptr) return false;
  const std::uint32_t removed = *link;
  *link = holders_[removed].next;
  holders_[removed] = {};
  holders_[removed].next = free_holder_;
  free_holder_ = removed;
  return true;
}

void SafetyMonitor::withdrawn(ClientId client) {
  ClientState& me = clients_[client.value];
  if (!me.waiting) return;
  const std::size_t at = find(me.wanted);
  leave_waiting(table_[at], client);
  drop_if_idle(at);
}

void SafetyMonitor::count_bypasses(const LockState& state, ClientId winner, LockMode mode) {
  const auto order_of = [this](ClientId client) {
    const FirstEffect* first = clients_[client.value].first;
    return first == nullptr || first->armed ? ~0ULL : first->order;
  };
  const std::uint64_t order = order_of(winner);
  for (std::uint32_t at = state.waiting; at != kNobody; at = clients_[at].after) {
    const ClientId other{at};
    ClientState& waiting = clients_[at];
    if (other == winner || order_of(other) >= order || compatible(waiting.mode, mode)) continue;
    max_bypassed_ = std::max<std::uint64_t>(max_bypassed_, ++waiting.bypassed);
  }
}

bool SafetyMonitor::granted(ClientId client, const Grant& grant) {
  LockState& state = state_of(grant.lock.id);
  count_bypasses(state, client, grant.mode);
  if (clients_[client.value].wanted == grant.lock.id) leave_waiting(state, client);
  ++counts_.checks;
  bool safe = true;
  for (std::uint32_t at = state.holders; at != kNobody; at = holders_[at].next) {
    const Holder& holder = holders_[at];
    if (compatible(holder.mode, grant.mode)) continue;
    const bool worthless = clocks_.local_now(client) >= grant.valid_until;
    if (worthless || clocks_.local_now(holder.client) >= holder.valid_until) {
      ++counts_.expired_holds;
      clients_[worthless ? client.value : holder.client.value].overtaken = true;
      continue;
    }
    ++counts_.violations;
    if (!std::exchange(safe, false)) continue;  // one conflict is enough to tell
    violation_ = fmt::format("client {} was granted lock {} ({}) while client {} holds it ({})",
                             client.value, grant.lock.id.value, name_of(grant.mode),
                             holder.client.value, name_of(holder.mode));
  }
  add_holder(state, {grant.valid_until, client, kNobody, grant.mode});
  return safe;
}

void SafetyMonitor::releasing(ClientId client, LockId lock) {
  const std::size_t at = find(lock);
  LATCHLAB_CHECK(table_[at].used(), "release of a lock that nobody holds");
  const bool held = remove_holder(table_[at], client);
  LATCHLAB_CHECK(held, "release of a lock that this client does not hold");
  drop_if_idle(at);
}

void SafetyMonitor::released(ClientId client, ReleaseResult result) {
  ClientState& me = clients_[client.value];
  if (std::exchange(me.overtaken, false) && result == ReleaseResult::released)
    ++counts_.late_effects;
}

void SafetyMonitor::crashed(ClientId client) {
  withdrawn(client);
  // Rare, so a scan will do. Erasing may move entries: start over after each.
  for (bool again = true; again;) {
    again = false;
    for (std::size_t at = 0; at < table_.size() && !again; ++at) {
      if (!table_[at].used() || !remove_holder(table_[at], client)) continue;
      drop_if_idle(at);
      again = true;
    }
  }
}

std::uint64_t SafetyMonitor::holders(LockId lock) const {
  std::uint64_t count = 0;
  for (std::uint32_t at = table_[find(lock)].holders; at != kNobody; at = holders_[at].next)
    ++count;
  return count;
}

}  // namespace latchlab

#include "core/checks/safety_monitor.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "core/base/check.h"
#include "core/base/random.h"

namespace latchlab {

namespace {

const char* text(LockMode mode) {
  return mode == LockMode::shared ? "shared" : "exclusive";
}

bool conflict(LockMode a, LockMode b) {
  return a == LockMode::exclusive || b == LockMode::exclusive;
}

}  // namespace

SafetyMonitor::SafetyMonitor(std::uint32_t clients, const Clocks& clocks)
    : clocks_(clocks), clients_(clients) {
  std::size_t size = 64;
  while (size < 4 * static_cast<std::size_t>(clients)) size *= 2;
  table_.resize(size);
}

std::size_t SafetyMonitor::find(LockId lock) const {
  std::size_t at = mix64(lock.value) & (table_.size() - 1);
  while (table_[at].used && table_[at].lock != lock) at = (at + 1) & (table_.size() - 1);
  return at;
}

SafetyMonitor::LockState& SafetyMonitor::state_of(LockId lock) {
  if (2 * used_ > table_.size()) grow();
  LockState& state = table_[find(lock)];
  if (!state.used) {
    state.used = true;
    state.lock = lock;
    ++used_;
  }
  return state;
}

void SafetyMonitor::grow() {
  std::vector<LockState> old(table_.size() * 2);
  std::swap(old, table_);
  for (LockState& state : old)
    if (state.used) table_[find(state.lock)] = std::move(state);
}

// Removes an unused lock and moves later entries of its run back, so that no gap hides them. The
// vectors are swapped, not freed: their room is used again.
void SafetyMonitor::drop_if_idle(std::size_t index) {
  if (!table_[index].holders.empty() || !table_[index].waiting.empty()) return;
  const std::size_t mask = table_.size() - 1;
  table_[index].used = false;
  --used_;
  std::size_t hole = index;
  for (std::size_t at = (hole + 1) & mask; table_[at].used; at = (at + 1) & mask) {
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
  me.waiting = true;
  me.bypassed = 0;
  state_of(lock).waiting.push_back(client);
}

void SafetyMonitor::leave_waiting(LockState& state, ClientId client) {
  std::erase(state.waiting, client);
  clients_[client.value].waiting = false;
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
  for (const ClientId other : state.waiting) {
    ClientState& waiting = clients_[other.value];
    if (other == winner || order_of(other) >= order || !conflict(waiting.mode, mode)) continue;
    max_bypassed_ = std::max(max_bypassed_, ++waiting.bypassed);
  }
}

bool SafetyMonitor::granted(ClientId client, const Grant& grant) {
  LockState& state = state_of(grant.lock.id);
  count_bypasses(state, client, grant.mode);
  leave_waiting(state, client);
  ++counts_.checks;
  bool safe = true;
  for (const Holder& holder : state.holders) {
    if (!conflict(holder.mode, grant.mode)) continue;
    if (clocks_.local_now(holder.client) >= holder.valid_until) {
      ++counts_.expired_holds;
      clients_[holder.client.value].overtaken = true;
      continue;
    }
    safe = false;
    ++counts_.violations;
    violation_ = fmt::format(
        "mutual exclusion: client {} was granted lock {} ({}) while client {} holds it ({})",
        client.value, grant.lock.id.value, text(grant.mode), holder.client.value,
        text(holder.mode));
  }
  state.holders.push_back({client, grant.mode, grant.valid_until});
  return safe;
}

void SafetyMonitor::releasing(ClientId client, LockId lock) {
  const std::size_t at = find(lock);
  LATCHLAB_CHECK(table_[at].used, "release of a lock that nobody holds");
  auto& holders = table_[at].holders;
  const auto mine = std::find_if(holders.begin(), holders.end(),
                                 [&](const Holder& h) { return h.client == client; });
  LATCHLAB_CHECK(mine != holders.end(), "release of a lock that this client does not hold");
  holders.erase(mine);
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
      if (!table_[at].used) continue;
      const std::size_t before = table_[at].holders.size();
      std::erase_if(table_[at].holders, [&](const Holder& h) { return h.client == client; });
      if (table_[at].holders.size() != before) {
        drop_if_idle(at);
        again = true;
      }
    }
  }
}

std::uint64_t SafetyMonitor::holders(LockId lock) const {
  const LockState& state = table_[find(lock)];
  return state.used ? state.holders.size() : 0;
}

}  // namespace latchlab

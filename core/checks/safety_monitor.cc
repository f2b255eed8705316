#include "core/checks/safety_monitor.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "core/base/check.h"

namespace latchlab {

namespace {

// The ids of the locks in use are arbitrary, so that a product spreads them well enough.
std::size_t hash_of_id(LockId lock) {
  return static_cast<std::size_t>(lock.value * 0x9e37'79b9'7f4a'7c15 >> 32);
}

std::string text(const Extent& extent) {
  if (extent.whole()) return {};
  return fmt::format(", {} units from {} on", extent.count, extent.first);
}

}  // namespace

SafetyMonitor::SafetyMonitor(std::uint32_t clients, const Clocks& clocks)
    : clocks_(clocks), clients_(clients) {
  table_.resize(64);
}

std::size_t SafetyMonitor::find(LockId lock) const {
  std::size_t at = hash_of_id(lock) & (table_.size() - 1);
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
    const std::size_t home = hash_of_id(table_[at].lock) & mask;
    if (((at - home) & mask) < ((at - hole) & mask)) continue;
    std::swap(table_[hole], table_[at]);
    hole = at;
  }
}

// ---- claims ----

std::uint32_t SafetyMonitor::new_claim() {
  if (unused_ == kNone) {
    claims_.emplace_back();
    return static_cast<std::uint32_t>(claims_.size() - 1);
  }
  const std::uint32_t at = unused_;
  unused_ = std::exchange(claims_[at].next, kNone);
  return at;
}

void SafetyMonitor::free_claim(std::uint32_t at) {
  Claim& claim = claims_[at];
  claim = {};
  claim.next = unused_;
  unused_ = at;
}

void SafetyMonitor::add_waiting(LockState& state, std::uint32_t at) {
  claims_[at].before = state.last_waiting;
  (state.last_waiting != kNone ? claims_[state.last_waiting].next : state.first_waiting) = at;
  state.last_waiting = at;
}

void SafetyMonitor::remove_waiting(LockState& state, std::uint32_t at) {
  Claim& claim = claims_[at];
  (claim.before != kNone ? claims_[claim.before].next : state.first_waiting) = claim.next;
  (claim.next != kNone ? claims_[claim.next].before : state.last_waiting) = claim.before;
  claim.before = claim.next = kNone;
}

void SafetyMonitor::add_holder(LockState& state, std::uint32_t at) {
  claims_[at].next = state.holders;
  if (state.holders != kNone) claims_[state.holders].before = at;
  state.holders = at;
}

void SafetyMonitor::remove_holder(LockState& state, std::uint32_t at) {
  Claim& claim = claims_[at];
  (claim.before != kNone ? claims_[claim.before].next : state.holders) = claim.next;
  if (claim.next != kNone) claims_[claim.next].before = claim.before;
  claim.before = claim.next = kNone;
}

std::uint32_t SafetyMonitor::grant_of(ClientId client, const Grant& grant) const {
  std::uint32_t at = clients_[client.value].grants;
  while (at != kNone && claims_[at].id != grant.id) at = claims_[at].next_of_client;
  return at;
}

void SafetyMonitor::drop_grant(ClientId client, std::uint32_t at) {
  std::uint32_t* link = &clients_[client.value].grants;
  while (*link != at) link = &claims_[*link].next_of_client;
  *link = claims_[at].next_of_client;
  free_claim(at);
}

// ---- requests ----

void SafetyMonitor::requested(ClientId client, const Want& want) {
  ClientState& me = clients_[client.value];
  const bool again = me.waiting != kNone && me.asked == nullptr &&
                     claims_[me.waiting].lock == want.lock.id &&
                     claims_[me.waiting].mode == want.mode;
  LATCHLAB_CHECK(me.waiting == kNone || again, "a client waits for one lock at a time");
  LATCHLAB_CHECK(want.extent.valid(), "a want of no units, or of more than have numbers");
  me.asked = &want;
}

void SafetyMonitor::first_effect(ClientId client) {
  ClientState& me = clients_[client.value];
  if (me.asked == nullptr || me.waiting != kNone) return;
  me.waiting = new_claim();
  Claim& claim = claims_[me.waiting];
  claim.lock = me.asked->lock.id;
  claim.extent = me.asked->extent;
  claim.mode = me.asked->mode;
  claim.client = client;
  add_waiting(state_of(claim.lock), me.waiting);
}

void SafetyMonitor::withdrawn(ClientId client) {
  ClientState& me = clients_[client.value];
  me.asked = nullptr;
  if (me.waiting == kNone) return;
  const std::size_t at = find(claims_[me.waiting].lock);
  remove_waiting(table_[at], me.waiting);
  free_claim(std::exchange(me.waiting, kNone));
  drop_if_idle(at);
}

// A winner without a known effect (kNone) has bypassed every claim with a known one.
void SafetyMonitor::count_bypasses(const LockState& state, std::uint32_t winner,
                                   const Grant& grant) {
  for (std::uint32_t at = state.first_waiting; at != kNone && at != winner; at = claims_[at].next) {
    Claim& waiting = claims_[at];
    if (!conflict(waiting, grant)) continue;
    max_bypassed_ = std::max<std::uint64_t>(max_bypassed_, ++waiting.bypassed);
  }
}

// ---- grants ----

bool SafetyMonitor::granted(ClientId client, const Grant& grant) {
  LATCHLAB_CHECK(grant.extent.valid(), "a grant of no units, or of more than have numbers");
  ClientState& me = clients_[client.value];
  me.asked = nullptr;
  LockState& state = state_of(grant.lock.id);
  std::uint32_t mine = std::exchange(me.waiting, kNone);
  if (mine != kNone)
    LATCHLAB_CHECK(claims_[mine].lock == grant.lock.id, "a grant of another lock than asked for");
  if (mine != kNone && state.first_waiting == state.last_waiting) {
    state.first_waiting = state.last_waiting = kNone;  // it was the only waiting claim
  } else {
    count_bypasses(state, mine, grant);
    if (mine == kNone)
      mine = new_claim();
    else
      remove_waiting(state, mine);
  }
  Claim& claim = claims_[mine];
  claim.lock = grant.lock.id;
  claim.extent = grant.extent;
  claim.valid_until = grant.valid_until;
  claim.client = client;
  claim.id = grant.id;
  claim.bypassed = 0;
  claim.mode = grant.mode;
  claim.next_of_client = std::exchange(me.grants, mine);
  ++counts_.checks;
  const bool alone = state.holders == kNone || is_alone(state, mine);
  add_holder(state, mine);
  return alone;
}

// Compares a grant with all others of its lock.
bool SafetyMonitor::is_alone(const LockState& state, std::uint32_t mine) {
  Claim& me = claims_[mine];
  bool safe = true;
  for (std::uint32_t at = state.holders; at != kNone; at = claims_[at].next) {
    Claim& holder = claims_[at];
    if (at == mine || !conflict(holder, me)) continue;
    const bool worthless = clocks_.local_now(me.client) >= me.valid_until;
    if (worthless || clocks_.local_now(holder.client) >= holder.valid_until) {
      ++counts_.expired_holds;
      (worthless ? me : holder).overtaken = true;
      continue;
    }
    ++counts_.violations;
    if (std::exchange(safe, false)) tell(me, holder);  // describes one conflict only
  }
  return safe;
}

void SafetyMonitor::tell(const Claim& mine, const Claim& holder) {
  violation_ =
      fmt::format("client {} was granted lock {} ({}{}) while client {} holds it ({}{})",
                  mine.client.value, mine.lock.value, name_of(mine.mode), text(mine.extent),
                  holder.client.value, name_of(holder.mode), text(holder.extent));
}

bool SafetyMonitor::upgraded(ClientId client, const Grant& grant) {
  return changed(client, grant);
}
bool SafetyMonitor::extended(ClientId client, const Grant& grant) {
  return changed(client, grant);
}

bool SafetyMonitor::changed(ClientId client, const Grant& grant) {
  const std::uint32_t mine = grant_of(client, grant);
  LATCHLAB_CHECK(mine != kNone, "a grant changed that this client does not have");
  Claim& claim = claims_[mine];
  if (std::exchange(claim.overtaken, false)) ++counts_.late_effects;
  claim.extent = grant.extent;
  claim.valid_until = grant.valid_until;
  claim.mode = grant.mode;
  ++counts_.checks;
  return is_alone(table_[find(claim.lock)], mine);
}

void SafetyMonitor::releasing(ClientId client, const Grant& grant) {
  const std::uint32_t mine = grant_of(client, grant);
  LATCHLAB_CHECK(mine != kNone, "release of a lock that this client does not hold");
  const std::size_t at = find(claims_[mine].lock);
  remove_holder(table_[at], mine);
  drop_if_idle(at);
  if (!claims_[mine].overtaken) drop_grant(client, mine);
}

void SafetyMonitor::released(ClientId client, const Grant& grant, ReleaseResult result) {
  const std::uint32_t mine = grant_of(client, grant);
  if (mine == kNone) return;
  if (result == ReleaseResult::released) ++counts_.late_effects;
  drop_grant(client, mine);
}

void SafetyMonitor::forgotten(ClientId client, const Grant& grant) {
  releasing(client, grant);
  released(client, grant, ReleaseResult::suppressed);
}

void SafetyMonitor::crashed(ClientId client) {
  withdrawn(client);
  for (std::uint32_t& mine = clients_[client.value].grants; mine != kNone;) {
    const std::size_t at = find(claims_[mine].lock);
    // A claim in release is in no list any more, and the only claim of a list has no links.
    if (claims_[mine].before != kNone || table_[at].holders == mine) {
      remove_holder(table_[at], mine);
      drop_if_idle(at);
    }
    drop_grant(client, mine);
  }
}

std::uint64_t SafetyMonitor::holders(LockId lock) const {
  std::uint64_t count = 0;
  for (std::uint32_t at = table_[find(lock)].holders; at != kNone; at = claims_[at].next) ++count;
  return count;
}

}  // namespace latchlab

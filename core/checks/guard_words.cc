#include "core/checks/guard_words.h"

#include <utility>

#include "core/base/check.h"
#include "core/base/random.h"

namespace latchlab {
namespace {

constexpr std::uint64_t kSampledOneIn = 16;

std::uint64_t amount_of(LockMode mode) {
  if (mode == LockMode::exclusive) return kGuardWriter;
  return mode == LockMode::update ? kGuardUpdater : kGuardReader;
}

// Who may be inside already when somebody enters in this mode: fewer than this.
std::uint64_t limit_for(LockMode mode) {
  if (mode == LockMode::exclusive) return kGuardReader;
  return mode == LockMode::update ? kGuardUpdater : kGuardWriter;
}

GuardState state_of(const GuardSlot& slot) {
  return static_cast<GuardState>(slot.state.load(std::memory_order_acquire));
}

void go_to(GuardSlot& slot, GuardState state) {
  slot.state.store(static_cast<std::uint64_t>(state), std::memory_order_release);
}

}  // namespace

std::vector<LeftInside> what_is_left(std::span<const GuardRecord> journal) {
  std::vector<LeftInside> left;
  for (std::size_t i = 0; i < journal.size(); ++i) {
    for (const GuardSlot& slot : journal[i].slots) {
      const GuardState state = state_of(slot);
      if (state == GuardState::idle) continue;
      left.push_back({ClientId{static_cast<std::uint32_t>(i)},
                      LockId{slot.lock.load(std::memory_order_relaxed)},
                      slot.amount.load(std::memory_order_relaxed), state == GuardState::inside});
    }
  }
  return left;
}

bool GuardedLocks::has(LockId lock) const {
  if (mode_ != GuardMode::sampled) return mode_ == GuardMode::on;
  return hash_of(seed_, lock.value) % kSampledOneIn == 0;
}

Guard::Guard(GuardedLocks locks, WordOf word_of, std::span<GuardRecord> journal)
    : locks_(locks), word_of_(std::move(word_of)), journal_(journal) {}

// The old value; none: the verb failed.
Task<std::optional<std::uint64_t>> Guard::add(Verbs& verbs, LockId lock, std::uint64_t amount) {
  const RemoteAddr word = word_of_(lock);
  const Completion done = co_await verbs.fetch_add(word, amount);
  --verbs.tally().verbs[static_cast<std::size_t>(VerbKind::faa)][ActorTally::width_index(8)];
  if (done.status == VerbStatus::ok) co_return done.value.lo;
  unguarded_.insert(lock.value);
  co_return std::nullopt;
}

bool Guard::guards(const Grant& grant) const {
  return grant.extent.whole() && grant.id.value < kGuardedGrants && locks_.has(grant.lock.id);
}

Task<void> Guard::enter(Verbs& verbs, const Grant& grant) {
  const LockId lock = grant.lock.id;
  if (!guards(grant) || unguarded_.count(lock.value) != 0) co_return;
  GuardSlot& slot = slot_of(verbs.client(), grant);
  LATCHLAB_CHECK(state_of(slot) == GuardState::idle, "a client entered twice with one grant");
  const std::uint64_t amount = amount_of(grant.mode);
  slot.lock.store(lock.value, std::memory_order_relaxed);
  slot.amount.store(amount, std::memory_order_relaxed);
  go_to(slot, GuardState::entering);
  const std::optional<std::uint64_t> before = co_await add(verbs, lock, amount);
  go_to(slot, before ? GuardState::inside : GuardState::idle);
  if (before) look(verbs.client(), grant, *before);
}

Task<void> Guard::upgrade(Verbs& verbs, const Grant& grant) {
  if (!guards(grant)) co_return;
  GuardSlot& slot = slot_of(verbs.client(), grant);
  if (state_of(slot) != GuardState::inside) co_return;
  const std::uint64_t mine = slot.amount.load(std::memory_order_relaxed);
  const std::uint64_t amount = amount_of(grant.mode);
  go_to(slot, GuardState::entering);
  const std::optional<std::uint64_t> before = co_await add(verbs, grant.lock.id, amount - mine);
  slot.amount.store(amount, std::memory_order_relaxed);
  go_to(slot, before ? GuardState::inside : GuardState::idle);
  if (before) look(verbs.client(), grant, *before - mine);
}

Task<void> Guard::leave(Verbs& verbs, const Grant& grant) {
  const LockId lock = grant.lock.id;
  if (!guards(grant)) co_return;
  GuardSlot& slot = slot_of(verbs.client(), grant);
  if (state_of(slot) != GuardState::inside) co_return;
  const std::uint64_t amount = slot.amount.load(std::memory_order_relaxed);
  go_to(slot, GuardState::leaving);
  co_await add(verbs, lock, ~amount + 1);
  go_to(slot, GuardState::idle);
  if (grant.valid_until != kNever && verbs.now() >= grant.valid_until) expired_.insert(lock.value);
}

void Guard::look(ClientId client, const Grant& grant, std::uint64_t word) {
  ++checks_;
  if (word < limit_for(grant.mode)) return;
  const std::uint64_t lock = grant.lock.id.value;
  const auto [known, is_new] =
      conflicts_.try_emplace(lock, GuardConflict{lock, client.value, grant.mode, word, 1});
  if (!is_new) ++known->second.times;
}

void Guard::crashed(ClientId client) {
  for (const GuardSlot& slot : journal_[client.value].slots)
    if (state_of(slot) != GuardState::idle)
      unguarded_.insert(slot.lock.load(std::memory_order_relaxed));
}

GuardFindings Guard::findings() const {
  GuardFindings findings;
  findings.guarded = true;
  findings.checks = checks_;
  for (const auto& [lock, conflict] : conflicts_) findings.conflicts.push_back(conflict);
  findings.expired.assign(expired_.begin(), expired_.end());
  findings.unguarded.assign(unguarded_.begin(), unguarded_.end());
  return findings;
}

}  // namespace latchlab

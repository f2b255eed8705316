#include "core/checks/guard_words.h"

#include <utility>

#include "core/base/check.h"
#include "core/base/random.h"

namespace latchlab {
namespace {

constexpr std::uint64_t kSampledOneIn = 16;
constexpr std::uint64_t kOffsets = 0x756e'6974'73;  // separates their seed from others

std::uint64_t amount_of(LockMode mode) {
  if (mode == LockMode::exclusive) return kGuardWriter;
  return mode == LockMode::update ? kGuardUpdater : kGuardReader;
}

// A word at or above this value conflicts with a grant in this mode.
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

std::uint64_t GuardedLocks::offset_of(LockId lock) const {
  return hash_of(seed_, lock.value, kOffsets);
}

Guard::Guard(GuardedLocks locks, WordOf word_of, std::span<GuardRecord> journal,
             std::uint32_t slots)
    : locks_(locks), word_of_(std::move(word_of)), journal_(journal), slots_(slots) {}

// Returns the old value; none: the verb failed.
Task<std::optional<std::uint64_t>> Guard::add(Verbs& verbs, LockId lock, RemoteAddr word,
                                              std::uint64_t amount) {
  const Completion done = co_await verbs.fetch_add(word, amount);
  --verbs.tally().verbs[static_cast<std::size_t>(VerbKind::faa)][ActorTally::width_index(8)];
  if (done.status == VerbStatus::ok) co_return done.value.lo;
  unguarded_.insert(lock.value);
  co_return std::nullopt;
}

bool Guard::guards(const Grant& grant) const {
  const Extent& extent = grant.extent;
  const bool in_words = extent.whole() || (slots_ > 0 && extent.first < kGuardedUnitsEnd &&
                                           extent.count <= kGuardedUnitsEnd - extent.first);
  return in_words && grant.id.value < kGuardedGrants && locks_.has(grant.lock.id);
}

Task<void> Guard::enter(Verbs& verbs, const Grant& grant) {
  const LockId lock = grant.lock.id;
  if (!guards(grant) || unguarded_.count(lock.value) != 0) co_return;
  GuardSlot& slot = slot_of(verbs.client(), grant);
  LATCHLAB_CHECK(state_of(slot) == GuardState::idle, "a client entered twice with one grant");
  if (!grant.extent.whole()) {
    co_await enter_part(verbs, grant);
    co_return;
  }
  const std::uint64_t amount = amount_of(grant.mode);
  slot.lock.store(lock.value, std::memory_order_relaxed);
  slot.amount.store(amount, std::memory_order_relaxed);
  go_to(slot, GuardState::entering);
  const std::optional<std::uint64_t> before = co_await add(verbs, lock, word_of_(lock), amount);
  go_to(slot, before ? GuardState::inside : GuardState::idle);
  if (before) look(verbs.client(), grant, *before);
}

Task<void> Guard::upgrade(Verbs& verbs, const Grant& grant) {
  if (!guards(grant)) co_return;
  GuardSlot& slot = slot_of(verbs.client(), grant);
  if (state_of(slot) == GuardState::in_part) co_await upgrade_part(verbs, grant);
  if (state_of(slot) != GuardState::inside) co_return;
  const std::uint64_t mine = slot.amount.load(std::memory_order_relaxed);
  const std::uint64_t amount = amount_of(grant.mode);
  go_to(slot, GuardState::entering);
  const std::optional<std::uint64_t> before =
      co_await add(verbs, grant.lock.id, word_of_(grant.lock.id), amount - mine);
  slot.amount.store(amount, std::memory_order_relaxed);
  go_to(slot, before ? GuardState::inside : GuardState::idle);
  if (before) look(verbs.client(), grant, *before - mine);
}

Task<void> Guard::leave(Verbs& verbs, const Grant& grant) {
  const LockId lock = grant.lock.id;
  if (!guards(grant)) co_return;
  GuardSlot& slot = slot_of(verbs.client(), grant);
  if (state_of(slot) == GuardState::in_part) {
    co_await leave_part(verbs, grant);
  } else if (state_of(slot) == GuardState::inside) {
    const std::uint64_t amount = slot.amount.load(std::memory_order_relaxed);
    go_to(slot, GuardState::leaving);
    co_await add(verbs, lock, word_of_(lock), ~amount + 1);
  } else {
    co_return;
  }
  go_to(slot, GuardState::idle);
  if (grant.valid_until != kNever && verbs.now() >= grant.valid_until) expired_.insert(lock.value);
}

// ---- parts ----

RemoteAddr Guard::word_of_unit(LockId lock, std::uint64_t unit) const {
  return word_of_(lock) + 8 * (1 + std::uint64_t{guard_slot(unit, slots_)});
}

// Returns the unit's holders before; none: this client is not counted.
Task<std::optional<std::uint64_t>> Guard::claim(Verbs& verbs, const Grant& grant,
                                                std::uint64_t unit) {
  constexpr int kTries = 16;  // if other clients change the same word
  const RemoteAddr word = word_of_unit(grant.lock.id, unit);
  Completion seen = co_await verbs.read(word);
  --verbs.tally().verbs[static_cast<std::size_t>(VerbKind::read)][ActorTally::width_index(8)];
  for (int i = 0; i < kTries && seen.status == VerbStatus::ok; ++i) {
    const std::uint64_t before = seen.value.lo;
    const std::optional<std::uint64_t> after = with_one_more(before, unit, grant.mode);
    if (!after) co_return std::nullopt;
    seen = co_await verbs.compare_swap(word, before, *after);
    --verbs.tally().verbs[static_cast<std::size_t>(VerbKind::cas)][ActorTally::width_index(8)];
    if (seen.status != VerbStatus::ok) break;
    if (seen.value.lo == before) co_return inside_unit(before, unit);
    --verbs.tally().mismatched;
  }
  if (seen.status != VerbStatus::ok) unguarded_.insert(grant.lock.id.value);
  co_return std::nullopt;
}

// A conflict is recorded once, whatever the number of units.
Task<void> Guard::enter_part(Verbs& verbs, const Grant& grant) {
  GuardSlot& slot = slot_of(verbs.client(), grant);
  slot.lock.store(grant.lock.id.value, std::memory_order_relaxed);
  slot.amount.store(unit_amount(grant.mode), std::memory_order_relaxed);
  go_to(slot, GuardState::in_part);
  const GuardedUnits wanted = guarded_units(grant.extent, locks_.offset_of(grant.lock.id));
  Part& part = part_of(verbs.client(), grant);
  part = {{}, grant.mode};
  std::uint64_t others = 0;
  for (std::uint32_t i = 0; i < wanted.count; ++i) {
    const std::uint64_t unit = wanted.units[i];
    const std::optional<std::uint64_t> inside = co_await claim(verbs, grant, unit);
    if (!inside) continue;
    part.in.units[part.in.count++] = unit;
    if (others < limit_for(grant.mode)) others = *inside;
  }
  if (part.in.count > 0) look(verbs.client(), grant, others);
}

Task<void> Guard::upgrade_part(Verbs& verbs, const Grant& grant) {
  Part& part = part_of(verbs.client(), grant);
  const std::uint64_t mine = unit_amount(std::exchange(part.mode, grant.mode));
  std::uint64_t others = 0;
  for (std::uint32_t i = 0; i < part.in.count; ++i) {
    const std::uint64_t unit = part.in.units[i];
    const RemoteAddr word = word_of_unit(grant.lock.id, unit);
    const std::optional<std::uint64_t> before =
        co_await add(verbs, grant.lock.id, word, unit_amount(grant.mode) - mine);
    if (before && others < limit_for(grant.mode)) others = inside_unit(*before - mine, unit);
  }
  if (part.in.count > 0) look(verbs.client(), grant, others);
}

Task<void> Guard::leave_part(Verbs& verbs, const Grant& grant) {
  const Part& part = part_of(verbs.client(), grant);
  for (std::uint32_t i = 0; i < part.in.count; ++i)
    co_await add(verbs, grant.lock.id, word_of_unit(grant.lock.id, part.in.units[i]),
                 ~unit_amount(part.mode) + 1);
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

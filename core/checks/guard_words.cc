#include "core/checks/guard_words.h"

#include <utility>

#include "core/base/check.h"
#include "core/base/random.h"

namespace latchlab {
namespace {

constexpr std::uint64_t kWriter = 1ULL << 32;
constexpr std::uint64_t kSampledOneIn = 16;

std::uint64_t amount_of(LockMode mode) {
  return mode == LockMode::exclusive ? kWriter : 1;
}

GuardState state_of(const GuardRecord& record) {
  return static_cast<GuardState>(record.state.load(std::memory_order_acquire));
}

void go_to(GuardRecord& record, GuardState state) {
  record.state.store(static_cast<std::uint64_t>(state), std::memory_order_release);
}

}  // namespace

std::vector<LeftInside> what_is_left(std::span<const GuardRecord> journal) {
  std::vector<LeftInside> left;
  for (std::size_t i = 0; i < journal.size(); ++i) {
    const GuardState state = state_of(journal[i]);
    if (state == GuardState::idle) continue;
    left.push_back({ClientId{static_cast<std::uint32_t>(i)},
                    LockId{journal[i].lock.load(std::memory_order_relaxed)},
                    journal[i].amount.load(std::memory_order_relaxed),
                    state == GuardState::inside});
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

Task<void> Guard::enter(Verbs& verbs, const Grant& grant) {
  const LockId lock = grant.lock.id;
  if (!guards(lock)) co_return;
  GuardRecord& record = journal_[verbs.client().value];
  LATCHLAB_CHECK(state_of(record) == GuardState::idle, "a client guards one lock at a time");
  const std::uint64_t amount = amount_of(grant.mode);
  record.lock.store(lock.value, std::memory_order_relaxed);
  record.amount.store(amount, std::memory_order_relaxed);
  go_to(record, GuardState::entering);
  const std::optional<std::uint64_t> before = co_await add(verbs, lock, amount);
  go_to(record, before ? GuardState::inside : GuardState::idle);
  if (before) look(verbs.client(), grant, *before);
}

Task<void> Guard::leave(Verbs& verbs, const Grant& grant) {
  const LockId lock = grant.lock.id;
  GuardRecord& record = journal_[verbs.client().value];
  if (state_of(record) != GuardState::inside) co_return;
  const std::uint64_t amount = amount_of(grant.mode);
  go_to(record, GuardState::leaving);
  co_await add(verbs, lock, ~amount + 1);
  go_to(record, GuardState::idle);
  if (grant.valid_until != kNever && verbs.now() >= grant.valid_until) expired_.insert(lock.value);
}

void Guard::look(ClientId client, const Grant& grant, std::uint64_t word) {
  ++checks_;
  const bool exclusive = grant.mode == LockMode::exclusive;
  if (exclusive ? word == 0 : word < kWriter) return;
  const std::uint64_t lock = grant.lock.id.value;
  const auto [known, is_new] =
      conflicts_.try_emplace(lock, GuardConflict{lock, client.value, exclusive, word, 1});
  if (!is_new) ++known->second.times;
}

void Guard::crashed(ClientId client) {
  const GuardRecord& record = journal_[client.value];
  if (state_of(record) != GuardState::idle)
    unguarded_.insert(record.lock.load(std::memory_order_relaxed));
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

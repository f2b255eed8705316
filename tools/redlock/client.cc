#include "tools/redlock/client.h"

#include <algorithm>

namespace latchlab::bank {

void Branch::fail(const std::string& why) {
  const std::lock_guard guard(mutex_);
  if (failure_.empty()) failure_ = why;
  stop();
}

std::string Branch::failure() const {
  const std::lock_guard guard(mutex_);
  return failure_;
}

Client::Client(const ClientParts& parts, Branch& branch)
    : parts_(parts),
      branch_(branch),
      mix_(branch.ledger().accounts(), Rng(parts.seed, parts.id.value, StreamPurpose::keys).next()),
      recorder_(parts.clients, {parts.id}, branch.window_start(), branch.window()) {}

// Called between two cycles.
void Client::border(Time now) {
  const std::uint64_t before = recorder_.counted_cycles();
  recorder_.next_cycle(parts_.id, now);
  if (parts_.verbs == nullptr) return;
  ActorTally& tally = parts_.verbs->tally();
  if (recorder_.counted_cycles() != before) verbs_ += tally;
  tally = {};
}

Task<void> Client::run() {
  for (;;) {
    const Time now = parts_.place->now();
    border(now);
    if (now >= branch_.end() || branch_.stopped()) co_return;
    const Transaction next = mix_.next();
    co_await transact(next);
  }
}

Task<void> Client::transact(Transaction transaction) {
  const bool locks = transaction.kind != Kind::balance || branch_.balance_locks();
  for (;;) {
    Used used = Used::over;
    const bool locked = !locks || co_await lock(transaction.rows);
    if (locked) used = co_await use(transaction);
    co_await unlock();
    if (used != Used::over || branch_.stopped()) co_return;
  }
}

bool Client::grants_over() const {
  const Time now = parts_.place->now();
  return std::any_of(held_.begin(), held_.end(),
                     [now](const Grant& grant) { return now >= grant.valid_until; });
}

Task<bool> Client::lock(Rows rows) {
  for (const LockId row : rows) {
    const LockRef ref = parts_.peers != nullptr ? parts_.peers->lock(row) : LockRef{row, {}};
    const GrantId id{static_cast<std::uint32_t>(held_.size())};
    const Want want(ref, LockMode::exclusive, Extent{}, id);
    const AcquireOptions options;
    const Time begun = parts_.place->now();
    const AcquireResult result = co_await parts_.locks->acquire(want, options);
    const Time now = parts_.place->now();
    if (const Grant* const grant = std::get_if<Grant>(&result)) {
      held_.push_back(*grant);
      recorder_.acquired(now, now - begun, false, row);
    } else {
      if (recorder_.counts(now)) ++aborted_;
      const AbortReason why = std::get<Aborted>(result).reason;
      if (why == AbortReason::server_failed) branch_.fail("a lock's server does not answer");
      if (why == AbortReason::unsupported) branch_.fail("the lock refuses exclusive acquisitions");
      co_return false;
    }
  }
  co_return true;
}

Task<Client::Used> Client::use(Transaction transaction) {
  const Rows& rows = transaction.rows;
  Ledger& ledger = branch_.ledger();
  const auto read = co_await ledger.read(*parts_.redis, rows);
  if (!read) {
    branch_.fail(read.error().text());
    co_return Used::failed;
  }
  std::vector<std::int64_t> balances = read.value();
  const Applied applied = apply(transaction, ledger.accounts(), balances);
  if (grants_over()) {  // another client may hold the locks and may already have changed the rows
    if (recorder_.counts(parts_.place->now())) ++over_;
    co_return Used::over;
  }
  if (!applied.changes) co_return Used::done;
  const Status written = co_await ledger.write(*parts_.redis, rows, balances);
  if (!written) {
    branch_.fail(written.error().text());
    co_return Used::failed;
  }
  for (std::size_t i = 0; i < rows.size(); ++i)
    ledger.changed(rows[i], balances[i] - read.value()[i]);
  outside_ += applied.outside;
  co_return Used::done;
}

Task<void> Client::unlock() {
  for (; !held_.empty(); held_.pop_back()) {
    const Grant grant = held_.back();
    const Time begun = parts_.place->now();
    co_await parts_.locks->release(grant);
    const Time now = parts_.place->now();
    recorder_.released(now, now - begun);
  }
}

PartialMetrics Client::share() const {
  PartialMetrics share;
  recorder_.write_to(share);
  share.live_clients = 1;
  share.cycle_verbs = verbs_;
  share.aborted = aborted_;
  share.expired_holds = over_;
  share.ended_ps = static_cast<std::uint64_t>(parts_.place->now().ps);
  return share;
}

}  // namespace latchlab::bank

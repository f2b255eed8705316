#include "tools/redlock/ledger.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>

#include "core/workload/transactions/smallbank.h"

namespace latchlab::bank {

namespace {

// Initial balances are uniform in this range.
constexpr std::uint64_t kLeast = 10'000;
constexpr std::uint64_t kMost = 50'000;
constexpr std::uint64_t kAtOnce = 1'000;  // rows per command

std::optional<std::int64_t> whole(const std::string& text) {
  std::int64_t value = 0;
  const auto [end, wrong] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (wrong != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

Rows some_rows(std::uint64_t first, std::uint64_t end) {
  Rows rows;
  for (std::uint64_t row = first; row < std::min(first + kAtOnce, end); ++row)
    rows.push_back(LockId{row});
  return rows;
}

}  // namespace

Ledger::Ledger(std::uint64_t accounts, std::uint64_t seed)
    : accounts_(accounts), should_be_(new std::atomic<std::int64_t>[2 * accounts]) {
  Rng rng(seed);
  for (std::uint64_t row = 0; row < rows(); ++row) {
    const auto balance = static_cast<std::int64_t>(kLeast + rng.below(kMost - kLeast + 1));
    should_be_[row].store(balance, std::memory_order_relaxed);
    start_ += balance;
  }
}

Status Ledger::load(Connection& redis) {
  for (std::uint64_t first = 0; first < rows(); first += kAtOnce) {
    const Rows some = some_rows(first, rows());
    std::vector<std::int64_t> balances;
    for (const LockId row : some) balances.push_back(should_be_[row.value].load());
    if (Status written = run_here(write(redis, some, balances)); !written) return written;
  }
  return fine();
}

Task<Result<std::vector<std::int64_t>>> Ledger::read(Connection& redis, Rows rows) const {
  std::vector<std::string> words = {"MGET"};
  for (const LockId row : rows) words.push_back(name_of_row(row, accounts_));
  const auto reply = co_await redis.command(words);
  if (!reply) co_return reply.error();
  std::vector<std::int64_t> balances;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Reply& value = reply.value().parts.at(i);
    const auto balance = whole(value.text);
    if (value.missing)
      co_return Error{fmt::format("unknown account: there is no {} in Redis", words[i + 1]), {}};
    if (!balance)
      co_return Error{fmt::format("{} in Redis is '{}', and no amount", words[i + 1], value.text),
                      {}};
    balances.push_back(*balance);
  }
  co_return balances;
}

Task<Status> Ledger::write(Connection& redis, Rows rows, std::vector<std::int64_t> balances) const {
  std::vector<std::string> words = {"MSET"};
  for (std::size_t i = 0; i < rows.size(); ++i) {
    words.push_back(name_of_row(rows[i], accounts_));
    words.push_back(std::to_string(balances[i]));
  }
  const auto reply = co_await redis.command(words);
  if (!reply) co_return reply.error();
  co_return fine();
}

Result<Audit> Ledger::audit(Connection& redis, std::int64_t outside) const {
  Audit audit;
  std::int64_t total = 0;
  std::string first_wrong;
  for (std::uint64_t first = 0; first < rows(); first += kAtOnce) {
    const Rows some = some_rows(first, rows());
    const auto found = run_here(read(redis, some));
    if (!found) return found.error();
    for (std::size_t i = 0; i < some.size(); ++i) {
      const std::int64_t is = found.value()[i];
      const std::int64_t should = should_be_[some[i].value].load();
      total += is;
      ++audit.rows;
      if (is == should) continue;
      if (audit.wrong++ == 0)
        first_wrong = fmt::format("{} has {} and should have {}", name_of_row(some[i], accounts_),
                                  is, should);
    }
  }
  if (audit.wrong > 0)
    audit.violation = fmt::format("updates were lost: {} of {} rows are wrong, the first: {}; ",
                                  audit.wrong, audit.rows, first_wrong);
  if (audit.wrong > 0 || total != start_ + outside)
    audit.violation += fmt::format(
        "the bank has {} in all, from {} and {} brought in, which makes "
        "{}",
        total, start_, outside, start_ + outside);
  return audit;
}

namespace {

constexpr std::uint64_t kLargest = 1'000;  // largest amount

}  // namespace

Mix::Mix(std::uint64_t accounts, std::uint64_t seed)
    : accounts_(accounts),
      mix_(make_smallbank({.accounts = accounts}, {.seed = seed}).value()),
      amounts_(seed) {}

Transaction Mix::next() {
  mix_->next(ClientId{0}, drawn_);
  Transaction made;
  made.kind = static_cast<Kind>(drawn_.type);
  for (const LockNeed& need : drawn_.needs) made.rows.push_back(need.lock);
  made.from = made.rows.front().value % accounts_;
  made.to = made.rows.back().value % accounts_;
  std::sort(made.rows.begin(), made.rows.end());
  made.amount = static_cast<std::int64_t>(1 + amounts_.below(kLargest));
  if (made.kind == Kind::transact_savings && amounts_.below(2) == 0) made.amount = -made.amount;
  return made;
}

std::string name_of_row(LockId row, std::uint64_t accounts) {
  const bool savings = row.value < accounts;
  return (savings ? "savings:" : "checking:") +
         std::to_string(savings ? row.value : row.value - accounts);
}

Applied apply(const Transaction& transaction, std::uint64_t accounts,
              std::vector<std::int64_t>& balances) {
  const Rows& rows = transaction.rows;
  const auto at = [&](std::uint64_t row) -> std::int64_t& {
    const auto found = std::lower_bound(rows.begin(), rows.end(), LockId{row});
    return balances[static_cast<std::size_t>(found - rows.begin())];
  };
  const std::uint64_t from = transaction.from;
  const std::int64_t amount = transaction.amount;
  switch (transaction.kind) {
    case Kind::balance:
      return {};
    case Kind::amalgamate:
      at(transaction.to + accounts) += at(from) + at(from + accounts);
      at(from) = at(from + accounts) = 0;
      return {true, 0};
    case Kind::deposit:
      at(from + accounts) += amount;
      return {true, amount};
    case Kind::send_payment:
      if (at(from + accounts) < amount) return {};
      at(from + accounts) -= amount;
      at(transaction.to + accounts) += amount;
      return {true, 0};
    case Kind::transact_savings:
      if (at(from) + amount < 0) return {};
      at(from) += amount;
      return {true, amount};
    case Kind::write_check:
      break;
  }
  const std::int64_t taken = amount + (at(from) + at(from + accounts) < amount ? 1 : 0);
  at(from + accounts) -= taken;
  return {true, -taken};
}

}  // namespace latchlab::bank

#include "tools/redlock/ledger.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>

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

}  // namespace latchlab::bank

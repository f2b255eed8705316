#include "tools/redlock/smallbank.h"

#include <algorithm>
#include <array>

namespace latchlab::bank {

namespace {

constexpr std::array<std::uint64_t, 6> kShares = {15, 15, 15, 25, 15, 15};  // by Kind
constexpr std::uint64_t kLargest = 1'000;                                   // amount

}  // namespace

Transaction Mix::next() {
  Transaction made;
  std::uint64_t drawn = rng_.below(100);
  std::size_t kind = 0;
  for (; drawn >= kShares[kind]; ++kind) drawn -= kShares[kind];
  made.kind = static_cast<Kind>(kind);
  made.from = rng_.below(accounts_);
  made.to = rng_.below(accounts_ - 1);
  if (made.to >= made.from) ++made.to;
  made.amount = static_cast<std::int64_t>(1 + rng_.below(kLargest));
  if (made.kind == Kind::transact_savings && rng_.below(2) == 0) made.amount = -made.amount;
  return made;
}

Rows rows_of(const Transaction& transaction, std::uint64_t accounts) {
  const LockId savings{transaction.from};
  const LockId checking{transaction.from + accounts};
  const LockId other{transaction.to + accounts};
  Rows rows;
  switch (transaction.kind) {
    case Kind::amalgamate:
      rows = {savings, checking, other};
      break;
    case Kind::balance:
    case Kind::write_check:
      rows = {savings, checking};
      break;
    case Kind::deposit:
      rows = {checking};
      break;
    case Kind::send_payment:
      rows = {checking, other};
      break;
    case Kind::transact_savings:
      rows = {savings};
      break;
  }
  std::sort(rows.begin(), rows.end());
  return rows;
}

std::string name_of_row(LockId row, std::uint64_t accounts) {
  const bool savings = row.value < accounts;
  return (savings ? "savings:" : "checking:") +
         std::to_string(savings ? row.value : row.value - accounts);
}

Applied apply(const Transaction& transaction, std::uint64_t accounts, const Rows& rows,
              std::vector<std::int64_t>& balances) {
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

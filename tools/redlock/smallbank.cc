#include "tools/redlock/smallbank.h"

#include <algorithm>

#include "core/workload/transactions/smallbank.h"

namespace latchlab::bank {

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

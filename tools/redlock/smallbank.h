#pragma once
// SmallBank: what transactions do to accounts, and in which rows of the bank.
//
// An account has two rows: savings and checking. The savings of account i is row i, its checking
// row i + accounts; a row's number is that of its lock. All amounts are whole.

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/ids.h"
#include "core/base/random.h"

namespace latchlab::bank {

enum class Kind : std::uint8_t {
  amalgamate,        // all of `from` goes to the checking of `to`
  balance,           // reads
  deposit,           // into the checking
  send_payment,      // from one checking to another, if there is enough
  transact_savings,  // in or out of the savings, if there is enough
  write_check,       // out of the checking; one more if savings and checking do not cover it
};

struct Transaction {
  Kind kind = Kind::balance;
  std::uint64_t from = 0, to = 0;
  std::int64_t amount = 0;
};

// A client's transactions, in the published shares: 15, 15, 15, 25, 15 and 15 of a hundred.
class Mix {
 public:
  Mix(std::uint64_t accounts, std::uint64_t seed) : accounts_(accounts), rng_(seed) {}
  Transaction next();

 private:
  std::uint64_t accounts_;  // two at least
  Rng rng_;
};

using Rows = std::vector<LockId>;  // ascending
Rows rows_of(const Transaction& transaction, std::uint64_t accounts);
std::string name_of_row(LockId row, std::uint64_t accounts);  // "savings:17"

struct Applied {
  bool changes = false;
  std::int64_t outside = 0;  // money that came into the bank; negative: left it
};
// To the balances of rows_of(transaction), in that order.
Applied apply(const Transaction& transaction, std::uint64_t accounts, const Rows& rows,
              std::vector<std::int64_t>& balances);

}  // namespace latchlab::bank

#pragma once
// SmallBank's transactions on balances. core/workload/transactions/smallbank.h draws the kind of
// each transaction and its rows, in ShiftLock's shares and with uniformly chosen accounts. A row
// has the number of its lock. All amounts are integers.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/base/ids.h"
#include "core/base/random.h"
#include "core/workload/transactions/transaction.h"

namespace latchlab::bank {

// In the order of the mix in core/workload.
enum class Kind : std::uint8_t {
  amalgamate,        // moves all money of `from` to the checking account of `to`
  balance,           // reads only
  deposit,           // into the checking account
  send_payment,      // between two checking accounts, if the balance suffices
  transact_savings,  // into or out of the savings account, if the balance suffices
  write_check,       // out of checking; 1 more if savings plus checking do not cover the amount
};

using Rows = std::vector<LockId>;  // ascending

struct Transaction {
  Kind kind = Kind::balance;
  Rows rows;
  std::uint64_t from = 0, to = 0;
  std::int64_t amount = 0;
};

// The sequence of one client's transactions.
class Mix {
 public:
  Mix(std::uint64_t accounts, std::uint64_t seed);
  Transaction next();

 private:
  std::uint64_t accounts_;  // at least two
  std::unique_ptr<TransactionMix> mix_;
  latchlab::Transaction drawn_;  // a member, so that its memory is reused
  Rng amounts_;
};

std::string name_of_row(LockId row, std::uint64_t accounts);  // "savings:17"

struct Applied {
  bool changes = false;
  std::int64_t outside = 0;  // money that entered the bank; negative: money that left it
};
// Updates `balances`, the balances of the transaction's rows in the order of `rows`.
Applied apply(const Transaction& transaction, std::uint64_t accounts,
              std::vector<std::int64_t>& balances);

}  // namespace latchlab::bank

#pragma once
// SmallBank: what transactions do to accounts. Which of them come, and which rows of the bank they
// touch, is what the specified mix has (core/workload/transactions/smallbank.h), in ShiftLock's
// shares and with uniform accounts; a row has its lock's number. All amounts are whole.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/base/ids.h"
#include "core/base/random.h"
#include "core/workload/transactions/transaction.h"

namespace latchlab::bank {

// In the order of the mix.
enum class Kind : std::uint8_t {
  amalgamate,        // all of `from` goes to the checking of `to`
  balance,           // reads
  deposit,           // into the checking
  send_payment,      // from one checking to another, if there is enough
  transact_savings,  // in or out of the savings, if there is enough
  write_check,       // out of the checking; one more if savings and checking do not cover it
};

using Rows = std::vector<LockId>;  // ascending

struct Transaction {
  Kind kind = Kind::balance;
  Rows rows;
  std::uint64_t from = 0, to = 0;
  std::int64_t amount = 0;
};

// A client's transactions.
class Mix {
 public:
  Mix(std::uint64_t accounts, std::uint64_t seed);
  Transaction next();

 private:
  std::uint64_t accounts_;  // two at least
  std::unique_ptr<TransactionMix> mix_;
  latchlab::Transaction drawn_;  // kept for its memory
  Rng amounts_;
};

std::string name_of_row(LockId row, std::uint64_t accounts);  // "savings:17"

struct Applied {
  bool changes = false;
  std::int64_t outside = 0;  // money that came into the bank; negative: left it
};
// To the balances of its rows, in that order.
Applied apply(const Transaction& transaction, std::uint64_t accounts,
              std::vector<std::int64_t>& balances);

}  // namespace latchlab::bank

#pragma once
// The accounts in Redis, one string per row, and the expected balance of each row in this process.
// A client that writes a row also adds the change to the expected balance, so that the audit finds
// a lost update in its row.

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/ids.h"
#include "core/base/random.h"
#include "core/base/result.h"
#include "core/workload/transactions/transaction.h"
#include "tools/redlock/connection.h"

namespace latchlab::bank {

// SmallBank's transactions on balances. core/workload/transactions/smallbank.h draws the kind of
// each transaction and its rows, in ShiftLock's shares and with uniformly chosen accounts. A row
// has the number of its lock. All amounts are integers.

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

struct Audit {
  std::uint64_t rows = 0, wrong = 0;
  std::string violation;  // empty: all money is where it should be
};

class Ledger {
 public:
  Ledger(std::uint64_t accounts, std::uint64_t seed);
  std::uint64_t accounts() const { return accounts_; }

  Status load(Connection& redis);  // the connection's place must be a ThreadIo
  // Error: Redis does not answer, or there is no such account.
  Task<Result<std::vector<std::int64_t>>> read(Connection& redis, Rows rows) const;
  Task<Status> write(Connection& redis, Rows rows, std::vector<std::int64_t> balances) const;
  void changed(LockId row, std::int64_t by) {
    should_be_[row.value].fetch_add(by, std::memory_order_relaxed);
  }
  // Call after the last write, with a ThreadIo connection. `outside`: net money that all clients
  // brought in.
  Result<Audit> audit(Connection& redis, std::int64_t outside) const;

 private:
  std::uint64_t rows() const { return 2 * accounts_; }

  std::uint64_t accounts_;
  std::unique_ptr<std::atomic<std::int64_t>[]> should_be_;  // by row
  std::int64_t start_ = 0;                                  // of all rows
};

}  // namespace latchlab::bank

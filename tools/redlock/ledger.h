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

#include "core/base/result.h"
#include "tools/redlock/connection.h"
#include "tools/redlock/smallbank.h"

namespace latchlab::bank {

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

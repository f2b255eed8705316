#pragma once
// The locks of transactions. A mix is made once for some consecutive clients; the transactions of
// each follow from the seed and its number only, independent of other clients and of timing. The
// workload decides whether locks are acquired in this order or sorted, and how deadlocks are
// handled.

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/base/ids.h"
#include "core/protocols/lock.h"
#include "core/workload/intention_locks.h"

namespace latchlab {

struct LockNeed {
  LockId lock;
  LockMode mode = LockMode::exclusive;

  bool operator==(const LockNeed&) const = default;
};

struct Transaction {
  std::uint32_t type = 0;       // an index into type_names()
  std::vector<LockNeed> needs;  // in the order of the program, each lock once;
                                // none, and no tables: it finds that there is nothing to lock
  std::vector<TableWant> tables = {};  // in the order of the program
  Duration longer = {};                // it works longer than other transactions by this

  bool operator==(const Transaction&) const = default;
};

class TransactionMix {
 public:
  virtual ~TransactionMix() = default;
  // Replaces the content of `transaction` by the client's next one.
  virtual void next(ClientId client, Transaction& transaction) = 0;
  // All locks have numbers below this.
  virtual std::uint64_t locks() const = 0;
  virtual std::vector<std::string_view> type_names() const = 0;
  // The most locks that a transaction requests.
  virtual std::uint32_t most_needs() const = 0;
};

// The clients of a mix, and its seed.
struct MixClients {
  std::uint32_t first = 0;  // the first of `count` consecutive clients
  std::uint32_t count = 1;
  std::uint64_t seed = 1;
};

}  // namespace latchlab

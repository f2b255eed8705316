#pragma once
// What transactions lock. A mix is made once for some clients in a row; what each of them asks for
// follows from the seed and its number alone, whoever else asks when. Whether locks are acquired in
// the order told here or sorted, and what is done about deadlocks, is the workload's business.

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/base/ids.h"
#include "core/protocols/lock.h"

namespace latchlab {

struct LockNeed {
  LockId lock;
  LockMode mode = LockMode::exclusive;

  bool operator==(const LockNeed&) const = default;
};

struct Transaction {
  std::uint32_t type = 0;       // an index into type_names()
  std::vector<LockNeed> needs;  // in the order in which the program asks, each lock once;
                                // none: it finds that there is nothing to lock
  Duration longer = {};         // it works for so much longer than others

  bool operator==(const Transaction&) const = default;
};

class TransactionMix {
 public:
  virtual ~TransactionMix() = default;
  // Fills in the client's next transaction, over what `transaction` was.
  virtual void next(ClientId client, Transaction& transaction) = 0;
  // All locks have numbers below this.
  virtual std::uint64_t locks() const = 0;
  virtual std::vector<std::string_view> type_names() const = 0;
  // No transaction asks for more locks.
  virtual std::uint32_t most_needs() const = 0;
};

// Of whom, and by which seed.
struct MixClients {
  std::uint32_t first = 0;  // and so many after it
  std::uint32_t count = 1;
  std::uint64_t seed = 1;
};

}  // namespace latchlab

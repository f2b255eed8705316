#pragma once
// Transactions that a program is known to have run, from a file, as a mix. The file is read once, a
// line at a time; kept are 8 bytes for each lock that a transaction asks for, and half a byte for
// each transaction. While reading, 64 bytes more for each run of ids without a gap: next to nothing
// where ids are counted up, 64 for each transaction where they are anyhow.
//
// latchlab  transaction,lock,mode is the first line, as here. Then a line for each lock, in the
//           order in which it is asked for: the transaction's id, the lock's number, and shared,
//           exclusive or update (or s, x, u). The lines of one transaction stand together.
// fisslock  txn_id,task,txn_type,lock_id,lock_type, without a first line that says so: traces as
//           FissLock's generators write them and ShiftLock's evaluation replays them. Task is 0, a
//           request for a lock; types count from 1, lock types are 1 (shared) and 2 (exclusive).
//           A transaction that asked for nothing has no line, and so does not exist here.
//
// In both, lines that are blank or begin with # say nothing. Whatever else is odd is an error that
// names its line: what a run measures would not be what the file means.

#include <cstdint>
#include <deque>
#include <istream>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/workload/trace_turns.h"
#include "core/workload/transactions/transaction.h"

namespace latchlab {

inline constexpr std::uint64_t kMostTraceLock = (std::uint64_t{1} << 48U) - 1;
inline constexpr std::uint32_t kMostTraceTypes = 255;
inline constexpr std::size_t kMostTraceNeeds = 1000;  // of a transaction

enum class TraceFormat : std::uint8_t { latchlab, fisslock };

// A transaction that asks for a lock twice.
enum class TraceDuplicates : std::uint8_t {
  refuse,  // is an error
  merge    // asks where it did first, in the stronger of both modes
};

struct TraceOptions {
  TraceFormat format = TraceFormat::latchlab;
  TraceDuplicates duplicates = TraceDuplicates::refuse;
};

class LockTrace {
 public:
  explicit LockTrace(std::vector<std::string> type_names = {"transaction"});

  // At the end, within the limits above. It asks for something.
  void add(const Transaction& transaction);
  void rename_types(std::vector<std::string> names) { type_names_ = std::move(names); }

  std::uint64_t transactions() const { return transactions_; }
  std::uint64_t requests() const { return words_.size(); }
  std::uint64_t locks() const { return locks_; }            // all numbers are below
  std::uint32_t most_needs() const { return most_needs_; }  // of a transaction
  std::vector<std::string_view> type_names() const;
  // The number-th from 0, over what `transaction` was.
  void read(std::uint64_t number, Transaction& transaction) const;

 private:
  std::deque<std::uint64_t> words_;   // a request each
  std::vector<std::uint64_t> marks_;  // where every 16th transaction begins
  std::vector<std::string> type_names_;
  std::uint64_t transactions_ = 0, locks_ = 0;
  std::uint32_t most_needs_ = 0;
};

Result<std::shared_ptr<const LockTrace>> read_lock_trace(const std::string& path,
                                                         const TraceOptions& options);
// The same of any stream; `name` stands for the path in errors.
Result<std::shared_ptr<const LockTrace>> read_lock_trace(std::istream& in, const std::string& name,
                                                         const TraceOptions& options);

// `all` clients of the run take turns (trace_turns.h); `here` are those who ask this mix.
std::unique_ptr<TransactionMix> replay_of(std::shared_ptr<const LockTrace> trace,
                                          const MixClients& here, const ClientRange& all);

}  // namespace latchlab

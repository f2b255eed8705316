#pragma once
// Transactions that a program ran, from a file, as a mix. The file is read once, line by line. Kept
// are 8 bytes for each lock that a transaction requests, and half a byte for each transaction.
// While reading, it takes 64 bytes more for each run of consecutive ids: next to nothing where ids
// are counted up, 64 for each transaction where they are arbitrary.
//
// latchlab  transaction,lock,mode is the first line, exactly. Then a line for each lock, in the
//           order of requests: the transaction's id, the lock's number, and shared, exclusive or
//           update (or s, x, u). The lines of one transaction are adjacent.
// fisslock  txn_id,task,txn_type,lock_id,lock_type, without a header line: traces as FissLock's
//           generators write them and ShiftLock's evaluation replays them. Task is 0, a request for
//           a lock; types count from 1, lock types are 1 (shared) and 2 (exclusive). A transaction
//           that requested nothing has no line, and so does not exist here.
//
// In both, blank lines and lines that begin with # are skipped. Any other deviation is an error
// that names its line, since the run would not measure what the file means.

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

// A transaction that requests a lock twice.
enum class TraceDuplicates : std::uint8_t {
  refuse,  // is an error
  merge    // requests it at the first place, in the stronger of both modes
};

struct TraceOptions {
  TraceFormat format = TraceFormat::latchlab;
  TraceDuplicates duplicates = TraceDuplicates::refuse;
};

class LockTrace {
 public:
  explicit LockTrace(std::vector<std::string> type_names = {"transaction"});

  // Appends a transaction within the limits above, with at least one request.
  void add(const Transaction& transaction);
  void rename_types(std::vector<std::string> names) { type_names_ = std::move(names); }

  std::uint64_t transactions() const { return transactions_; }
  std::uint64_t requests() const { return words_.size(); }
  std::uint64_t locks() const { return locks_; }            // all lock numbers are below
  std::uint32_t most_needs() const { return most_needs_; }  // of a transaction
  std::vector<std::string_view> type_names() const;
  // Replaces the content of `transaction` by the number-th one, from 0.
  void read(std::uint64_t number, Transaction& transaction) const;

 private:
  std::deque<std::uint64_t> words_;   // one for each request
  std::vector<std::uint64_t> marks_;  // where every 16th transaction begins
  std::vector<std::string> type_names_;
  std::uint64_t transactions_ = 0, locks_ = 0;
  std::uint32_t most_needs_ = 0;
};

Result<std::shared_ptr<const LockTrace>> read_lock_trace(const std::string& path,
                                                         const TraceOptions& options);
// The same for any stream; errors call it `name`.
Result<std::shared_ptr<const LockTrace>> read_lock_trace(std::istream& in, const std::string& name,
                                                         const TraceOptions& options);

// `all` clients of the run take turns (trace_turns.h); `here` are the clients of this mix.
std::unique_ptr<TransactionMix> replay_of(std::shared_ptr<const LockTrace> trace,
                                          const MixClients& here, const ClientRange& all);

}  // namespace latchlab

#pragma once
// A client of the bank runs transactions one after the other with two-phase locking: it locks all
// rows of a transaction in ascending order, reads and writes them, and releases the locks.
//
// If a grant has expired by the time the rows are read, the transaction writes nothing, releases
// all locks and starts again; likewise if an acquisition is aborted. All attempts of a transaction
// are one measured cycle.

#include <atomic>
#include <mutex>
#include <string>
#include <vector>

#include "core/measure/partial_metrics.h"
#include "core/measure/window.h"
#include "core/protocols/lock.h"
#include "tools/redlock/client_io.h"
#include "tools/redlock/ledger.h"

namespace latchlab::bank {

// State shared by all clients of a run.
class Branch {
 public:
  Branch(Ledger& ledger, Time window_start, Duration window, bool balance_locks)
      : ledger_(ledger),
        window_start_(window_start),
        window_(window),
        balance_locks_(balance_locks) {}
  Ledger& ledger() { return ledger_; }
  Time window_start() const { return window_start_; }
  Duration window() const { return window_; }
  Time end() const { return window_start_ + window_; }
  bool balance_locks() const { return balance_locks_; }  // does Balance take locks?

  // Thread-safe. Each client ends after its current transaction.
  void stop() { stopped_.store(true); }
  bool stopped() const { return stopped_.load(std::memory_order_relaxed); }
  void fail(const std::string& why);
  std::string failure() const;  // the first; empty: none

 private:
  Ledger& ledger_;
  Time window_start_;
  Duration window_;
  bool balance_locks_;
  std::atomic<bool> stopped_ = false;
  mutable std::mutex mutex_;
  std::string failure_;
};

struct ClientParts {
  ClientId id;
  ClientIo* place = nullptr;
  LockClient* locks = nullptr;
  Connection* redis = nullptr;   // to the accounts
  const Peers* peers = nullptr;  // null: a lock has an id but no address
  Verbs* verbs = nullptr;        // counted in the metrics; null: the client has none
  std::uint32_t clients = 1;
  std::uint64_t seed = 1;
};

class Client {
 public:
  Client(const ClientParts& parts, Branch& branch);

  Task<void> run();  // until the window ends, or the branch stops
  // After the run.
  PartialMetrics share() const;
  std::int64_t outside() const { return outside_; }  // net money that it brought into the bank

 private:
  enum class Used : std::uint8_t { done, over, failed };

  void border(Time now);
  Task<void> transact(Transaction transaction);
  Task<bool> lock(Rows rows);
  Task<void> unlock();
  Task<Used> use(Transaction transaction);
  bool grants_over() const;

  ClientParts parts_;
  Branch& branch_;
  Mix mix_;
  WindowRecorder recorder_;
  std::vector<Grant> held_;
  VerbTally verbs_;  // of counted cycles
  std::uint64_t aborted_ = 0, over_ = 0;
  std::int64_t outside_ = 0;
};

}  // namespace latchlab::bank

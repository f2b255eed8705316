#pragma once
// A client of the bank: one transaction after the other, each under its locks. Two-phase locking:
// all rows of a transaction are locked in ascending order before the first is read, and released
// when they are written.
//
// A transaction whose grants are over when it has read writes nothing, lets go of all and begins
// anew; likewise one that does not get a lock. All of that is one cycle of what is measured.

#include <atomic>
#include <mutex>
#include <string>
#include <vector>

#include "core/measure/share.h"
#include "core/measure/window.h"
#include "core/protocols/lock.h"
#include "tools/redlock/ledger.h"
#include "tools/redlock/place.h"

namespace latchlab::bank {

// What all clients of a run have in common.
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

  // From any thread. Clients end after the transaction that they are in.
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
  Place* place = nullptr;
  LockClient* locks = nullptr;
  Connection* redis = nullptr;   // to the accounts
  const Peers* peers = nullptr;  // null: locks have numbers alone
  Verbs* verbs = nullptr;        // whose use is measured; null: none
  std::uint32_t clients = 1;
  std::uint64_t seed = 1;
};

class Client {
 public:
  Client(const ClientParts& parts, Branch& branch);

  Task<void> run();  // until the window ends, or the branch stops
  // After the run.
  MeasuredShare share() const;
  std::int64_t outside() const { return outside_; }  // money that it has brought in

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

#pragma once
// DecLock's node part: the queues of the node's clients, and the CQL locks that the node holds. The
// steps in which clients use them are in client.h.

#include <cstdint>
#include <vector>

#include "core/protocols/common/local_queue.h"
#include "core/protocols/cql/node.h"
#include "core/protocols/cql/options.h"
#include "core/protocols/cql/queue.h"
#include "core/protocols/lock.h"

namespace latchlab::declock {

enum class Fairness : std::uint8_t { task_fair, phase_fair };
enum class Transfer : std::uint8_t { timestamp, remote_prefer, local_prefer, local_bound };
enum class BoundCounts : std::uint8_t { holders, handovers };
enum class LateReaders : std::uint8_t { looking, known, all };
enum class Prefetch : std::uint8_t { waiting, unknown, held, never };
enum class ReadersFirst : std::uint8_t { reacquiring, after_writers, always };
using cql::Notified;
enum class ClockCounter : std::uint8_t { living, reset };

struct Options : cql::Options {
  Fairness fairness = Fairness::task_fair;
  ReadersFirst readers_first = ReadersFirst::reacquiring;
  Transfer transfer = Transfer::timestamp;
  std::uint64_t local_bound = 4;
  BoundCounts bound_counts = BoundCounts::holders;
  LateReaders late_readers = LateReaders::looking;
  std::uint32_t look_after = 7;
  bool reset_ends_transfers = true;
  Prefetch prefetch = Prefetch::waiting;
  Notified notified = Notified::earliest;
  unsigned time_bits = 16;
  Duration time_unit = microseconds(1);
  unsigned wrap_percent = 50;
  Duration clock_sync = seconds(1);  // 0: never
  ClockCounter clock_counter = ClockCounter::living;

  cql::TimeOrder times() const { return {time_bits, wrap_percent, notified}; }
  // Does the lock use what is known about other nodes?
  bool looks_for_remote_waiters() const {
    return transfer == Transfer::timestamp || transfer == Transfer::remote_prefer;
  }
  bool late_readers_look() const {
    return late_readers == LateReaders::looking && looks_for_remote_waiters();
  }
};

// The time of entries: units since the client nodes last agreed on a moment, in a few bits. They
// agree by a counter on the first server: see declock.h.
class Clock {
 public:
  explicit Clock(const Options& options) : options_(options) {}

  void starts(Time now) { start_ = now; }
  std::uint32_t time(Time now) const {
    const auto units = static_cast<std::uint64_t>((now - start_).ps / options_.time_unit.ps);
    return static_cast<std::uint32_t>(units) & options_.times().largest();
  }

 private:
  const Options& options_;
  Time start_;
};

class Node;
// The node's part in the agreement. Runs until the end of the run.
Task<void> keep_synchronised(Verbs& verbs, const Peers& peers, const Options& options, Node& node);

class Node final : public NodePart {
 public:
  Node(const Options& options, const NodeEnv& env)
      : options_(options), env_(env), global_(options, env), clock_(options) {}

  cql::Node& global() { return global_; }

  // ---- visits: one at a time on a node ----

  // The result of joining, and what the client needs in order to read about other nodes meanwhile.
  struct Joined {
    LocalQueues::Joined how = LocalQueues::Joined::waits;
    std::uint32_t since = 0;   // the time of the request, as in entries
    std::uint32_t tenure = 0;  // how often the node has held the CQL lock: see `remote_waits`
    bool held = false;         // the node holds it now
    LockMode mode = LockMode::exclusive;  // in which mode
    bool remote_known = false;            // and knows since when other nodes wait
    bool looks = false;  // it has not joined: as a late reader it has to READ the queue first
    ZeroPadding<std::uint8_t, 4> padding = {};
  };
  Joined join(LockId lock, ClientId client, LockMode mode, Time now);
  // A late reader has READ the queue, and joins: other nodes wait since then (cql::earliest).
  Joined join_after_look(LockId lock, ClientId client, const Joined& looked, std::uint64_t since);
  // The lock's server is in this life. True if the node holds the CQL lock of an earlier life; it
  // then hands that over no more.
  bool outlives(LockId lock, ServerLife life);

  // Other nodes wait behind this one since then (cql::earliest), as READ during this tenure.
  void remote_waits(LockId lock, std::uint32_t tenure, std::uint64_t since);

  // The leader has acquired the CQL lock for the node. Returns the readers that enter beside it.
  std::vector<ClientId> took(const Grant& global);

  struct Left {
    LocalQueues::Left how = LocalQueues::Left::others_stay;
    std::vector<ClientId> enter;  // clients that hold the lock now
    Grant global;                 // to be released, if the lock must be freed
  };
  Left leave(LockRef lock);
  // The CQL lock has been released, or was not granted. Returns the client that leads now.
  LocalQueues::Next freed(LockId lock);

  void synchronised(Time now) { clock_.starts(now); }

  Task<void> background(Verbs& verbs) override;

 private:
  // Of a lock that a client of the node holds or wants.
  struct State {
    std::uint64_t resets = 0;  // reset count of the node's acquisition
    std::uint64_t remote = 0;  // since when other nodes wait, as far as known: cql::earliest
    std::uint32_t tenure = 0;
    bool held = false;
    LockMode mode = LockMode::exclusive;
    bool outlived = false;  // the server has failed since the node acquired the lock
    ZeroPadding<std::uint8_t, 1> padding = {};
    std::uint32_t looking = 0;   // late readers that READ the queue now, and have not joined yet
    std::uint32_t unlooked = 0;  // late readers that have entered since the last one began to READ
  };
  State& state(LockId lock);
  Joined join_at(LockId lock, ClientId client, LockMode mode, std::uint32_t since, bool may_look);
  LocalQueues::Rule transfers(const State& state) const;
  LocalQueues::Admits late_readers(const State& state) const;
  LocalQueues::Stays stays(LockId lock, const State& state) const;
  LocalQueues::Order order_of_handover(LockMode held) const;
  LocalQueues::Order order_of_lead(LockMode held) const;
  std::vector<ClientId> admit(LockId lock, const State& state);

  const Options& options_;
  const NodeEnv env_;
  cql::Node global_;
  Clock clock_;
  LocalQueues queues_;
  Lookup<State> states_;
};

}  // namespace latchlab::declock

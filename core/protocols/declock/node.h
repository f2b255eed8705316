#pragma once
// DecLock's node part: the local lock table, and the CQL locks that the node has. Who acts in
// these: client.h.

#include <cstdint>
#include <vector>

#include "core/protocols/common/local_queue.h"
#include "core/protocols/cql/node.h"
#include "core/protocols/declock/clock.h"
#include "core/protocols/declock/options.h"

namespace latchlab::declock {

class Node final : public NodePart {
 public:
  Node(const Options& options, const NodeEnv& env)
      : options_(options), env_(env), global_(options, env), clock_(options) {}

  cql::Node& global() { return global_; }

  // ---- visits: nobody else of the node is inside ----

  // A client that joins, and what it has to know to look at other nodes meanwhile.
  struct Joined {
    LocalQueues::Joined how = LocalQueues::Joined::waits;
    std::uint32_t since = 0;   // when it asked, as entries have it
    std::uint32_t tenure = 0;  // how often the node has had the CQL lock: see `remote_waits`
    bool held = false;         // the node has it now
    LockMode mode = LockMode::exclusive;  // in which mode
    bool remote_known = false;            // and knows since when other nodes wait
    bool looks = false;  // it has not joined: it is a late reader whose turn it is to look first
    ZeroPadding<std::uint8_t, 4> padding = {};
  };
  Joined join(LockId lock, ClientId client, LockMode mode, Time now);
  // A late reader has looked, and joins: other nodes wait since then (cql::earliest).
  Joined join_after_look(LockId lock, ClientId client, const Joined& looked, std::uint64_t since);
  // The lock's server is in this life. Has the node the CQL lock in an earlier one? Then it is
  // handed over to nobody.
  bool outlives(LockId lock, ServerLife life);

  // Other nodes wait behind this one since then (cql::earliest), as seen during this tenure.
  void remote_waits(LockId lock, std::uint32_t tenure, std::uint64_t since);

  // The leader has got the CQL lock for the node. Who enters beside it.
  std::vector<ClientId> took(const Grant& global);

  struct Left {
    LocalQueues::Left how = LocalQueues::Left::others_stay;
    std::vector<ClientId> enter;  // of whom each has the lock now
    Grant global;                 // to be released, if the lock must be freed
  };
  Left leave(LockRef lock);
  // The CQL lock has been released, or not been granted. Who leads now.
  LocalQueues::Next freed(LockId lock);

  void synchronised(Time now) { clock_.starts(now); }

  Task<void> background(Verbs& verbs) override;

 private:
  // Of a lock that somebody here has or wants.
  struct State {
    std::uint64_t resets = 0;  // reset count of the node's acquisition
    std::uint64_t remote = 0;  // since when other nodes wait, as far as known: cql::earliest
    std::uint32_t tenure = 0;
    bool held = false;
    LockMode mode = LockMode::exclusive;
    bool outlived = false;  // by the lock that the node has: its server has failed
    ZeroPadding<std::uint8_t, 1> padding = {};
    std::uint32_t looking = 0;   // late readers that look now, and have not joined yet
    std::uint32_t unlooked = 0;  // late readers that have entered since the last one began to look
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

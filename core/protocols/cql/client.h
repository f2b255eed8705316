#pragma once
// CQL's client part. Acquiring is in acquire.cc, releasing in release.cc, resets in reset.cc.

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/protocols/cql/format.h"
#include "core/protocols/cql/node.h"
#include "core/protocols/cql/options.h"
#include "core/protocols/cql/queue.h"

namespace latchlab::cql {

// The format of a queue in which at most so many owners are at once.
inline Format format_of(const Options& options, std::uint32_t owners) {
  const std::uint32_t capacity = options.capacity == 0 ? owners : options.capacity;
  return {std::max(capacity, 2U), options.version_bits};
}

// For which owner a client part takes places in queues: for its client, or for the whole node, of
// whose clients only one at a time uses a lock. In the second case a lock may be released by
// another client than the one that acquired it.
struct QueueIdentity {
  std::uint32_t owners = 0;             // that may be in a queue at once
  ClientId inside;                      // the client as which the node's part knows it
  std::optional<TimeOrder> times = {};  // of entries and notifications; none: they carry no times
};
inline QueueIdentity of_itself(const ClientEnv& env) {
  return {env.peers->shape().clients, env.verbs->client(), {}};
}
inline QueueIdentity of_its_node(const ClientEnv& env, const TimeOrder& times) {
  return {env.peers->shape().client_nodes, kWholeNode, times};
}

class Client final : public LockClient {
 public:
  Client(const Options& options, const ClientEnv& env) : Client(options, env, of_itself(env)) {}
  Client(const Options& options, const ClientEnv& env, const QueueIdentity& identity)
      : options_(options),
        identity_(identity),
        verbs_(*env.verbs),
        peers_(*env.peers),
        node_(static_cast<Node*>(env.node)),
        inbox_(env.endpoint),
        node_words_(env.node_words),
        format_(format_of(options, identity.owners)),
        me_(verbs_.client().value) {}

  Task<AcquireResult> acquire(Want want, AcquireOptions /*options*/) override {
    return acquire_since(want, 0);
  }
  // The same for a request made at time `since`. The grant's words: the reset count, and the time
  // since when other owners wait behind it, as far as known (`earliest` in queue.h).
  Task<AcquireResult> acquire_since(Want want, std::uint32_t since);
  Task<ReleaseResult> release(Grant grant) override;
  // Release in two steps: give up the lock, then notify the clients that are next.
  struct Notice {
    Message note;
    std::vector<EndpointAddr> to;
    // The lock's server has failed since the grant: the lock has not been touched.
    ReleaseResult result = ReleaseResult::released;
  };
  Task<Notice> give_up(Grant grant);
  Task<void> tell(Notice notice);
  std::uint64_t recoveries() const override { return recoveries_; }

 private:
  enum class TurnResult : std::uint8_t { mine, reset, late, server_failed };
  enum class Reset : std::uint8_t { done, by_another, failed };

  // ---- acquire.cc ----
  Task<bool> write_entry(LockRef lock, std::uint64_t index, bool writes, std::uint32_t since);
  Task<TurnResult> wait_for_turn(Grant& grant);
  Task<AcquireResult> wait_and_enter(Want want, Grant grant, Header found, std::uint32_t since);
  Task<AcquireResult> come_back(LockRef lock, ServerLife life);
  Task<AcquireResult> reset_and_come_back(LockRef lock, ServerLife life);
  Duration patience() const;

  // ---- release.cc ----
  Task<bool> find_next(Grant held, Behind next, std::span<const std::uint64_t> queue,
                       Notice& notice);
  Task<bool> look_again(Grant held, Behind next, Notice& notice);
  Task<void> address(Grant held, Behind next, std::uint32_t wakes,
                     std::span<const std::uint64_t> queue, Notice& notice);

  // ---- visit.cc ----
  Task<bool> enter(LockRef lock, ServerLife life, std::uint64_t& count);
  Task<bool> enter_again(LockId lock, std::uint32_t count);
  Task<void> leave(LockRef lock);
  Task<std::uint32_t> count_of(LockId lock);

  // ---- servers.cc ----
  bool lasts(LockRef lock, ServerLife life) const;
  Task<AcquireResult> refuse(LockRef lock, ServerLife life);
  Task<AcquireResult> start_over(LockRef lock);
  Task<bool> begin(LockRef lock, ServerLife life, std::uint64_t& count);
  Task<bool> meet(NodeId server, ServerLife life);

  // ---- reset.cc: in a life of the lock's server ----
  Task<Reset> reset(LockRef lock, ServerLife life);
  Task<Reset> claim(LockRef lock, ServerLife life, std::uint64_t& claimed);
  Task<bool> ask_all_nodes(LockId lock, ServerLife life);
  Task<std::uint32_t> collect(LockId lock, std::uint32_t count);
  Task<void> ask_those_missing(MessageType question, LockId about, std::uint32_t count);
  Task<void> evict_dead();
  Task<bool> start_anew(LockRef lock, ServerLife life, std::uint64_t header);
  Task<bool> free_header(LockRef lock, ServerLife life, std::uint64_t expected);
  Task<void> prepare_image();
  Task<bool> reset_ends(LockRef lock, ServerLife life);

  bool writes(LockMode mode) const { return mode != LockMode::shared; }
  bool node_lives(std::uint32_t node) const;
  bool all_nodes_answered() const;
  bool is_ours(Owner resetter) const;

  const Options& options_;  // the protocol's, which outlives its clients
  QueueIdentity identity_;
  Verbs& verbs_;
  const Peers& peers_;
  Node* node_;
  EndpointAddr inbox_;
  RemoteAddr node_words_;  // the image of an empty queue, once a client of the node needs it
  Format format_;
  Owner me_;
  bool image_ready_ = false;
  std::vector<bool> answered_;  // of the reset under way, by client node
  std::vector<bool> evicted_;   // by client
  std::uint64_t recoveries_ = 0;
};

}  // namespace latchlab::cql

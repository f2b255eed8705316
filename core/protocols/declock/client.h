#pragma once
// DecLock's client part: the node's queue first, and for the client that leads it the CQL lock.

#include <cstdint>
#include <span>
#include <vector>

#include "core/base/inline_function.h"
#include "core/protocols/cql/client.h"
#include "core/protocols/cql/queue.h"
#include "core/protocols/declock/node.h"

namespace latchlab::declock {

// What the queue of a CQL lock tells a node that holds the lock about other nodes. Pure functions.

using IsMine = InlineFunction<bool(cql::Owner)>;

// Since when other nodes wait behind a node that holds the lock in this mode: 1 + the earliest time
// in written entries, or 0. `words`: header and queue. Holders do not count: places up to the
// node's own; where the node reads, readers' places up to the first writer's.
std::uint64_t remote_waiters_since(const cql::Format& format, std::span<const std::uint64_t> words,
                                   LockMode mode, const IsMine& mine, const cql::TimeOrder& times);

// The same for a node that reads and posted the READ for a request of time `began`. A writer that
// the header counts, and whose entry is not written yet, counts as waiting since then.
std::uint64_t waiting_behind_readers(const cql::Format& format,
                                     std::span<const std::uint64_t> words, const IsMine& mine,
                                     const cql::TimeOrder& times, std::uint32_t began);

class Client final : public LockClient {
 public:
  Client(const Options& options, const ClientEnv& env)
      : options_(options),
        verbs_(*env.verbs),
        peers_(*env.peers),
        node_(static_cast<Node*>(env.node)),
        my_turn_(env.client_words),
        format_(cql::format_of(options, env.peers->shape().client_nodes)),
        global_(options, for_the_node(env), cql::of_its_node(env, options.times())) {}

  Task<AcquireResult> acquire(Want want, AcquireOptions options) override;
  Task<ReleaseResult> release(Grant grant) override;
  std::uint64_t recoveries() const override { return global_.recoveries(); }

 private:
  static ClientEnv for_the_node(ClientEnv env) {
    env.node = &static_cast<Node*>(env.node)->global();
    return env;
  }
  Task<Node::Joined> join(Want want);
  Task<Node::Joined> look_and_join(Want want, Node::Joined first);
  Task<HandoverWord> wait_for_turn(LockRef lock, Node::Joined joined);
  bool prefetches(const Node::Joined& joined) const;
  Task<void> prefetch(LockRef lock, Node::Joined joined);
  Task<AcquireResult> lead(Want want, std::uint32_t since);
  Task<void> tell_those_who_enter(const std::vector<ClientId>& enter);
  Task<void> step_down(LockId lock);  // the next waiting client of the node leads

  auto is_mine() const {
    return [peers = &peers_, here = verbs_.node()](cql::Owner owner) {
      return owner < peers->shape().clients && peers->node_of(ClientId{owner}) == here;
    };
  }

  const Options& options_;  // the protocol's, which outlives its clients
  Verbs& verbs_;
  const Peers& peers_;
  Node* node_;
  RemoteAddr my_turn_;
  cql::Format format_;
  cql::Client global_;
};

}  // namespace latchlab::declock

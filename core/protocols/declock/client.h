#pragma once
// DecLock's client part: the node's queue first, and for the client that leads it the CQL lock.

#include <cstdint>
#include <span>
#include <vector>

#include "core/protocols/cql/client.h"
#include "core/protocols/declock/node.h"

namespace latchlab::declock {

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

#pragma once
// The client part of list_rdma.h: walks along a list, and linking in or waiting at their end.

#include <cstdint>

#include "core/protocols/list_rdma/nodes.h"
#include "core/protocols/lock.h"

namespace latchlab::list_rdma {

enum class FirstLook : std::uint8_t { read, cas };

struct Options {
  std::uint32_t nodes = 8;
  std::uint32_t generation_bits = kGenerationBits;
  bool fast_path = true;
  FirstLook first_look = FirstLook::read;
  Duration pause = {};
};

inline constexpr std::uint64_t kNodeBytes = 32;
inline constexpr std::uint64_t kNextAt = 16;

class Client final : public LockClient {
 public:
  Client(const Options& options, const ClientEnv& env)
      : options_(options),
        verbs_(*env.verbs),
        peers_(*env.peers),
        nodes_(env.verbs->client().value, env.peers->shape().servers, options.nodes,
               options.generation_bits) {}

  Task<AcquireResult> acquire(Want want, AcquireOptions options) override;
  Task<ReleaseResult> release(Grant grant) override;

 private:
  // The position of a walk: the word with the next link, in the head or in a node, and its value.
  struct WalkPosition {
    RemoteAddr word;
    bool head = true;
    std::uint32_t own = 0;  // generation of the node that the word is in
    Link seen = {};
    // The node has been released since, or is used for another range.
    bool gone() const { return !head && (seen.marked || seen.own != own); }
  };
  struct Node {
    NodeRef ref;
    Range range;
    Link link;
  };
  enum class Next : std::uint8_t { node, none, alone, again, failed };
  enum class End : std::uint8_t { again, linked, deadline, failed, unknown };

  // walk.cc
  Task<bool> look(WalkPosition* place);  // false, here and below: the server fails
  Task<bool> from_the_head(WalkPosition* place, RemoteAddr entry);
  Task<Next> next_of(WalkPosition* place, RemoteAddr entry, Node* node);
  Task<bool> exchange(WalkPosition* place, Link desired, bool* done);
  Task<bool> take_out(WalkPosition* place, NodeRef node, NodeRef next);
  void move_to(WalkPosition* place, const Node& node) const;
  Task<bool> sweep(RemoteAddr entry);

  // client.cc
  Task<End> enter(WalkPosition* place, Mine mine, Range range, Time deadline);
  Task<End> join(WalkPosition* place);
  Task<End> link_in(WalkPosition* place, Mine mine, Range range, bool* written);
  Task<End> wait_for(WalkPosition* place, NodeRef node, Time deadline);
  RemoteAddr node_at(NodeId server, std::uint32_t index) const {
    return peers_.server_words(server) + kNodeBytes * (index - 1);
  }
  RemoteAddr next_at(NodeId server, std::uint32_t index) const {
    return node_at(server, index) + kNextAt;
  }

  const Options& options_;  // the protocol's, which outlives its clients
  Verbs& verbs_;
  const Peers& peers_;
  Nodes nodes_;
};

}  // namespace latchlab::list_rdma

#pragma once
// The client part of list_rdma.h: walks along a list, and linking in or waiting at their end.

#include <cstdint>
#include <optional>
#include <vector>

#include "core/protocols/common/masks.h"
#include "core/protocols/lock.h"
#include "core/verbs/verbs.h"

namespace latchlab::list_rdma {

// A client's own nodes on all servers, and the state of each: only a node that is certainly in no
// list may be written.

// The one kind of word that contains a link in list_rdma.h: the head of a list, and `next` of
// nodes.
inline constexpr unsigned kIndexBits = 19;
inline constexpr unsigned kGenerationBits = 22;
inline constexpr std::uint64_t kMostNodes = (1ULL << kIndexBits) - 1;  // on one server
inline constexpr std::uint64_t kMark = 1;  // what an FAA adds to mark a node

// A node in its current use. Index 0: none.
struct NodeRef {
  std::uint32_t index = 0;
  std::uint32_t generation = 0;
  constexpr bool null() const { return index == 0; }
  constexpr bool operator==(const NodeRef&) const = default;
};

struct Link {
  bool marked = false;    // in a node: it has been released; in the head: `next` is alone
  NodeRef next;           // none: the end of the list
  std::uint32_t own = 0;  // generation of the node that this word is in; 0 in a head

  static constexpr Link of(std::uint64_t word) {
    const auto field = [word](unsigned shift, unsigned width) {
      return static_cast<std::uint32_t>(field_of(word, shift, width));
    };
    Link link;
    link.marked = (word & kMark) != 0;
    link.next = {field(1, kIndexBits), field(1 + kIndexBits, kGenerationBits)};
    link.own = field(1 + kIndexBits + kGenerationBits, kGenerationBits);
    return link;
  }
  constexpr std::uint64_t packed() const {
    return (marked ? kMark : 0) | std::uint64_t{next.index} << 1U |
           std::uint64_t{next.generation} << (1 + kIndexBits) |
           std::uint64_t{own} << (1 + kIndexBits + kGenerationBits);
  }
  constexpr bool operator==(const Link&) const = default;
};

// Units [first, last].
struct Range {
  std::uint64_t first = 0;
  std::uint64_t last = 0;
};

// A node of this client, taken for an acquisition.
struct Mine {
  std::uint32_t slot = 0;  // index among all its nodes
  NodeRef ref;
};

class Nodes {
 public:
  // `each` nodes on each server, where those of the first client come first.
  Nodes(std::uint32_t client, std::uint32_t servers, std::uint32_t each,
        std::uint32_t generation_bits)
      : base_(client * each + 1),
        each_(each),
        generations_((1U << generation_bits) - 1),
        slots_(servers * each) {}

  std::optional<Mine> take(NodeId server) {
    const std::uint32_t begin = begin_of(server);
    for (std::uint32_t slot = begin; slot < begin + each_; ++slot) {
      if (slots_[slot].state != State::free) continue;
      slots_[slot].state = State::used;
      slots_[slot].generation = (slots_[slot].generation + 1) & generations_;
      return Mine{slot, {base_ + (slot - begin), slots_[slot].generation}};
    }
    return {};
  }
  // The node is in no list, or has been unlinked.
  void free(std::uint32_t slot) { slots_[slot].state = State::free; }
  // The node is marked, and may still be in the list of `entry`.
  void released(std::uint32_t slot, RemoteAddr entry, std::uint64_t first) {
    slots_[slot].state = State::released;
    slots_[slot].entry = entry;
    slots_[slot].first = first;
  }
  // The server failed, and the state of the node is unknown.
  void lost(std::uint32_t slot) { slots_[slot].state = State::lost; }

  // This client has unlinked a node, its own or another client's, from a list on this server.
  void taken_out(NodeId server, std::uint32_t index) {
    if (index >= base_ && index < base_ + each_) free(begin_of(server) + (index - base_));
  }
  // No node whose range in this list was released and began at or before `last` is in it any more.
  void all_gone(RemoteAddr entry, std::uint64_t last) {
    for (Slot& slot : slots_)
      if (slot.state == State::released && slot.entry == entry && slot.first <= last)
        slot.state = State::free;
  }
  bool has_free(NodeId server) const {
    const std::uint32_t begin = begin_of(server);
    for (std::uint32_t slot = begin; slot < begin + each_; ++slot)
      if (slots_[slot].state == State::free) return true;
    return false;
  }
  // A list on this server that may still contain a released node.
  std::optional<RemoteAddr> with_released(NodeId server) const {
    const std::uint32_t begin = begin_of(server);
    for (std::uint32_t slot = begin; slot < begin + each_; ++slot)
      if (slots_[slot].state == State::released) return slots_[slot].entry;
    return {};
  }

 private:
  enum class State : std::uint32_t { free, used, released, lost };
  struct Slot {
    State state = State::free;
    std::uint32_t generation = 0;
    std::uint64_t first = 0;  // first unit of the released range
    RemoteAddr entry;         // of the list from which it was released
  };
  std::uint32_t begin_of(NodeId server) const { return (server.value - 1U) * each_; }

  std::uint32_t base_;  // index of the client's first node on each server
  std::uint32_t each_;
  std::uint32_t generations_;  // mask of the generation bits in use
  std::vector<Slot> slots_;    // server by server
};

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

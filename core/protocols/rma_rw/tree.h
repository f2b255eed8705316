#pragma once
// The layout of the tree's words on client nodes: a set for each lock (Layout::node_lock_bytes), at
// the same offsets on all nodes. rma_rw.h describes their contents.
//
// Levels count from the nodes up, as in the platform; the last is the root, whose tail is in the
// lock's entry. An element is a group of client nodes of one level below the root. Its words are on
// its first client node; tails name it by that node's index + 1.

#include <cstdint>
#include <vector>

#include "core/protocols/lock.h"
#include "core/protocols/rma_rw/options.h"

namespace latchlab::rma_rw {

class Tree {
 public:
  Tree(const Options& options, const Peers& peers, NodeId own);

  static std::uint64_t bytes(const Options& options, const Shape& shape);

  unsigned root() const { return static_cast<unsigned>(hosts_.size()); }
  // The name of this node's element of a level below the root in its parent's queue.
  std::uint64_t element(unsigned level) const { return hosts_[level] + 1ULL; }
  // The tail of the queue of this node's element, or of the root's queue.
  RemoteAddr tail(LockRef lock, unsigned level) const;
  // NEXT and STATUS of an element of this level in its parent's queue.
  RemoteAddr place(LockRef lock, unsigned level, std::uint64_t name) const;

  std::uint64_t counters() const { return counters_; }
  RemoteAddr counter(LockRef lock, std::uint64_t which) const;
  std::uint64_t counter_of(ClientId client) const { return client.value / clients_per_counter_; }

 private:
  struct Spot {
    std::uint64_t host = 0;  // index of the client node
    std::uint64_t slot = 0;
  };
  Spot spot_of(std::uint64_t counter) const;
  std::uint64_t host_of(std::uint64_t counter) const;
  RemoteAddr words(LockRef lock, std::uint64_t host) const;

  const Peers& peers_;
  std::uint64_t clients_per_counter_;
  std::uint64_t counters_;
  std::uint64_t slots_;
  bool by_owner_ = true;              // a counter is on its first client's node
  std::vector<std::uint32_t> hosts_;  // of this node's elements, by level, below the root
};

}  // namespace latchlab::rma_rw

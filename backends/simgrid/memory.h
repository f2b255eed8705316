#pragma once
// The nodes' registered memory: what RNICs and CPUs may touch, how they change it, and what of it
// the host's CPU cache holds. Whoever waits for a word is told of each change.

#include <cstdint>
#include <functional>
#include <span>

#include "backends/simgrid/nodes.h"
#include "backends/simgrid/record.h"
#include "backends/simgrid/sim_operation.h"
#include "backends/simgrid/tag_cache.h"
#include "core/verbs/sparse_memory.h"

namespace latchlab::sim {

class Waits;

class Memory {
 public:
  Memory(const WorldPlan& plan, const Nodes& nodes, Record& record, Waits& waits);

  std::uint64_t& word(RemoteAddr addr) { return of_[addr.node].words.word(addr.offset); }
  // All that the node had is lost: its memory is as it was at first.
  void lose(NodeId node);
  // More zeroed memory; its offset.
  std::uint64_t allocate(NodeId node, std::uint64_t bytes) { return of_[node].words.grow(bytes); }

  // ---- one-sided verbs ----
  // Whether there is such a verb on such memory, at either end.
  bool allows(const SimOperation& op) const;
  // What a WRITE from registered memory takes along when it leaves.
  void pick_up(SimOperation& op);
  // The effect of a READ or WRITE.
  void move(SimOperation& op);
  // What a READ of many words has brought back.
  void put_down(SimOperation& op);
  // The two ends of an atomic: it writes whole words, whatever has come in between.
  void read_atomic(SimOperation& op);
  void write_atomic(const SimOperation& op);
  bool on_device(RemoteAddr addr) const {  // in memory of the RNIC
    return device_ && addr.offset < of_[addr.node].device_bytes;
  }
  // Extra time of an RNIC that touches a line which the host's cache does not hold; it does then.
  Duration cache_miss(const Verb& verb) {
    return caches_ && !on_device(verb.addr) ? touch(verb.addr, verb.bytes) : Duration{};
  }

  // ---- CPUs ----
  void access(SimOperation& op);

 private:
  struct OfNode {
    SparseMemory words;
    std::uint64_t planned_bytes = 0;
    std::uint64_t device_bytes = 0;  // offsets below lie in the RNIC's memory
    TagCache cache;
    Duration miss;  // 0: there is no cache to speak of
  };
  SparseMemory fresh(NodeId node) const;
  bool allows_local(const SimOperation& op) const;
  void load_words(SimOperation& op);
  Duration touch(RemoteAddr addr, std::uint64_t bytes);

  PerNode<OfNode> of_;
  const std::function<void(NodeId, std::uint64_t, std::span<std::uint64_t>)> image_;
  Record& record_;
  Waits& waits_;
  // Whether any node has them.
  bool device_ = false;
  bool caches_ = false;
};

}  // namespace latchlab::sim

#pragma once
// The nodes' registered memory: which accesses of RNICs and CPUs are allowed, their effect, and
// which lines the host's CPU cache holds. A change of a word passes to the waits for that word.

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "backends/simgrid/station.h"
#include "core/base/lookup.h"
#include "core/verbs/sparse_memory.h"

namespace latchlab::sim {

// The lines of a node's memory that its CPU's cache holds: a set-associative array of tags with LRU
// replacement. Deterministic: the same accesses always give the same hits.
class TagCache {
 public:
  static constexpr std::uint64_t kLineBytes = 64;
  static constexpr std::uint64_t kWays = 16;

  TagCache() = default;
  // At least one set; its memory is allocated at the first access.
  explicit TagCache(std::uint64_t bytes)
      : set_count_(std::max<std::uint64_t>(bytes / (kLineBytes * kWays), 1)) {}

  // Touches every line of [offset, offset + bytes); true if all of them were cached.
  bool touch(std::uint64_t offset, std::uint64_t bytes) {
    bool hit = true;
    for (std::uint64_t line = offset / kLineBytes; line <= (offset + bytes - 1) / kLineBytes;
         ++line)
      hit = touch_line(line) && hit;
    return hit;
  }

 private:
  using Set = std::array<std::uint64_t, kWays>;  // tags + 1, most recent first; 0: empty

  bool touch_line(std::uint64_t line) {
    if (sets_.empty()) sets_.resize(set_count_);
    Set& set = sets_[line % set_count_];
    const std::uint64_t tag = line / set_count_ + 1;
    const auto found = std::find(set.begin(), set.end(), tag);
    const bool hit = found != set.end();
    std::rotate(set.begin(), hit ? found : set.end() - 1, hit ? found + 1 : set.end());
    set.front() = tag;
    return hit;
  }

  std::uint64_t set_count_ = 1;
  std::vector<Set> sets_;
};

// Which caches of a node hold a line that CPUs use, and when it has reached the one that asked for
// it last.
struct CpuLine {
  std::uint64_t holders = 0;  // a bit for each cache, modulo 64
  Time free;
};

class Memory : Station {
 public:
  Memory(SimContext& context, const WorldPlan& plan);

  std::uint64_t& word(RemoteAddr addr) { return of_[addr.node].words.word(addr.offset); }
  // The node has lost its memory: it is as at the start of the run.
  void lose(NodeId node);
  // Adds zeroed memory; returns its offset.
  std::uint64_t allocate(NodeId node, std::uint64_t bytes) { return of_[node].words.grow(bytes); }

  // ---- one-sided verbs ----
  // Whether the verb fits the memory that it names, remote and local.
  bool allows(const SimOperation& op) const;
  // Takes the payload of a WRITE from registered memory, when the request leaves.
  void pick_up(SimOperation& op);
  // The effect of a READ or WRITE.
  void move(SimOperation& op);
  // Delivers the data that a READ of many words has brought back.
  void put_down(SimOperation& op);
  // The two ends of an atomic: the second writes whole words, and overwrites any change in between.
  void read_atomic(SimOperation& op);
  void write_atomic(const SimOperation& op);
  // Extra time of an RNIC for a line that the host's cache does not hold. The access loads the
  // line.
  Duration cache_miss(const Verb& verb) {
    return caches_ && !nodes_.on_device(verb.addr) ? touch(verb.addr, verb.bytes) : Duration{};
  }

  // ---- CPUs ----
  void access(SimOperation& op);
  // How long an access to a word takes that a core with this cache begins now: it waits for the
  // line if another core or an RNIC has changed it, and for whatever asked for that line before.
  Duration access_time(const NicModel& nic, std::uint32_t cache, RemoteAddr word, bool writes);
  // A core with this cache has looked at the word, and goes on looking.
  void share(RemoteAddr word, std::uint32_t cache) { line_of(word).holders |= bit_of(cache); }

  // The waits for a word. The list of a word stays when it is empty.
  using Watchers = std::vector<SimWait*>;
  void watch(RemoteAddr word, SimWait& wait) {
    of_[word.node].watched[word.offset].push_back(&wait);
  }
  void watch_no_more(RemoteAddr word, const SimWait& wait) {
    if (Watchers* const known = of_[word.node].watched.find(word.offset)) std::erase(*known, &wait);
  }

 private:
  struct OfNode {
    SparseMemory words;
    std::uint64_t planned_bytes = 0;
    TagCache cache;
    Duration miss;             // 0: no cache is modelled
    Lookup<Watchers> watched;  // by offset
    Lookup<CpuLine> lines;     // that CPUs have used, by offset / kLineBytes
  };
  SparseMemory fresh(NodeId node) const;
  bool allows_local(const SimOperation& op) const;
  Duration touch(RemoteAddr addr, std::uint64_t bytes);
  void changed(RemoteAddr word) {
    if (of_[word.node].watched.size() > 0) tell_watchers(word);
  }
  CpuLine& line_of(RemoteAddr word) {
    return of_[word.node].lines[word.offset / TagCache::kLineBytes];
  }
  static std::uint64_t bit_of(std::uint32_t cache) { return 1ULL << (cache % 64); }
  void tell_watchers(RemoteAddr word);
  // By an RNIC: no cache holds the line any more.
  void changed_from_outside(RemoteAddr word) {
    OfNode& node = of_[word.node];
    if (node.lines.size() > 0)
      if (CpuLine* const line = node.lines.find(word.offset / TagCache::kLineBytes))
        line->holders = 0;
    changed(word);
  }

  PerNode<OfNode> of_;
  const std::function<void(NodeId, std::uint64_t, std::span<std::uint64_t>)> image_;
  bool caches_ = false;  // whether any node has a modelled cache
};

}  // namespace latchlab::sim

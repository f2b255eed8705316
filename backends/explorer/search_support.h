#pragma once
// State that a search and its model share. It is outside the model's arenas, so that restoring a
// state does not change it.

#include <algorithm>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "backends/explorer/arena.h"
#include "core/base/ids.h"
#include "core/base/time.h"

namespace latchlab::explorer {

// Facts about a protocol, learned in any order of events. They only grow. The reduction of steps
// relies on them, so a search that has learned a new fact is run again.
class SearchFacts {
 public:
  bool reads_membership() const { return reads_membership_; }
  // RNIC atomics work on the word, and WRITEs or CPU accesses change it: the two halves of an
  // atomic are distinguishable.
  bool mixed(RemoteAddr word) const { return contains(mixed_, word); }

  void membership_read() {
    grew_ = grew_ || !reads_membership_;
    reads_membership_ = true;
  }
  void atomic_on(RemoteAddr word) {
    if (add(atomic_, word) && contains(written_, word)) grew_ = add(mixed_, word) || grew_;
  }
  void written(RemoteAddr word) {
    if (add(written_, word) && contains(atomic_, word)) grew_ = add(mixed_, word) || grew_;
  }
  // Code of one actor has changed an arena that it did not touch: see Snapshot.
  bool strays() const { return strays_; }
  void strayed() {
    grew_ = grew_ || !strays_;
    strays_ = true;
  }
  // Clients draw random numbers, of which each has its own.
  bool draws() const { return draws_; }
  void drew() {
    grew_ = grew_ || !draws_;
    draws_ = true;
  }
  // As words of a trace, and back.
  std::vector<std::vector<std::uint64_t>> mixed_words() const {
    std::vector<std::vector<std::uint64_t>> rows;
    for (const std::uint64_t word : mixed_) rows.push_back({word});
    return rows;
  }
  static SearchFacts restored(std::vector<std::uint64_t> mixed, bool reads_membership) {
    SearchFacts facts;
    facts.mixed_ = std::move(mixed);
    std::sort(facts.mixed_.begin(), facts.mixed_.end());
    facts.reads_membership_ = reads_membership;
    return facts;
  }
  // Whether facts were added since the last call of grew().
  bool grown() const { return grew_; }
  bool grew() { return std::exchange(grew_, false); }

 private:
  using Set = std::vector<std::uint64_t>;  // sorted
  static bool contains(const Set& set, RemoteAddr word) {
    return std::binary_search(set.begin(), set.end(), word.packed());
  }
  static bool add(Set& set, RemoteAddr word) {
    const auto at = std::lower_bound(set.begin(), set.end(), word.packed());
    if (at != set.end() && *at == word.packed()) return false;
    const ArenaScope heap(nullptr);
    set.insert(at, word.packed());
    return true;
  }

  Set atomic_, written_, mixed_;
  bool reads_membership_ = false;
  bool strays_ = false;
  bool draws_ = false;
  bool grew_ = false;
};

// The model of a timed search. Every leg of every verb, message and call (from posting to effect,
// and from effect to completion) takes any one of `latencies`. Code on CPUs takes no time.
struct TimedModel {
  std::vector<Duration> latencies;  // ascending; empty: the search is untimed
  // How much faster each node's clock runs, by NodeId; missing: 0.
  std::vector<std::int64_t> drift_ppm;

  std::int64_t drift(NodeId node) const {
    return node.value < drift_ppm.size() ? drift_ppm[node.value] : 0;
  }
};

struct SearchSupport {
  Arenas arenas;
  SearchFacts facts;
  TimedModel time;
  // Whether these bytes belong to the lock. Accesses to other registered memory are violations.
  std::function<bool(RemoteAddr, std::uint64_t)> owned;
  bool timed() const { return !time.latencies.empty(); }
  // Merges steps that are indistinguishable from one step, and makes steps that commute with all
  // others at once: see forced_step.
  bool reduce = true;
  bool may_crash = false;  // clients of this search may crash
  // By NodeId: the arenas of its node and server parts. What runs on a node may change them.
  std::vector<ArenaSet> parts;
};

}  // namespace latchlab::explorer

#pragma once
// What a search and the world it explores share. It lies outside the world's arenas, so that it
// survives when a state is put back.

#include <algorithm>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "backends/explorer/arena.h"
#include "core/base/ids.h"
#include "core/base/time.h"

namespace latchlab::explorer {

// What has been seen of a protocol so far, in any order of events. It only grows. Steps are merged
// as it allows; so a search that ends with more than it began with is run again.
class SearchFacts {
 public:
  bool reads_membership() const { return reads_membership_; }
  // An atomic of an RNIC works on the word, and a WRITE or a CPU changes it: the atomic's two
  // halves can be told apart.
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
  // Since it was last asked.
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
  bool grew_ = false;
};

// What a timed search takes for possible. Every leg of every verb, message and call (from its
// posting to its effect, from there to its completion) takes one of `latencies`, whichever is
// worst. The code of CPUs takes no time.
struct TimedModel {
  std::vector<Duration> latencies;      // ascending; empty: the search is untimed
  std::vector<std::int64_t> drift_ppm;  // by NodeId; missing: 0. How much faster its clock runs

  std::int64_t drift(NodeId node) const {
    return node.value < drift_ppm.size() ? drift_ppm[node.value] : 0;
  }
};

struct SearchSupport {
  Arenas arenas;
  SearchFacts facts;
  TimedModel time;
  // Do these bytes belong to the lock? What else there is in registered memory is not to be
  // touched.
  std::function<bool(RemoteAddr, std::uint64_t)> owned;
  bool timed() const { return !time.latencies.empty(); }
  // Steps that nobody can tell apart from one are made as one, and steps that commute with
  // everything else are made at once: see forced_step.
  bool reduce = true;
  bool may_crash = false;  // clients of this search may crash
};

}  // namespace latchlab::explorer

#pragma once
// The ranges of one object, held and waited for, in one interval tree. A request waits for all
// requests that are in the tree already and whose ranges overlap its own.

#include <map>

#include "core/protocols/common/range_server/object_ranges.h"
#include "core/protocols/interval_tree/tree.h"

namespace latchlab::interval_tree {

// Of two ranges that overlap, the later one counts the earlier in `ahead` while that is in the
// tree. A request with none ahead holds its range.
class LineOfRanges final : public range_server::ObjectRanges {
 public:
  using Asker = range_server::Asker;

  bool acquire(const range_server::Asked& asked, const PendingCall& call) override;
  void release(const Asker& who, Calls& granted) override;
  std::optional<PendingCall> withdraw(const Asker& who, Calls& granted) override;
  bool holds(const Asker& who) const override;
  std::uint64_t holders() const override { return requests_.size() - waiters_; }
  std::uint64_t waiters() const override { return waiters_; }
  std::uint64_t take_steps() override;

 private:
  struct OfOne {
    range_server::Span span;
    std::uint64_t order = 0;
    std::uint64_t ahead = 0;
    PendingCall call;
  };

  void leave(std::map<Asker, OfOne>::iterator one, Calls& granted);

  IntervalTree tree_;
  std::map<Asker, OfOne> requests_;
  std::uint64_t waiters_ = 0;
  std::uint64_t came_ = 0;     // requests so far, since the tree was last empty
  std::uint64_t sharing_ = 0;  // steps along requests that share a node
};

}  // namespace latchlab::interval_tree

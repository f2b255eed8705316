#pragma once
// Waiting for structures that hold disjoint ranges, and so have no place for waiting requests. A
// request that meets a holder is queued behind that holder, and tries again when the holder
// releases; requests behind one holder try in the order of arrival. Later requests do not see them:
// a range that overlaps no holder is granted before requests that wait for some of its units.
//
// When several wait behind one holder and one of them has been granted its range, the others learn
// that they overlap it by a search of the structure each (`Tries::all`), or by comparing with the
// ranges that have just been granted, which is no step (`those_that_fit`). The lock decides.

#include <list>
#include <map>

#include "core/base/zero_padding.h"
#include "core/protocols/common/range_server/object_ranges.h"

namespace latchlab::range_server {

struct Held {
  Span span;
  Asker who;
};

enum class Tries : std::uint8_t { all, those_that_fit };

// Disjoint ranges, each with its holder. Counts its steps.
class DisjointRanges {
 public:
  virtual ~DisjointRanges() = default;
  // Inserts the range, unless it overlaps one that is there: then returns that one's holder.
  virtual std::optional<Asker> try_insert(const Held& held) = 0;
  // False: it is not there.
  virtual bool erase(const Held& held) = 0;
  std::uint64_t take_steps() { return std::exchange(steps_, 0); }

 protected:
  void step() { ++steps_; }

 private:
  std::uint64_t steps_ = 0;
};

// `Structure` is DisjointRanges.
class HolderRanges : public ObjectRanges {
 public:
  // `meets_another`: LATCHLAB_PATH for a retry that meets another holder.
  HolderRanges(DisjointRanges& structure, void (*meets_another)(), Tries tries)
      : structure_(structure), meets_another_(meets_another), tries_(tries) {}

  bool acquire(const Asked& asked, const PendingCall& call) override;
  void release(const Asker& who, Calls& granted) override;
  std::optional<PendingCall> withdraw(const Asker& who, Calls& granted) override;
  bool holds(const Asker& who) const override { return holders_.count(who) != 0; }
  std::uint64_t holders() const override { return holders_.size(); }
  std::uint64_t waiters() const override { return waiting_.size(); }
  std::uint64_t take_steps() override { return structure_.take_steps(); }

 private:
  struct Waiter {
    Held wanted;
    Asker behind;  // the holder that it waits for
    PendingCall call;
  };

  std::optional<Asker> in_the_way(const Held& wanted, const std::vector<Held>& let_in);

  DisjointRanges& structure_;
  void (*meets_another_)();
  const Tries tries_;
  const ZeroPadding<std::uint8_t, 7> padding_ = {};
  std::map<Asker, Span> holders_;
  std::list<Waiter> waiting_;  // in the order of arrival
};

// HolderRanges with a structure of its own.
template <class Structure>
class HoldersIn final : public HolderRanges {
 public:
  explicit HoldersIn(void (*meets_another)(), Tries tries = Tries::all)
      : HolderRanges(own_, meets_another, tries) {}

 private:
  Structure own_;
};

}  // namespace latchlab::range_server

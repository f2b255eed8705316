#pragma once
// The parameters of citron (citron.h says what they mean), and what follows from them.

#include <algorithm>
#include <cstdint>

#include "core/base/time.h"
#include "core/protocols/citron/node_word.h"
#include "core/protocols/dslr/rules.h"

namespace latchlab::citron {

enum class Occupy : std::uint8_t { cas, faa };
enum class Reread : std::uint8_t { all, above };
enum class Patience : std::uint8_t { levels, one_lease };
enum class Fallback : std::uint8_t { cover, node };
enum class Expansion : std::uint8_t { counted, flag };
enum class OutOfBounds : std::uint8_t { looked_at, trusted };
enum class TooLate : std::uint8_t { pauses, at_once };
enum class Acknowledge : std::uint8_t { when_out, at_once };
enum class BetweenNodes : std::uint8_t { pass, wait };
enum class Retry : std::uint8_t { node, range };
enum class LeafBits : std::uint8_t { behind, before };
enum class Undo : std::uint8_t { fenced, always };
enum class Suspects : std::uint8_t { outwaited, cleared };
enum class Propagation : std::uint8_t { batched, one_by_one };

// The base is the options of the spillover mutex; both locks use its `lease`.
struct Options : dslr::Options {
  std::uint64_t units = std::uint64_t{1} << 28U;  // N, of the initial tree
  unsigned nodes = 2;                             // k, at most so many nodes cover a range
  unsigned meet = 4;                              // m, of so many levels one is notified
  Duration t_wait = microseconds(15);
  std::int64_t drift_ppm = 100;
  Duration split_time = nanoseconds(500);
  bool batch_search = true;
  bool batch_occupy = true;
  bool lock_children = true;
  std::uint32_t leaf_tries = 8;
  Duration poll_pause = {};
  Duration scale_up_poll = {};   // zero: never
  unsigned scale_up_levels = 1;  // at least
  Duration allocation_time = microseconds(50);
  Propagation propagation = Propagation::batched;
  Duration tune_after = {};  // zero: never
  unsigned tune_meet = 4;
  Duration tune_t_wait = microseconds(15);
  // Printed forms and their repairs.
  Occupy occupy = Occupy::cas;
  Reread reread = Reread::all;
  Patience patience = Patience::levels;
  Fallback fallback = Fallback::cover;
  BetweenNodes between_nodes = BetweenNodes::pass;
  Expansion expansion = Expansion::counted;
  OutOfBounds out_of_bounds = OutOfBounds::looked_at;
  Acknowledge acknowledge = Acknowledge::when_out;
  TooLate too_late = TooLate::pauses;
  LeafBits leaf_bits = LeafBits::behind;
  Retry retry = Retry::node;
  Undo undo = Undo::fenced;
  Suspects suspects = Suspects::outwaited;

  unsigned counter_bits = 15;
  unsigned exp_bits = 3;

  NodeWord node{15, 3};
  unsigned height = 0;  // of the initial tree: leaves have height 0
  void derive() {
    dslr::Options::derive();
    node = NodeWord(counter_bits, exp_bits);
    for (height = 0; height < 29 && (std::uint64_t{64} << (2 * height)) < units;) ++height;
  }

  bool scales() const { return scale_up_poll.ps > 0; }
  bool tunes() const { return tune_after.ps > 0; }
  bool recovers() const { return lease.ps > 0; }
};

// m and T_wait for a request that notifies ancestors (`tell_meet`, `in_time`), and for one that
// waits for descendants (`look_meet`, `wait`). They differ only while the values are changed
// (3.5.5).
struct Tuning {
  unsigned tell_meet = 0;
  unsigned look_meet = 0;
  Duration in_time;
  Duration wait;

  static Tuning of(unsigned meet, Duration t_wait) { return {meet, meet, t_wait, t_wait}; }
  static Tuning between(const Tuning& one, const Tuning& other) {
    return {std::min(one.tell_meet, other.tell_meet), std::max(one.look_meet, other.look_meet),
            std::min(one.in_time, other.in_time), std::max(one.wait, other.wait)};
  }
};

}  // namespace latchlab::citron

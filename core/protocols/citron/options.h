#pragma once
// The parameters of citron (citron.h says what they mean), and what follows from them.

#include <algorithm>
#include <cstdint>

#include "core/base/time.h"
#include "core/protocols/common/masks.h"
#include "core/protocols/dslr/rules.h"
#include "core/verbs/verbs.h"

namespace latchlab::citron {

// An internal node of the lock tree as one word (CITRON 3.4, Figure 3), and the verbs on it.
struct Node {
  std::uint32_t exp = 0;    // how often the tree has been expanded with this node near its top
  std::uint32_t occ = 0;    // 1: a request has this node, and those below wait for it
  std::uint32_t t_cnt = 0;  // the ticket that is served at this node
  std::uint32_t t_max = 0;  // the next ticket to be given
  std::uint32_t d_cnt = 0;  // of the requests below that notified this node, those that are over
  std::uint32_t d_max = 0;  // requests below that notified this node
  constexpr bool operator==(const Node&) const = default;
};

// From the lowest bit: DMax, DCnt, TMax, TCnt of `counter_bits` each, Occ of one bit, Exp. The
// widths in the paper's figure are lost; counters of 15 bits leave four bits for Occ and Exp.
class NodeWord {
 public:
  constexpr NodeWord(unsigned counter_bits, unsigned exp_bits)
      : counter_(counter_bits), exp_(exp_bits) {}

  constexpr Node unpack(std::uint64_t word) const {
    return {field(word, occ_at() + 1, exp_),     field(word, occ_at(), 1),
            field(word, 3 * counter_, counter_), field(word, 2 * counter_, counter_),
            field(word, counter_, counter_),     field(word, 0, counter_)};
  }
  constexpr std::uint64_t pack(const Node& node) const {
    return put(node.exp, occ_at() + 1, exp_) | put(node.occ, occ_at(), 1) |
           put(node.t_cnt, 3 * counter_, counter_) | put(node.t_max, 2 * counter_, counter_) |
           put(node.d_cnt, counter_, counter_) | put(node.d_max, 0, counter_);
  }

  // Adds field by field, without carries between them. To subtract n, add the field's modulus less
  // n.
  Verb add(RemoteAddr addr, const Node& amounts) const {
    return masked_faa_verb(addr, 8, {pack(amounts), 0}, {tops(), 0});
  }
  // If the fields of `mask` are as in `expected`, they become as in `desired`. In `mask` a field
  // that takes part is all ones.
  Verb swap(RemoteAddr addr, const Node& expected, const Node& desired, const Node& mask) const {
    return masked_cas_verb(addr, 8, {pack(expected), 0}, {pack(mask), 0}, {pack(desired), 0},
                           {pack(mask), 0});
  }
  constexpr std::uint32_t counter_ones() const { return ones(counter_); }

  // For counters and tickets, which wrap around.
  constexpr std::uint32_t minus(std::uint32_t one, std::uint32_t other) const {
    return (one - other) & ones(counter_);
  }
  constexpr std::uint32_t plus(std::uint32_t one, std::uint32_t other) const {
    return (one + other) & ones(counter_);
  }
  // Has TCnt gone beyond this ticket?
  constexpr bool passed(std::uint32_t t_cnt, std::uint32_t ticket) const {
    const std::uint32_t beyond = minus(t_cnt, ticket);
    return beyond != 0 && beyond <= ones(counter_) / 2;
  }
  constexpr std::uint32_t expansions_between(std::uint32_t before, std::uint32_t after) const {
    return (after - before) & ones(exp_);
  }
  constexpr std::uint32_t as_exp(std::uint64_t expansions) const {
    return static_cast<std::uint32_t>(expansions) & ones(exp_);
  }
  constexpr unsigned counter_bits() const { return counter_; }

 private:
  constexpr unsigned occ_at() const { return 4 * counter_; }
  static constexpr std::uint32_t ones(unsigned bits) { return (1U << bits) - 1; }
  static constexpr std::uint32_t field(std::uint64_t word, unsigned at, unsigned bits) {
    return static_cast<std::uint32_t>(field_of(word, at, bits));
  }
  static constexpr std::uint64_t put(std::uint32_t value, unsigned at, unsigned bits) {
    return (std::uint64_t{value} << at) & field_mask(at, bits);
  }
  constexpr std::uint64_t tops() const {
    return field_top(0, counter_) | field_top(counter_, counter_) |
           field_top(2 * counter_, counter_) | field_top(3 * counter_, counter_) |
           field_top(occ_at(), 1) | field_top(occ_at() + 1, exp_);
  }

  unsigned counter_, exp_;
};

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
enum class ScaleUpBy : std::uint8_t { clients, poller };
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
  Duration scale_up_poll = {};  // zero: never
  ScaleUpBy scale_up_by = ScaleUpBy::clients;
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
  bool polls() const { return scales() && scale_up_by == ScaleUpBy::poller; }
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

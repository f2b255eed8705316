#pragma once
// Waits as data. A protocol never loops over READs or over an empty mailbox itself: it describes
// the condition, and the backend waits. The simulator and hardware issue every probe; in the
// explorer a wait is one step, enabled when its condition holds.

#include <array>
#include <cstdint>
#include <span>
#include <type_traits>

#include "core/base/ids.h"
#include "core/base/inline_function.h"
#include "core/base/small_vector.h"
#include "core/base/time.h"
#include "core/base/zero_padding.h"
#include "core/verbs/message.h"
#include "core/verbs/verb.h"

namespace latchlab {

// ---- local waits: messages, words in own memory, a deadline ----

using MessageFilter = InlineFunction<bool(const Message&)>;
using WordPredicate = InlineFunction<bool(std::uint64_t)>;

struct MessageWait {
  EndpointAddr endpoint;  // own, from open_endpoint
  MessageFilter filter;   // rejected messages stay queued, in order; empty: any message
};

struct WordWait {
  RemoteAddr word;  // registered memory of the own node, aligned to 8
  WordPredicate until;
};

// How often a server has failed or come back. Odd: it has failed and is not back. It comes back
// with its initial memory.
struct ServerLife {
  std::uint32_t changes = 0;
  constexpr bool up() const { return changes % 2 == 0; }
  constexpr bool operator==(const ServerLife&) const = default;
};

// Ends when the first of its conditions holds. At least one condition is set.
struct WaitSet {
  std::array<MessageWait, 2> messages = {};
  std::array<WordWait, 4> words = {};
  std::uint8_t message_count = 0;
  std::uint8_t word_count = 0;
  NodeId server = kNoNode;  // wakes by membership when this server's life differs from `life`
  ServerLife life;
  Time deadline = kNever;                  // on the own node's clock
  std::uint64_t membership_after = ~0ULL;  // wakes when the membership's version exceeds this

  void add(const MessageWait& wait) { messages[message_count++] = wait; }
  void add(const WordWait& wait) { words[word_count++] = wait; }
};

enum class Woke : std::uint8_t { message, word, deadline, membership };

struct WaitOutcome {
  Woke by = Woke::deadline;
  std::uint8_t index = 0;  // which message or word wait
  ZeroPadding<std::uint8_t, 6> padding = {};
  std::uint64_t value = 0;  // the word that satisfied its predicate
  Message message;
};
static_assert(std::has_unique_object_representations_v<WaitOutcome>);

// ---- waiting for remote memory ----

inline constexpr std::size_t kMaxProbes = 16;
inline constexpr std::uint32_t kMaxProbeBytes = 16 * 1024;  // of all probes of a wait together

// The result of one round of probes: for each probe its first 16 bytes, and all its words. Up to 64
// bytes need no allocation.
class ProbeValues {
 public:
  Words operator[](std::size_t probe) const {
    const std::span<const std::uint64_t> all = words(probe);
    return {all.empty() ? 0 : all[0], all.size() > 1 ? all[1] : 0};
  }
  // If the width is no multiple of 8, the last word is padded with zeros.
  std::span<const std::uint64_t> words(std::size_t probe) const {
    return {words_.data() + begin_[probe], begin_[probe + 1] - std::size_t{begin_[probe]}};
  }
  bool operator==(const ProbeValues& other) const { return words_ == other.words_; }

  // ---- for the implementation of waits ----
  // Makes room for the words that these probes read, all zero.
  void lay_out(const Verb* probes, std::size_t count);
  std::span<std::uint64_t> words(std::size_t probe) {
    return {words_.data() + begin_[probe], begin_[probe + 1] - std::size_t{begin_[probe]}};
  }
  void set(std::size_t probe, const Words& value);
  void set(std::size_t probe, const std::uint64_t* words);

 private:
  SmallVector<std::uint64_t, 8> words_;
  std::array<std::uint16_t, kMaxProbes + 1> begin_ = {};
};

enum class Verdict : std::uint8_t { pending, done, abandon };

// Returns the value whose change is progress by other actors: compared for `unchanged_for`.
using Observe = InlineFunction<Words(const ProbeValues&)>;

struct RemoteWait {
  // One READ, several READs of one node (one doorbell), or one atomic that has no effect if it does
  // not match.
  SmallVector<Verb, 4> probes;
  InlineFunction<Verdict(const ProbeValues&)> classify;                       // pure
  InlineFunction<Duration(const ProbeValues&, std::uint64_t misses)> pacing;  // empty: no pause
  bool pause_first = false;  // pause before the first probe too, with `first_seen` and 0 misses
  Words first_seen = {};     // the value of the first probe for that pause

  // stop conditions
  Time deadline = kNever;             // own node's clock
  Duration unchanged_for = kForever;  // measured on the own clock from the last change seen
  Observe observe;                    // empty: all that was read
  bool stop_on_message = false;
  MessageWait message;

  void add(const Verb& probe) { probes.push_back(probe); }
};

enum class WaitEnd : std::uint8_t {
  satisfied,  // classify returned done
  abandoned,  // classify returned abandon
  deadline,
  unchanged,
  message,  // removed from its queue, see `message`
  failed,   // a probe failed; see `status`
};

struct RemoteWaitResult {
  WaitEnd end = WaitEnd::satisfied;
  VerbStatus status = VerbStatus::ok;
  ProbeValues values;       // of the last round of probes
  std::uint64_t tries = 0;  // probes issued
  Time last_change;         // own clock: when `observe` last returned a new value
  Message message;
};

}  // namespace latchlab

#pragma once
// Writers notify each other by WRITE to the queue node that the tail names. It has two words: NEXT,
// and STATUS, which its owner watches. Derived classes determine where these words are.

#include <cstdint>

#include "core/protocols/rma_rw/notes.h"
#include "core/protocols/rma_rw/tree.h"
#include "core/verbs/verbs.h"

namespace latchlab::rma_rw {

// The readers' counters and the mode in one word: its layout, and every verb on it. rma_rw.h lists
// the fields and which clients change them.
inline constexpr std::uint64_t kWriteMode = 1ULL << 31;
inline constexpr std::uint64_t kOneDeparture = 1ULL << 32;
inline constexpr std::uint64_t kFieldMask = kOneDeparture - 1;
inline constexpr Words kFieldTops = {kWriteMode | 1ULL << 63, 0};

struct Counters {
  std::uint64_t arrive = 0;  // with the mode: no reader may enter at or above the threshold
  std::uint64_t depart = 0;

  constexpr bool writing() const { return arrive >= kWriteMode; }
  constexpr std::uint64_t readers_in() const { return (arrive & ~kWriteMode) - depart; }
};

constexpr Counters unpack_counters(std::uint64_t word) {
  return {word & kFieldMask, word / kOneDeparture};
}

// ---- by readers ----
inline Verb arrive_verb(RemoteAddr counters) {
  return masked_faa_verb(counters, 8, {1, 0}, kFieldTops);
}
inline Verb back_out_verb(RemoteAddr counters) {
  return faa_verb(counters, ~0ULL);  // borrows nothing: the reader has counted itself in
}
inline Verb depart_verb(RemoteAddr counters) {
  return masked_faa_verb(counters, 8, {kOneDeparture, 0}, kFieldTops);
}

// ---- by the first writer ----
inline Verb write_mode_verb(RemoteAddr counters) {
  // Carries nothing: the client that emptied the queue or changed the mode has cleared it before.
  return faa_verb(counters, kWriteMode);
}

// ---- by the client that resets ----

// Subtracts what was seen, both fields and the mode at once; concurrent changes remain.
inline Verb reset_verb(RemoteAddr counters, const Counters& seen) {
  const std::uint64_t arrived = seen.depart + (seen.writing() ? kWriteMode : 0);
  const std::uint64_t add = ((0 - arrived) & kFieldMask) | (0 - seen.depart) * kOneDeparture;
  return masked_faa_verb(counters, 8, {add, 0}, kFieldTops);
}
// First takes all departures, then subtracts as many arrivals.
inline Verb claim_departures_verb(RemoteAddr counters) {
  return masked_cas_verb(counters, 8, {}, {}, {}, {kFieldMask * kOneDeparture, 0});
}
inline Verb take_arrivals_verb(RemoteAddr counters, std::uint64_t claimed) {
  return masked_faa_verb(counters, 8, {(0 - claimed) & kFieldMask, 0}, kFieldTops);
}

inline constexpr std::uint64_t kStatus = 8;  // NEXT is at 0

class WordNotes : public NoteBook {
 public:
  // `by_cpu`: words on the own node are accessed without its RNIC.
  WordNotes(Verbs& verbs, bool by_cpu) : verbs_(verbs), by_cpu_(by_cpu) {}

  Task<void> tell_predecessor(const QueuePlace& place, std::uint64_t predecessor) override;
  Task<std::uint64_t> await_turn(const QueuePlace& place, std::uint64_t predecessor) override;
  Task<void> look_for_successor(QueuePlace& place) override;
  Task<void> await_successor(QueuePlace& place) override;
  Task<void> tell_successor(const QueuePlace& place, std::uint64_t turn) override;

 protected:
  virtual RemoteAddr words_of(LockRef lock, std::uint64_t name) const = 0;
  bool at_home(RemoteAddr words) const { return words.node == verbs_.node(); }
  Verbs& verbs() { return verbs_; }
  // False: the node does not answer.
  Task<bool> put(RemoteAddr word, std::uint64_t value);

 private:
  // Waits until the word differs from `from`, and returns it; kFailed: the node does not answer.
  Task<std::uint64_t> await_change(RemoteAddr word, std::uint64_t from);

  Verbs& verbs_;
  bool by_cpu_;
};

// The places of the elements of one level in their parents' queues. Their words outlive the writer
// that queued the element, so that a later holder of the element's lock can read them.

class ElementNotes final : public WordNotes {
 public:
  ElementNotes(const Tree& tree, Verbs& verbs, unsigned level)
      : WordNotes(verbs, true), tree_(tree), level_(level) {}

  Task<std::uint64_t> open(QueuePlace& place) override;
  void close(const QueuePlace& /*place*/) override {}

  // Called when the lock reaches the own element without a count. False: a node does not answer.
  Task<bool> start(const QueuePlace& place);
  // Reads how often the lock was handed on, and the successor. False: a node does not answer.
  Task<bool> find_out(QueuePlace& place);

 private:
  RemoteAddr words_of(LockRef lock, std::uint64_t name) const override {
    return tree_.place(lock, level_, name);
  }

  const Tree& tree_;
  unsigned level_;
};

}  // namespace latchlab::rma_rw

#pragma once
// Writers notify each other by WRITE to the queue node that the tail names. It has two words: NEXT,
// and STATUS, which its owner watches. Derived classes determine where these words are.

#include "core/protocols/rma_rw/notes.h"
#include "core/protocols/rma_rw/tree.h"

namespace latchlab::rma_rw {

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

#pragma once
// The places of the elements of one level in their parents' queues. Their words outlive the writer
// that queued the element, so that a later holder of the element's lock can read them.

#include "core/protocols/rma_rw/tree.h"
#include "core/protocols/rma_rw/words.h"

namespace latchlab::rma_rw {

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

#pragma once
// The places of elements in their parents' queues, of one level: by WRITE to words that outlive the
// writer who queued the element up, so that whoever has its lock later finds out what is in them.

#include "core/protocols/rma_rw/tree.h"
#include "core/protocols/rma_rw/words.h"

namespace latchlab::rma_rw {

class ElementNotes final : public WordNotes {
 public:
  ElementNotes(const Tree& tree, Verbs& verbs, unsigned level)
      : WordNotes(verbs, true), tree_(tree), level_(level) {}

  Task<std::uint64_t> open(Place& place) override;
  void close(const Place& /*place*/) override {}

  // The lock has come to the own element without a count. False, as below: a node does not answer.
  Task<bool> start(const Place& place);
  // Fills in who the own element is, how often the lock was handed on, and who comes next.
  Task<bool> find_out(Place& place);

 private:
  RemoteAddr words_of(LockRef lock, std::uint64_t name) const override {
    return tree_.place(lock, level_, name);
  }

  const Tree& tree_;
  unsigned level_;
};

}  // namespace latchlab::rma_rw

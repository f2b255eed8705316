// The awaitables of core/verbs/verbs.h: each starts its operation and takes the result.

#include "core/verbs/verbs.h"

namespace latchlab {

namespace {

void note_result(Verbs& verbs, const Operation& op) {
  if (is_atomic(op.verb.kind) && op.completion.ok() && !matched(op.verb, op.completion.value))
    ++verbs.tally().mismatched;
}

}  // namespace

void detail::OperationAwait::await_suspend(std::coroutine_handle<> waiter) const {
  op->waiter = waiter;
  verbs->start(*op);
}

Completion VerbAwait::await_resume() const {
  const Completion result = op->completion;
  note_result(*verbs, *op);
  verbs->recycle(*op);
  return result;
}

VerbStatus SendAwait::await_resume() const {
  const VerbStatus status = op->completion.status;
  verbs->recycle(*op);
  return status;
}

Reply CallAwait::await_resume() const {
  Reply reply = op->call.reply;
  if (!op->completion.ok()) reply.status = op->completion.status;
  verbs->recycle(*op);
  return reply;
}

std::span<const std::uint64_t> words_of(const Operation& op) {
  if (!op.completion.ok()) return {};
  const std::size_t count = (op.verb.bytes + 7) / 8;
  return {op.words != nullptr ? op.words : &op.completion.value.lo, count};
}

ReadWords WordsAwait::await_resume() const {
  return {verbs, op};
}

std::span<const std::uint64_t> ReadWords::words() const {
  return words_of(*op_);
}

ReadWords::~ReadWords() {
  if (op_ != nullptr) verbs_->recycle(*op_);
}

std::uint64_t CpuAwait::await_resume() const {
  const std::uint64_t value = op->completion.value.lo;
  verbs->recycle(*op);
  return value;
}

void PlainAwait::await_resume() const {
  verbs->recycle(*op);
}

void SleepAwait::await_suspend(std::coroutine_handle<> waiter) {
  verbs->start_sleep(*this, waiter);
}
void SleepAwait::await_resume() const {
  if (op != nullptr) verbs->recycle(*op);
}

VerbStatus FlushAwait::await_resume() const {
  const VerbStatus status = op->completion.status;
  verbs->recycle(*op);
  return status;
}

Allocation AllocateAwait::await_resume() const {
  const Allocation result{op->completion.status, op->verb.addr};
  verbs->recycle(*op);
  return result;
}

SynchronisedTime SynchronisedAwait::await_resume() const {
  const SynchronisedTime result{Time{static_cast<std::int64_t>(op->completion.value.lo)},
                                op->length};
  verbs->recycle(*op);
  return result;
}

void WaitAwait::await_suspend(std::coroutine_handle<> waiter) const {
  op->waiter = waiter;
  verbs->start_wait(*op);
}

WaitOutcome WaitAwait::await_resume() const {
  const WaitOutcome outcome = op->outcome;
  verbs->recycle_wait(*op);
  return outcome;
}

}  // namespace latchlab

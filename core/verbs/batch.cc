#include "core/verbs/batch.h"

#include "core/base/check.h"

namespace latchlab {

Batch::~Batch() {
  if (state_ == State::posted) return;  // in flight: the backend keeps the slots
  for (Operation* op = first_; op != nullptr;) {
    Operation* following = op->next;
    verbs_->recycle(*op);
    op = following;
  }
}

int Batch::add(const Verb& verb) {
  LATCHLAB_CHECK(first_ == nullptr ||
                     (first_->kind == OpKind::verb && verb.addr.node == first_->verb.addr.node),
                 "a batch of verbs goes to one node");
  return append(verbs_->prepare_verb(verb));
}

int Batch::add(EndpointAddr target, const Message& message) {
  LATCHLAB_CHECK(first_ == nullptr || first_->kind == OpKind::send,
                 "a batch has verbs or messages, not both");
  return append(verbs_->prepare_send(target, message));
}

int Batch::append(Operation& op) {
  LATCHLAB_CHECK(state_ == State::open, "a batch is filled before it is run");
  if (first_ == nullptr) {
    first_ = &op;
  } else {
    last_->next = &op;
    op.batch = first_;
    ++first_->remaining;
  }
  last_ = &op;
  return count_++;
}

void Batch::Await::await_suspend(std::coroutine_handle<> waiter) const {
  batch->state_ = State::posted;
  batch->first_->waiter = waiter;
  batch->verbs_->start(*batch->first_);
}

void Batch::post() {
  if (first_ == nullptr) return;
  LATCHLAB_CHECK(first_->kind == OpKind::send, "batches of messages are posted detached");
  state_ = State::posted;
  for (Operation* op = first_; op != nullptr; op = op->next) op->detached = true;
  verbs_->start(*first_);
}

const Operation& Batch::at(int index) const {
  LATCHLAB_CHECK(state_ == State::complete && index < count_, "result of a batch before its end");
  const Operation* op = first_;
  while (index-- > 0) op = op->next;
  return *op;
}

Completion Batch::result(int index) const {
  return at(index).completion;
}

std::span<const std::uint64_t> Batch::words(int index) const {
  return words_of(at(index));
}

VerbStatus Batch::status() const {
  for (const Operation* op = first_; op != nullptr; op = op->next)
    if (!op->completion.ok()) return op->completion.status;
  return VerbStatus::ok;
}

}  // namespace latchlab

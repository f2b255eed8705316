#pragma once
// Several verbs or messages posted at once.

#include <coroutine>
#include <cstdint>
#include <span>

#include "core/verbs/verbs.h"

namespace latchlab {

// Either verbs to one node, with one doorbell on one QP, or messages to any endpoints. They are in
// flight at the same time as far as their transport allows. Usage:
//   Batch batch(verbs);
//   const int head = batch.add(faa_verb(...));
//   const int queue = batch.add(read_verb(...));
//   co_await batch.run();
//   use batch.result(head), batch.result(queue)
class Batch {
 public:
  explicit Batch(Verbs& verbs) : verbs_(&verbs) {}
  ~Batch();
  Batch(const Batch&) = delete;
  Batch& operator=(const Batch&) = delete;

  int add(const Verb& verb);  // fenced as verb.fenced says; returns its index
  int add(EndpointAddr target, const Message& message);
  bool empty() const { return first_ == nullptr; }

  struct [[nodiscard]] Await {
    Batch* batch;
    bool await_ready() const noexcept { return batch->first_ == nullptr; }
    void await_suspend(std::coroutine_handle<> waiter) const;
    void await_resume() const noexcept { batch->state_ = State::complete; }
  };
  Await run() { return Await{this}; }
  // Messages only. Detached: returns at once, without results; an error shows at flush. Each
  // message is in flight for as long as its transport retries: half a second, to a dead node.
  void post();
  Completion result(int index) const;
  std::span<const std::uint64_t> words(int index) const;  // of a READ by value; empty: an error
  VerbStatus status() const;                              // the first error, otherwise ok

 private:
  int append(Operation& op);
  const Operation& at(int index) const;
  enum class State : std::uint8_t { open, posted, complete };
  Verbs* verbs_;
  Operation* first_ = nullptr;
  Operation* last_ = nullptr;
  int count_ = 0;
  State state_ = State::open;
};

}  // namespace latchlab

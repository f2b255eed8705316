#pragma once
// What the requests of core/verbs/verbs.h return. Each must be awaited exactly once.

#include <coroutine>
#include <cstdint>
#include <span>
#include <utility>

#include "core/base/ids.h"
#include "core/base/time.h"
#include "core/verbs/operation.h"
#include "core/verbs/wait.h"

namespace latchlab {

class Verbs;

namespace detail {
struct OperationAwait {
  Verbs* verbs;
  Operation* op;
  bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> waiter) const;
};
}  // namespace detail

// The awaitables are trivially destructible.
struct [[nodiscard]] VerbAwait : detail::OperationAwait {
  Completion await_resume() const;
};
struct [[nodiscard]] SendAwait : detail::OperationAwait {
  VerbStatus await_resume() const;
};
struct [[nodiscard]] CallAwait : detail::OperationAwait {
  Reply await_resume() const;
};
// The words that were read: a view into the backend's slot, valid while this object exists.
class ReadWords {
 public:
  ReadWords(Verbs* verbs, Operation* op) : verbs_(verbs), op_(op) {}
  ReadWords(ReadWords&& other) noexcept
      : verbs_(other.verbs_), op_(std::exchange(other.op_, nullptr)) {}
  ReadWords& operator=(ReadWords&&) = delete;
  ~ReadWords();

  VerbStatus status() const { return op_->completion.status; }
  bool ok() const { return op_->completion.ok(); }
  // If the width is no multiple of 8, the last word is padded with zeros. Empty after an error.
  std::span<const std::uint64_t> words() const;
  std::uint64_t operator[](std::size_t index) const { return words()[index]; }

 private:
  Verbs* verbs_;
  Operation* op_;
};
struct [[nodiscard]] WordsAwait : detail::OperationAwait {
  ReadWords await_resume() const;
};
struct [[nodiscard]] CpuAwait : detail::OperationAwait {
  std::uint64_t await_resume() const;
};
struct [[nodiscard]] PlainAwait : detail::OperationAwait {
  void await_resume() const;
};
// A backend may run it without a slot: most clients sleep most of the time.
struct [[nodiscard]] SleepAwait {
  Verbs* verbs;
  Duration length;
  Operation* op = nullptr;  // the slot, if the backend uses one
  bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> waiter);
  void await_resume() const;
};
struct [[nodiscard]] FlushAwait : detail::OperationAwait {
  VerbStatus await_resume() const;  // the first error of a detached verb since the last flush
};
struct Allocation {
  VerbStatus status = VerbStatus::ok;
  RemoteAddr addr;
};
struct [[nodiscard]] AllocateAwait : detail::OperationAwait {
  Allocation await_resume() const;
};
struct SynchronisedTime {
  Time date;       // on the synchronised clock
  Duration error;  // the true date is within +-error
};
struct [[nodiscard]] SynchronisedAwait : detail::OperationAwait {
  SynchronisedTime await_resume() const;
};
struct [[nodiscard]] WaitAwait {
  Verbs* verbs;
  WaitOperation* op;
  bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> waiter) const;
  WaitOutcome await_resume() const;
};

}  // namespace latchlab

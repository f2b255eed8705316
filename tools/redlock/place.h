#pragma once
// Where a client's coroutine runs, and how it waits there for what is no verb: a socket, a date.

#include <chrono>

#include "core/base/check.h"
#include "core/coro/task.h"
#include "core/verbs/verbs.h"

namespace latchlab::bank {

class Place {
 public:
  virtual ~Place() = default;
  virtual Time now() const = 0;  // dates of grants are on this clock
  virtual Task<void> sleep(Duration length) = 0;
  // Until the socket may be read, or else written; false: not before the date.
  virtual Task<bool> ready(int socket, bool to_read, Time until) = 0;
};

// A thread of the client's own: waiting blocks it, so that no task here is ever suspended.
class ThreadPlace final : public Place {
 public:
  explicit ThreadPlace(std::chrono::steady_clock::time_point start) : start_(start) {}
  Time now() const override;
  Task<void> sleep(Duration length) override;
  Task<bool> ready(int socket, bool to_read, Time until) override;

 private:
  std::chrono::steady_clock::time_point start_;  // the date zero
};

// A worker of a backend, with other clients on it: who waits lets them and their verbs go on.
class VerbsPlace final : public Place {
 public:
  explicit VerbsPlace(Verbs& verbs) : verbs_(verbs) {}
  Time now() const override { return verbs_.now(); }
  Task<void> sleep(Duration length) override;
  Task<bool> ready(int socket, bool to_read, Time until) override;

 private:
  Verbs& verbs_;
};

// A task that is never suspended, from its start to its result.
template <class T>
T run_here(Task<T> task) {
  task.start();
  LATCHLAB_CHECK(task.done(), "a task of a thread's place was suspended");
  return task.take_result();
}

}  // namespace latchlab::bank

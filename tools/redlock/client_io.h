#pragma once
// The thread that runs a client's coroutine, and how the client waits there for a socket or a time.

#include <chrono>

#include "core/base/check.h"
#include "core/coro/task.h"
#include "core/verbs/verbs.h"

namespace latchlab::bank {

class ClientIo {
 public:
  virtual ~ClientIo() = default;
  virtual Time now() const = 0;  // the clock of grants' expiry times
  virtual Task<void> sleep(Duration length) = 0;
  // Waits until the socket is readable (`to_read`) or writable. False: not ready at `until`.
  virtual Task<bool> ready(int socket, bool to_read, Time until) = 0;
};

// A thread for one client: waiting blocks the thread, so that no task here is ever suspended.
class ThreadIo final : public ClientIo {
 public:
  explicit ThreadIo(std::chrono::steady_clock::time_point start) : start_(start) {}
  Time now() const override;
  Task<void> sleep(Duration length) override;
  Task<bool> ready(int socket, bool to_read, Time until) override;

 private:
  std::chrono::steady_clock::time_point start_;  // time zero
};

// A worker of a backend, shared with other clients, which continue while one client waits.
class VerbsIo final : public ClientIo {
 public:
  explicit VerbsIo(Verbs& verbs) : verbs_(verbs) {}
  Time now() const override { return verbs_.now(); }
  Task<void> sleep(Duration length) override;
  Task<bool> ready(int socket, bool to_read, Time until) override;

 private:
  Verbs& verbs_;
};

// Runs a task that never suspends and returns its result.
template <class T>
T run_here(Task<T> task) {
  task.start();
  LATCHLAB_CHECK(task.done(), "a task of a thread's place was suspended");
  return task.take_result();
}

}  // namespace latchlab::bank

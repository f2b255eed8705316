#pragma once
// when_all: runs several tasks of one actor concurrently and continues when the last has ended.
// Their results stay in the tasks (Task::take_result).

#include <coroutine>
#include <cstddef>
#include <vector>

#include "core/coro/task.h"

namespace latchlab {

namespace detail {

struct JoinCount {
  std::size_t remaining = 0;
  std::coroutine_handle<> parent;  // null until the parent waits

  // Each runner suspends here for good. The last one transfers control to the parent, and is
  // already suspended then, so that the parent may destroy it.
  auto arrive() {
    struct Awaiter {
      JoinCount* count;
      bool await_ready() const noexcept { return false; }
      std::coroutine_handle<> await_suspend(std::coroutine_handle<>) const noexcept {
        const bool last = --count->remaining == 0;
        return last && count->parent ? count->parent : std::noop_coroutine();
      }
      void await_resume() const noexcept {}
    };
    return Awaiter{this};
  }
  auto join() {
    struct Awaiter {
      JoinCount* count;
      bool await_ready() const noexcept { return count->remaining == 0; }
      void await_suspend(std::coroutine_handle<> waiter) const noexcept { count->parent = waiter; }
      void await_resume() const noexcept {}
    };
    return Awaiter{this};
  }
};

template <class T>
Task<void> run_then_arrive(Task<T>& task, JoinCount& count) {
  struct RunOnly {
    Task<T>* task;
    bool await_ready() const noexcept { return false; }
    std::coroutine_handle<> await_suspend(std::coroutine_handle<> awaiting) const noexcept {
      return task->start_then(awaiting);
    }
    void await_resume() const noexcept {}
  };
  co_await RunOnly{&task};
  co_await count.arrive();
}

}  // namespace detail

// `tasks` must outlive the returned task.
template <class T>
Task<void> when_all(std::vector<Task<T>>& tasks) {
  detail::JoinCount count{tasks.size(), {}};
  std::vector<Task<void>> runners;
  runners.reserve(tasks.size());
  for (Task<T>& task : tasks) runners.push_back(detail::run_then_arrive(task, count));
  for (Task<void>& runner : runners) runner.start();
  co_await count.join();
}

}  // namespace latchlab

#pragma once
// Event: coroutines of one actor wait until another coroutine of the same actor sets it. It stays
// set until reset. Actors wait for each other by messages and memory instead.

#include <coroutine>
#include <utility>
#include <vector>

namespace latchlab {

class Event {
 public:
  bool is_set() const { return set_; }
  void reset() { set_ = false; }

  // Resumes all waiters, in the order of their arrival.
  void set() {
    set_ = true;
    const std::vector<std::coroutine_handle<>> waiting = std::exchange(waiting_, {});
    for (const std::coroutine_handle<> waiter : waiting) waiter.resume();
  }

  auto operator co_await() noexcept {
    struct Awaiter {
      Event* event;
      bool await_ready() const noexcept { return event->set_; }
      void await_suspend(std::coroutine_handle<> waiter) const {
        event->waiting_.push_back(waiter);
      }
      void await_resume() const noexcept {}
    };
    return Awaiter{this};
  }

 private:
  bool set_ = false;
  std::vector<std::coroutine_handle<>> waiting_;
};

}  // namespace latchlab

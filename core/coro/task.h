#pragma once
// Task<T>: a lazy coroutine with one owner. It starts when it is awaited (or by start(), for a
// root), and transfers control to its awaiter when it ends. Destroying a suspended task destroys
// the whole chain below it. This is legal, and is how a client crash is modelled.
//
// g++ 12 destroys aggregate temporaries in a co_await expression twice, so arguments must be named
// variables.

#include <coroutine>
#include <cstddef>
#include <exception>
#include <optional>
#include <utility>

#include "core/base/check.h"
#include "core/coro/frame_pool.h"

namespace latchlab {

template <class T = void>
class Task;

namespace detail {

class PromiseBase {
 public:
  static void* operator new(std::size_t bytes) { return allocate_frame(bytes); }
  static void operator delete(void* frame, std::size_t bytes) noexcept { free_frame(frame, bytes); }

  std::suspend_always initial_suspend() const noexcept { return {}; }
  auto final_suspend() const noexcept {
    struct Awaiter {
      std::coroutine_handle<> next;
      bool await_ready() const noexcept { return false; }
      std::coroutine_handle<> await_suspend(std::coroutine_handle<>) const noexcept { return next; }
      void await_resume() const noexcept {}
    };
    return Awaiter{continuation_ ? continuation_ : std::noop_coroutine()};
  }
  void unhandled_exception() const noexcept { std::terminate(); }
  void continue_with(std::coroutine_handle<> next) { continuation_ = next; }
  std::coroutine_handle<> continuation() const { return continuation_; }

 private:
  std::coroutine_handle<> continuation_;
};

template <class T>
class Promise : public PromiseBase {
 public:
  Task<T> get_return_object();
  template <class U>
  void return_value(U&& value) {
    value_.emplace(std::forward<U>(value));
  }
  T take() {
    static_assert(alignof(Promise) <= __STDCPP_DEFAULT_NEW_ALIGNMENT__, "see awaiting()");
    return std::move(*value_);
  }

 private:
  std::optional<T> value_;
};

template <>
class Promise<void> : public PromiseBase {
 public:
  Task<void> get_return_object();
  void return_void() const noexcept {}
  void take() const noexcept {}
};

}  // namespace detail

template <class T>
class [[nodiscard]] Task {
 public:
  using promise_type = detail::Promise<T>;
  using Handle = std::coroutine_handle<promise_type>;

  Task() = default;
  explicit Task(Handle handle) : handle_(handle) {}
  Task(Task&& other) noexcept : handle_(std::exchange(other.handle_, {})) {}
  Task& operator=(Task&& other) noexcept {
    if (this != &other) {
      reset();
      handle_ = std::exchange(other.handle_, {});
    }
    return *this;
  }
  ~Task() { reset(); }

  bool valid() const { return static_cast<bool>(handle_); }
  bool done() const { return handle_ && handle_.done(); }
  // Runs a root until its first suspension. take_result() returns its result.
  void start() { handle_.resume(); }
  // For combinators: returns the handle to resume, so that the task runs and then continues `next`.
  std::coroutine_handle<> start_then(std::coroutine_handle<> next) const {
    handle_.promise().continue_with(next);
    return handle_;
  }
  T take_result() {
    LATCHLAB_CHECK(done(), "result of a task that has not ended");
    return handle_.promise().take();
  }
  // Destroys the coroutine wherever it is suspended.
  void reset() {
    if (handle_) std::exchange(handle_, {}).destroy();
  }

  auto operator co_await() const noexcept {
    struct Awaiter {
      Handle task;
      bool await_ready() const noexcept { return false; }
      std::coroutine_handle<> await_suspend(std::coroutine_handle<> awaiting) const noexcept {
        task.promise().continue_with(awaiting);
        return task;
      }
      T await_resume() const { return task.promise().take(); }
    };
    return Awaiter{handle_};
  }

 private:
  Handle handle_;
};

// The coroutine that awaits the task of coroutine `inside`; null: none. All promises start with a
// PromiseBase.
inline std::coroutine_handle<> awaiting(std::coroutine_handle<> inside) {
  using Handle = std::coroutine_handle<detail::PromiseBase>;
  return Handle::from_address(inside.address()).promise().continuation();
}

template <class T>
Task<T> detail::Promise<T>::get_return_object() {
  return Task<T>(std::coroutine_handle<Promise>::from_promise(*this));
}
inline Task<void> detail::Promise<void>::get_return_object() {
  return Task<void>(std::coroutine_handle<Promise>::from_promise(*this));
}

}  // namespace latchlab

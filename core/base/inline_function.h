#pragma once
// A callable without allocation and without a destructor, for conditions that a backend evaluates.
// Captures must be trivially copyable and small. Trivial destruction also makes these objects safe
// as operands of co_await under g++ 12.

#include <cstddef>
#include <cstring>
#include <new>
#include <type_traits>
#include <utility>

#include "core/base/check.h"

namespace latchlab {

template <class Signature>
class InlineFunction;

template <class R, class... Args>
class InlineFunction<R(Args...)> {
 public:
  static constexpr std::size_t kBytes = 40;

  InlineFunction() = default;

  template <class F, class = std::enable_if_t<!std::is_same_v<std::decay_t<F>, InlineFunction>>>
  InlineFunction(F callable) {  // NOLINT(*-explicit-*): lambdas convert implicitly
    static_assert(sizeof(F) <= kBytes, "capture less, or capture a pointer to longer-lived state");
    static_assert(std::is_trivially_copyable_v<F>, "captures must be trivially copyable");
    new (storage_) F(callable);
    invoke_ = [](const void* stored, Args... args) -> R {
      return (*static_cast<const F*>(stored))(std::forward<Args>(args)...);
    };
  }

  explicit operator bool() const { return invoke_ != nullptr; }
  R operator()(Args... args) const {
    LATCHLAB_CHECK(invoke_ != nullptr, "empty function called");
    return invoke_(storage_, std::forward<Args>(args)...);
  }

 private:
  alignas(8) unsigned char storage_[kBytes] = {};
  R (*invoke_)(const void*, Args...) = nullptr;
};

}  // namespace latchlab

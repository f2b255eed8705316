#pragma once
// Errors that the caller can act on, as values. No exception crosses the seam.

#include <string>
#include <utility>
#include <variant>

#include "core/base/check.h"

namespace latchlab {

// One message for the user: what was found, what was expected, how to correct it. `where` is
// "file:line" (or "file:line:column") if the error comes from a file, otherwise empty.
struct Error {
  std::string message;
  std::string where;
  std::string text() const { return where.empty() ? message : where + ": " + message; }
};

template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}      // NOLINT(*-explicit-*)
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}  // NOLINT(*-explicit-*)

  bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }
  T& value() & {
    LATCHLAB_CHECK(ok(), "value() of a failed result");
    return *std::get_if<0>(&state_);
  }
  const T& value() const& {
    LATCHLAB_CHECK(ok(), "value() of a failed result");
    return *std::get_if<0>(&state_);
  }
  T&& value() && {
    LATCHLAB_CHECK(ok(), "value() of a failed result");
    return std::move(*std::get_if<0>(&state_));
  }
  const Error& error() const {
    LATCHLAB_CHECK(!ok(), "error() of a result that is fine");
    return *std::get_if<1>(&state_);
  }

 private:
  std::variant<T, Error> state_;
};

struct Nothing {};
using Status = Result<Nothing>;
inline Status fine() {
  return Nothing{};
}

}  // namespace latchlab

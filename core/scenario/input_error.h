#pragma once
// An error in the user's text, with its location. Code in core/scenario reports it by throwing
// InputError. The entry points of scenario.h catch it and return it as a value; callers of the
// other functions catch it themselves.

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/quotes.h"
#include "core/base/result.h"

namespace latchlab {

// A location: a line of a file, or a source without lines (a --set override).
struct SourceLocation {
  std::shared_ptr<const std::string> source = {};
  int line = 0;  // from 1; 0: the source has no lines

  std::string text() const;  // "file:line"
};

struct InputError {
  Error error;
};

[[noreturn]] void reject(const SourceLocation& place, std::string message);

// Replaces each {} of the pattern, as in "{} is {}", by the next value.
std::string filled(const std::string& pattern, const std::vector<std::string>& values);
template <class First, class... Values>
[[noreturn]] void reject(const SourceLocation& place, const std::string& pattern,
                         const First& first, const Values&... values) {
  const auto text = [](const auto& value) {
    if constexpr (requires { std::to_string(value); })
      return std::to_string(value);
    else
      return std::string(value);
  };
  reject(place, filled(pattern, {text(first), text(values)...}));
}

}  // namespace latchlab

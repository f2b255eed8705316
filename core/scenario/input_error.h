#pragma once
// What is wrong with the user's text, and where. Inside core/scenario a problem is thrown as one
// InputError, so that the readers stay readable; the entry points of scenario.h catch it and
// return it as a value. It never leaves this folder.

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/quotes.h"
#include "core/base/result.h"

namespace latchlab {

// A line of a file, or something that has no lines (a --set override).
struct Place {
  std::shared_ptr<const std::string> source = {};
  int line = 0;  // from 1; 0: the source has no lines

  std::string text() const;  // "file:line"
};

struct InputError {
  Error error;
};

[[noreturn]] void reject(const Place& place, std::string message);

// The message from a pattern, "{} is {}", and what takes the place of each {}.
std::string filled(const std::string& pattern, const std::vector<std::string>& values);
template <class First, class... Values>
[[noreturn]] void reject(const Place& place, const std::string& pattern, const First& first,
                         const Values&... values) {
  const auto text = [](const auto& value) {
    if constexpr (requires { std::to_string(value); })
      return std::to_string(value);
    else
      return std::string(value);
  };
  reject(place, filled(pattern, {text(first), text(values)...}));
}

}  // namespace latchlab

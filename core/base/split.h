#pragma once
// Splits a text at its separators.

#include <string>
#include <string_view>
#include <vector>

namespace latchlab {

// Returns at least one part.
inline std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts = {""};
  for (const char c : text) {
    if (c == separator)
      parts.emplace_back();
    else
      parts.back() += c;
  }
  return parts;
}

}  // namespace latchlab

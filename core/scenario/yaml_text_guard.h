#pragma once
// The cheap look at a text before a YAML parser sees it.

#include <string>

namespace latchlab {

inline constexpr int kDeepestYaml = 64;
inline constexpr std::size_t kLongestYamlBytes = 2u << 20;

// Throws InputError when the text is too long, is not UTF-8 text, or nests deeper than
// kDeepestYaml by brackets or by indentation (an upper bound: it does not know quotes apart
// from those that open and close on one line).
void guard_yaml_text(const std::string& text, const std::string& source, bool has_lines);

}  // namespace latchlab

#pragma once
// Lists of words, and the known word nearest to a misspelt one, for "did you mean".

#include <string>
#include <string_view>
#include <vector>

namespace latchlab {

// The candidate with the fewest edits (insert, delete, replace, swap of neighbours); the first of
// equals; empty if none is near enough.
std::string nearest(std::string_view word, const std::vector<std::string>& candidates);

// "; did you mean 'x'?" if one is near, else "; known: a, b, c", else empty.
std::string suggestion(std::string_view word, const std::vector<std::string>& candidates);

// " (did you mean 'x'?)" if one is near, to append to a list of all; else empty.
std::string aside(std::string_view word, const std::vector<std::string>& candidates);

std::string joined(const std::vector<std::string>& words);  // "a, b, c"
bool contains(const std::vector<std::string>& words, std::string_view word);

}  // namespace latchlab

#pragma once
// Lists of words, and the nearest known one to a misspelt one, for "did you mean".

#include <string>
#include <string_view>
#include <vector>

namespace latchlab {

// The candidate with the fewest edits (insert, delete, replace, swap of neighbours), the first of
// equals; empty when none is near enough to be meant.
std::string nearest(std::string_view word, const std::vector<std::string>& candidates);

// "; did you mean 'x'?" when one is near, else "; known: a, b, c", else nothing.
std::string suggestion(std::string_view word, const std::vector<std::string>& candidates);

// " (did you mean 'x'?)" when one is near, to follow a list of all; else nothing.
std::string aside(std::string_view word, const std::vector<std::string>& candidates);

std::string joined(const std::vector<std::string>& words);  // "a, b, c"
bool contains(const std::vector<std::string>& words, std::string_view word);

}  // namespace latchlab

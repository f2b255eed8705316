// Pronouns without a noun (kPronouns) hide which client, node or process is meant.

#include <algorithm>
#include <array>
#include <cctype>
#include <string>
#include <string_view>
#include <vector>

#include "tests/tidy/rules.h"

namespace latchlab::tidy {
namespace {

// In two halves each, because this file is counted as well.
constexpr std::array<std::array<std::string_view, 2>, 5> kPronouns = {{
    {"who", "ever"},
    {"some", "body"},
    {"no", "body"},
    {"any", "body"},
    {"every", "body"},
}};

// Words in lower case; `_` separates them, so that names of tests are read as sentences.
std::vector<std::string> words_of(const std::string& line) {
  std::vector<std::string> words(1);
  for (const char c : line) {
    const auto letter = static_cast<unsigned char>(c);
    if (std::isalpha(letter) != 0)
      words.back() += static_cast<char>(std::tolower(letter));
    else if (!words.back().empty())
      words.emplace_back();
  }
  return words;
}

bool is_pronoun(const std::string& word) {
  return std::any_of(kPronouns.begin(), kPronouns.end(), [&](const auto& halves) {
    return word == std::string(halves[0]).append(halves[1]);
  });
}

}  // namespace

// Stored traces keep the words of the version that wrote them.
Findings check_pronouns(const SourceFile& file) {
  Findings findings;
  if (begins_with_any(file.path, {"tests/explore/golden/"})) return findings;
  for (std::size_t i = 0; i < file.lines.size(); ++i)
    for (const std::string& word : words_of(file.lines[i]))
      if (is_pronoun(word))
        findings.push_back({file.path, i + 1, "'" + word + "' names no subject",
                            "name the client, node or process"});
  return findings;
}

}  // namespace latchlab::tidy

// Pronouns without a noun (kPronouns) hide which client, node or process is meant. Each part of the
// tree has a number of them that is only lowered.

#include <algorithm>
#include <array>
#include <cctype>
#include <string>
#include <string_view>
#include <vector>

#include "tests/tidy/rules.h"

namespace latchlab::tidy {
namespace {

// A count may fall this much before its entry has to follow.
constexpr std::size_t kSlack = 20;

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

bool is_counted(const WordLimit& limit, const SourceFile& file) {
  return begins_with_any(file.path, {limit.folder}) &&
         (limit.of == FilesOf::all || file.is_header() == (limit.of == FilesOf::headers));
}

}  // namespace

const std::vector<WordLimit>& word_limits() {
  static const std::vector<WordLimit> table = {
      {"README.md", FilesOf::all, 0},     {"docs/", FilesOf::all, 4},
      {"core/", FilesOf::headers, 10},    {"core/", FilesOf::others, 55},
      {"backends/", FilesOf::headers, 1}, {"backends/", FilesOf::others, 5},
      {"tools/", FilesOf::headers, 1},    {"tools/", FilesOf::others, 25},
      {"models/", FilesOf::all, 3},       {"scenarios/", FilesOf::all, 0},
      {"tests/", FilesOf::all, 50},
  };
  return table;
}

Findings check_pronouns(const std::vector<SourceFile>& tree, const std::vector<WordLimit>& limits) {
  Findings findings;
  for (const WordLimit& limit : limits) {
    Finding last{limit.folder, 0, "", ""};
    std::size_t count = 0;
    for (const SourceFile& file : tree) {
      if (!is_counted(limit, file)) continue;
      for (std::size_t i = 0; i < file.lines.size(); ++i)
        for (const std::string& word : words_of(file.lines[i]))
          if (is_pronoun(word)) {
            ++count;
            last = {file.path, i + 1, "", ""};
          }
    }
    const std::string has = std::to_string(count) + " pronouns without a noun in " + limit.folder +
                            ", its entry in tests/tidy/pronouns.cc has " +
                            std::to_string(limit.at_most);
    if (count > limit.at_most)
      findings.push_back({last.file, last.line, has, "name the client, node or process"});
    else if (count + kSlack < limit.at_most)
      findings.push_back({"tests/tidy/pronouns.cc", 1, has, "lower the entry to the count"});
  }
  return findings;
}

}  // namespace latchlab::tidy

#pragma once
// The house rules that a machine can hold: who may include whom, how long a file may be, and what
// must not be written at all. Each rule takes text and gives findings, so that tests can also plant
// bad text and see the rule fail.

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace latchlab::tidy {

struct SourceFile {
  std::string path;  // relative to the root, with '/'
  std::vector<std::string> lines;

  bool is_header() const;
  bool is_cpp() const;   // .cc or .h
  bool is_code() const;  // C++, CMake or a script: whatever has a width and a size
};

struct Finding {
  std::string file;
  std::size_t line = 0;  // from 1
  std::string rule;
  std::string fix;

  std::string text() const;  // "file:line: rule; fix"
};
using Findings = std::vector<Finding>;

// A file that is longer than kWorryLines, and the length it must not exceed. Entries only go down.
struct LongFile {
  std::string path;
  std::size_t max_lines = 0;
};
inline constexpr std::size_t kWorryLines = 300;
inline constexpr std::size_t kMaxLines = 500;
inline constexpr std::size_t kMaxColumns = 100;

// A text that must not be written in files of some folders.
struct Ban {
  std::string text;
  std::vector<std::string> folders;  // prefixes of paths; empty: everywhere
  std::vector<std::string> except;   // prefixes of paths that may
  bool code_only = false;            // documents may speak of it
  std::string fix;
};
const std::vector<Ban>& bans();

// How many pronouns without a noun files of a folder may have. Entries only go down.
enum class FilesOf { all, headers, others };
struct WordLimit {
  std::string folder;  // a prefix of paths
  FilesOf of = FilesOf::all;
  std::size_t at_most = 0;
};
const std::vector<WordLimit>& word_limits();
const std::vector<LongFile>& long_files();

Findings check_includes(const SourceFile& file);
Findings check_bans(const SourceFile& file);
Findings check_width(const SourceFile& file);
Findings check_length(const SourceFile& file, const std::vector<LongFile>& allowed);
// What only the whole tree shows: entries of `allowed` that are out of date.
Findings check_tree(const std::vector<SourceFile>& tree, const std::vector<LongFile>& allowed);

// Entries of `limits` that are exceeded or out of date.
Findings check_pronouns(const std::vector<SourceFile>& tree, const std::vector<WordLimit>& limits);

// Planted bugs without a test, and tests of bugs that no lock plants.
Findings check_planted(const std::vector<SourceFile>& tree);

// Every text file of the project, sorted by path; what is built or generated is not among them.
std::vector<SourceFile> read_tree(const std::filesystem::path& root);
SourceFile from_text(const std::string& path, const std::string& text);

// Shared by the rules: does `text` begin with one of these?
bool begins_with_any(const std::string& text, const std::vector<std::string>& prefixes);
// The folder of `text` relative to `parent`: "simgrid" for backends/simgrid/x.cc; empty if outside.
std::string child_folder(const std::string& text, const std::string& parent);

}  // namespace latchlab::tidy

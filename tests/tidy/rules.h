#pragma once
// The rules of the project that a program can check: which folder may include which, how long a
// file may be, and which texts are banned. Each rule takes text and returns findings, so that tests
// can also show that a rule detects bad text.

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
  bool is_code() const;  // C++, CMake or a script: files with limits on width and length
};

struct Finding {
  std::string file;
  std::size_t line = 0;  // from 1
  std::string rule;
  std::string fix;

  std::string text() const;  // "file:line: rule; fix"
};
using Findings = std::vector<Finding>;

// A file that is longer than kWorryLines, its maximum length, and why it is not two files. Entries
// only decrease.
struct LongFile {
  std::string path;
  std::size_t max_lines = 0;
  std::string reason;
};
inline constexpr std::size_t kWorryLines = 400;
inline constexpr std::size_t kMaxColumns = 100;

// A text that is banned in files of some folders.
struct Ban {
  std::string text;
  std::vector<std::string> folders;  // prefixes of paths; empty: all folders
  std::vector<std::string> except;   // prefixes of paths that may contain it
  bool code_only = false;            // documents may contain it
  std::string fix;
};
const std::vector<Ban>& bans();

const std::vector<LongFile>& long_files();

Findings check_includes(const SourceFile& file);
Findings check_bans(const SourceFile& file);
Findings check_pronouns(const SourceFile& file);
Findings check_width(const SourceFile& file);
Findings check_length(const SourceFile& file, const std::vector<LongFile>& allowed);
// Violations that only the whole tree shows: entries of `allowed` that are out of date.
Findings check_tree(const std::vector<SourceFile>& tree, const std::vector<LongFile>& allowed);

// Planted bugs without a test, and tests of bugs that no lock plants.
Findings check_planted(const std::vector<SourceFile>& tree);

// Headers of tests that are installed without a header that they include.
Findings check_installed(const std::vector<SourceFile>& tree);

// Every text file of the project, sorted by path; generated files and build results are excluded.
std::vector<SourceFile> read_tree(const std::filesystem::path& root);
SourceFile from_text(const std::string& path, const std::string& text);

// Shared by the rules: whether `text` begins with one of these.
bool begins_with_any(const std::string& text, const std::vector<std::string>& prefixes);
// The folder of `text` relative to `parent`: "simgrid" for backends/simgrid/x.cc; empty if outside.
std::string child_folder(const std::string& text, const std::string& parent);

}  // namespace latchlab::tidy

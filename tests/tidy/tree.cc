// Reading the project's files.

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "tests/tidy/rules.h"

namespace latchlab::tidy {
namespace fs = std::filesystem;
namespace {

bool ends_with(const std::string& text, const std::string& end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

bool is_script(const std::string& path, const std::vector<std::string>& lines) {
  return ends_with(path, ".sh") || (!lines.empty() && lines.front().rfind("#!", 0) == 0);
}

// The project's folders; build results and the output of runs beside them are not checked.
const std::vector<std::string>& folders() {
  static const std::vector<std::string> names = {".ci",    "backends",  "cmake", "core", "docs",
                                                 "models", "scenarios", "tests", "tools"};
  return names;
}

bool is_text(const std::string& content) {
  return content.find('\0') == std::string::npos;
}

std::string content_of(const fs::path& path) {
  std::ifstream stream(path, std::ios::binary);
  std::ostringstream content;
  content << stream.rdbuf();
  return content.str();
}

}  // namespace

bool SourceFile::is_header() const {
  return ends_with(path, ".h");
}
bool SourceFile::is_cpp() const {
  return is_header() || ends_with(path, ".cc");
}
bool SourceFile::is_code() const {
  return is_cpp() || ends_with(path, "CMakeLists.txt") || ends_with(path, ".cmake") ||
         is_script(path, lines);
}

std::string Finding::text() const {
  return file + ":" + std::to_string(line) + ": " + rule + "; " + fix;
}

SourceFile from_text(const std::string& path, const std::string& text) {
  SourceFile file{path, {}};
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) file.lines.push_back(line);
  return file;
}

std::vector<SourceFile> read_tree(const fs::path& root) {
  std::vector<SourceFile> tree;
  const auto add = [&](const fs::directory_entry& entry) {
    if (!entry.is_regular_file() || entry.path().filename() == ".git") return;
    const std::string content = content_of(entry.path());
    if (is_text(content))
      tree.push_back(from_text(entry.path().lexically_relative(root).generic_string(), content));
  };
  for (const fs::directory_entry& entry : fs::directory_iterator(root)) add(entry);
  for (const std::string& folder : folders()) {
    if (!fs::is_directory(root / folder)) continue;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(root / folder))
      add(entry);
  }
  std::sort(tree.begin(), tree.end(),
            [](const SourceFile& a, const SourceFile& b) { return a.path < b.path; });
  return tree;
}

bool begins_with_any(const std::string& text, const std::vector<std::string>& prefixes) {
  return std::any_of(prefixes.begin(), prefixes.end(),
                     [&](const std::string& prefix) { return text.rfind(prefix, 0) == 0; });
}

std::string child_folder(const std::string& text, const std::string& parent) {
  const std::string start = parent + "/";
  if (text.rfind(start, 0) != 0) return "";
  const std::size_t end = text.find('/', start.size());
  return end == std::string::npos ? "" : text.substr(start.size(), end - start.size());
}

}  // namespace latchlab::tidy

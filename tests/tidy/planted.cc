// Planted bugs are named twice, in the lock that has the bug and in the test that must detect it:
// by the same name, which begins with the lock's.

#include <map>
#include <regex>
#include <string>
#include <vector>

#include "tests/tidy/rules.h"

namespace latchlab::tidy {
namespace {

struct Place {
  std::string file;
  std::size_t line = 0;
};
using Places = std::map<std::string, Place>;  // by name, the first place

// The last group of `pattern` in C++ files of `folder`.
Places names_in(const std::vector<SourceFile>& tree, const std::string& folder,
                const std::regex& pattern) {
  Places names;
  for (const SourceFile& file : tree) {
    if (!begins_with_any(file.path, {folder}) || !file.is_cpp()) continue;
    for (std::size_t i = 0; i < file.lines.size(); ++i)
      for (std::sregex_iterator at(file.lines[i].begin(), file.lines[i].end(), pattern), end;
           at != end; ++at)
        names.try_emplace((*at)[at->size() - 1].str(), Place{file.path, i + 1});
  }
  return names;
}

}  // namespace

Findings check_planted(const std::vector<SourceFile>& tree) {
  static const std::regex mark(R"(^[^/#]*PLANTED\((\w+)\))");
  static const std::regex bug(R"re(\bBug( \w+)?\{"(\w+)"\})re");
  const Places marks = names_in(tree, "core/protocols/", mark);
  const Places bugs = names_in(tree, "tests/protocols/", bug);
  Findings findings;
  for (const auto& [name, place] : marks) {
    const std::string lock = child_folder(place.file, "core/protocols");
    if (!begins_with_any(name, {lock + "_"}))
      findings.push_back({place.file, place.line, "planted bug '" + name + "' is not the lock's",
                          "begin its name with " + lock + "_"});
    if (bugs.count(name) == 0)
      findings.push_back({place.file, place.line, "planted bug '" + name + "' has no test",
                          "say in tests/protocols/" + lock + " which check catches it"});
  }
  for (const auto& [name, place] : bugs)
    if (marks.count(name) == 0)
      findings.push_back({place.file, place.line, "no lock plants a bug '" + name + "'",
                          "mark its place in the lock with PLANTED"});
  return findings;
}

}  // namespace latchlab::tidy

// From which length on a file needs an entry with a reason. There is no maximum: a limit would
// force splits where one thing belongs together.

#include <algorithm>
#include <string>
#include <vector>

#include "tests/tidy/rules.h"

namespace latchlab::tidy {
namespace {

// A file may shrink this much before its entry must be lowered.
constexpr std::size_t kSlackLines = 20;

Findings stale_entries(const std::vector<SourceFile>& tree, const std::vector<LongFile>& allowed) {
  Findings findings;
  for (const LongFile& entry : allowed) {
    const auto file = std::find_if(tree.begin(), tree.end(), [&](const SourceFile& candidate) {
      return candidate.path == entry.path;
    });
    const std::size_t length = file == tree.end() ? 0 : file->lines.size();
    const std::string has = entry.path + " has " + std::to_string(length) + " lines, its entry " +
                            std::to_string(entry.max_lines);
    if (length <= kWorryLines)
      findings.push_back({"tests/tidy/sizes.cc", 1, has, "remove the entry"});
    else if (length + kSlackLines < entry.max_lines)
      findings.push_back({"tests/tidy/sizes.cc", 1, has, "lower the entry to the length"});
  }
  return findings;
}

}  // namespace

const std::vector<LongFile>& long_files() {
  static const std::vector<LongFile> table = {
      {"core/measure/metric_table.cc", 480,
       "one table: a row for each metric, in the order of results.json"},
  };
  return table;
}

Findings check_length(const SourceFile& file, const std::vector<LongFile>& allowed) {
  const std::size_t length = file.lines.size();
  if (!file.is_code() || length <= kWorryLines) return {};
  const std::string has = "the file has " + std::to_string(length) + " lines, ";
  const auto entry = std::find_if(allowed.begin(), allowed.end(), [&](const LongFile& candidate) {
    return candidate.path == file.path;
  });
  if (entry == allowed.end())
    return {{file.path, kWorryLines + 1, has + "more than " + std::to_string(kWorryLines),
             "split it by what it is about; if it is about one thing, give it an entry with that "
             "reason in tests/tidy/sizes.cc"}};
  if (entry->reason.empty())
    return {{"tests/tidy/sizes.cc", 1, entry->path + " has an entry without a reason",
             "say why it is not two files"}};
  if (length <= entry->max_lines) return {};
  return {{file.path, entry->max_lines + 1,
           has + "its entry allows " + std::to_string(entry->max_lines),
           "split it; entries only go down"}};
}

Findings check_tree(const std::vector<SourceFile>& tree, const std::vector<LongFile>& allowed) {
  return stale_entries(tree, allowed);
}

}  // namespace latchlab::tidy

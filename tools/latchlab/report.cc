#include "tools/report/report.h"

#include <fmt/core.h>

#include <cstddef>
#include <filesystem>
#include <set>
#include <system_error>
#include <utility>

#include "core/protocols/registry.h"
#include "core/study/sensitivity.h"
#include "core/study/stored_study.h"
#include "tools/latchlab/commands.h"

namespace latchlab::tool {

namespace fs = std::filesystem;

namespace {

// What people call the runs: the last part of their paths, or, where two agree in it, all.
std::vector<std::string> names_of(const std::vector<std::string>& directories) {
  std::set<std::string> seen;
  std::vector<std::string> names;
  for (const std::string& directory : directories) {
    names.push_back(run_name(directory));
    seen.insert(names.back());
  }
  return seen.size() == directories.size() ? names : directories;
}

Status check_distinct(const std::vector<std::string>& directories) {
  std::set<fs::path> seen;
  for (const std::string& directory : directories)
    if (std::error_code error; !seen.insert(fs::weakly_canonical(directory, error)).second)
      return Error{directory + " is named twice; name each run once", {}};
  return fine();
}

}  // namespace

int report(const ReportArguments& arguments) {
  const std::vector<std::string>& directories = arguments.directories;
  if (const Status distinct = check_distinct(directories); !distinct)
    return complain(distinct.error());
  std::vector<StoredStudy> studies;
  for (const std::string& directory : directories) {
    auto stored = load_stored_study(directory, protocol_infos(), data_dirs(arguments.data));
    if (!stored) return complain(stored.error());
    studies.push_back(std::move(stored).value());
  }
  const std::vector<std::string> names = names_of(directories);
  std::vector<ReportPart> parts;
  for (std::size_t i = 0; i < studies.size(); ++i) {
    auto hangs_on = stored_sensitivity(directories[i], studies[i].outcome);
    if (!hangs_on) return complain(hangs_on.error());
    parts.push_back({names[i], studies[i].scenario, studies[i].outcome, studies[i].manifest,
                     timing_of(directories[i]), std::move(hangs_on).value()});
  }
  std::string path = arguments.out;
  if (path.empty()) path = parts.size() == 1 ? directories.front() + "/report.html" : "report.html";
  if (const Status written = write_report(path, parts); !written)
    return complain(written.error(), kCannot);
  fmt::print("Report: {}\n", path);
  return kFine;
}

}  // namespace latchlab::tool

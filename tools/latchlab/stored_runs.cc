#include "tools/latchlab/stored_runs.h"

#include <filesystem>
#include <set>
#include <system_error>
#include <utility>

#include "core/protocols/registry.h"
#include "core/scenario/suggestions.h"
#include "core/study/metric_names.h"
#include "core/study/sensitivity.h"
#include "tools/latchlab/commands.h"

namespace latchlab::tool {

namespace fs = std::filesystem;

namespace {

std::vector<std::string> names_of(const std::vector<std::string>& directories) {
  std::set<std::string> seen;
  std::vector<std::string> names;
  for (const std::string& directory : directories) {
    names.push_back(run_name(directory));
    seen.insert(names.back());
  }
  if (seen.size() == directories.size()) return names;
  seen.clear();
  names = directories;
  for (std::string& name : names)
    while (!seen.insert(name).second) name += " again";
  return names;
}

}  // namespace

Result<std::vector<StoredRun>> load_runs(const std::vector<std::string>& directories,
                                         const std::string& data) {
  const std::vector<std::string> names = names_of(directories);
  std::vector<StoredRun> runs;
  for (std::size_t i = 0; i < directories.size(); ++i) {
    auto study = load_stored_study(directories[i], protocol_infos(), data_dirs(data));
    if (!study) return study.error();
    auto hangs_on = stored_sensitivity(directories[i], study.value().outcome);
    if (!hangs_on) return hangs_on.error();
    runs.push_back(
        {names[i], directories[i], std::move(study).value(), std::move(hangs_on).value()});
  }
  return runs;
}

Status check_distinct(const std::vector<std::string>& directories) {
  std::set<fs::path> seen;
  for (const std::string& directory : directories)
    if (std::error_code error; !seen.insert(fs::weakly_canonical(directory, error)).second)
      return Error{directory + " is named twice; name each run once", {}};
  return fine();
}

Status check_metric_option(const std::string& metric) {
  if (is_metric(metric)) return fine();
  const std::string problem = "--metric " + metric + ": there is no such metric";
  const std::vector<std::string> parts = parts_of_metric(metric);
  if (!parts.empty()) return Error{problem + "; choose one of " + joined(parts), {}};
  const std::string near = nearest(metric, metric_names());
  return Error{
      problem + (near.empty() ? "; latchlab explain lists all" : "; did you mean '" + near + "'?"),
      {}};
}

ReportPart part_of(const StoredRun& run) {
  const StoredStudy& study = run.study;
  ReportPart part = part_of(run.directory, study.scenario, study.outcome, study.manifest);
  part.name = run.name;
  part.sensitivity = run.sensitivity;
  return part;
}

}  // namespace latchlab::tool

#include "tools/latchlab/stored_runs.h"

#include <fmt/core.h>

#include <cstdio>
#include <filesystem>
#include <set>
#include <system_error>
#include <utility>

#include "core/conclude/figure_lines.h"
#include "core/conclude/sensitivity.h"
#include "core/conclude/stored_study.h"
#include "core/conclude/verdict.h"
#include "core/measure/metric_names.h"
#include "core/protocols/registry.h"
#include "core/run/files.h"
#include "core/scenario/suggestions.h"
#include "tools/export/figure_data.h"
#include "tools/export/gnuplot.h"
#include "tools/latchlab/command_line.h"
#include "tools/latchlab/load.h"
#include "tools/report/report.h"

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

int report(const ReportArguments& arguments) {
  if (const Status distinct = check_distinct(arguments.directories); !distinct)
    return complain(distinct.error());
  const auto runs = load_runs(arguments.directories, arguments.data);
  if (!runs) return complain(runs.error());
  std::vector<ReportPart> parts;
  for (const StoredRun& run : runs.value()) parts.push_back(part_of(run));
  std::string path = arguments.out;
  if (path.empty())
    path = parts.size() == 1 ? arguments.directories.front() + "/report.html" : "report.html";
  if (const Status written = write_report(path, parts); !written)
    return complain(written.error(), kCannot);
  fmt::print("Report: {}\n", path);
  return kFine;
}

namespace {

void warn_of_points(const StudyOutcome& outcome) {
  for (std::size_t point = 0; point < outcome.points.size(); ++point) {
    const std::string why = why_apart(outcome.points[point]);
    if (why.empty()) continue;
    fmt::print(stderr, "latchlab: warning: point {} is {}: no line goes through it\n", point, why);
  }
}

Status write_files(const std::string& directory, const std::vector<exporting::TextFile>& files) {
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  if (error) return Error{fmt::format("cannot create {}: {}", directory, error.message()), {}};
  for (const auto& [name, text] : files)
    if (Status written = write_atomically(directory + "/" + name, text); !written) return written;
  return fine();
}

}  // namespace

int export_run(const ExportArguments& arguments) {
  const auto stored =
      load_stored_study(arguments.directory, protocol_infos(), data_dirs(arguments.data));
  if (!stored) return complain(stored.error());
  const Scenario& scenario = stored.value().scenario;
  const StudyOutcome& outcome = stored.value().outcome;
  warn_of_points(outcome);
  const auto figures = exporting::figures_of(scenario, outcome);
  if (figures.empty())
    return complain(
        {"there is nothing to draw: no point has what the figures show (report.figures "
         "of the scenario)",
         arguments.directory});
  const std::string directory = arguments.directory + "/gnuplot";
  const auto files =
      exporting::gnuplot_files(scenario.name, figures, exporting::latency_of(scenario, outcome));
  if (const Status written = write_files(directory, files); !written)
    return complain(written.error(), kCannot);
  fmt::print("{}: {} figures; draw them:  cd {} && gnuplot *.gp\n", directory, files.size() / 2,
             shell_word(directory));
  return kFine;
}

}  // namespace latchlab::tool

#include <fmt/core.h>

#include <cstdio>
#include <filesystem>

#include "core/protocols/registry.h"
#include "core/study/files.h"
#include "core/study/stored_study.h"
#include "core/study/verdict.h"
#include "tools/export/figure_data.h"
#include "tools/export/figure_lines.h"
#include "tools/export/gnuplot.h"
#include "tools/latchlab/command_line.h"
#include "tools/latchlab/commands.h"

namespace latchlab::tool {

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

#pragma once
// Finished runs that a command line names, and the commands `report` and `export`.

#include <string>
#include <vector>

#include "core/conclude/stored_study.h"
#include "tools/report/report.h"

namespace latchlab::tool {

struct ReportArguments {
  std::vector<std::string> directories;
  std::string out;  // the page; empty: DIR/report.html, or report.html for several runs
  std::string data;
};
int report(const ReportArguments& arguments);

struct ExportArguments {
  std::string directory;  // of a finished run
  bool gnuplot = false;
  std::string data;
};
int export_run(const ExportArguments& arguments);

struct StoredRun {
  // The last component of its path, or the whole path if two runs share the last component. "a
  // again" is a second mention of "a".
  std::string name;
  std::string directory;
  StoredStudy study;
  std::string sensitivity;  // the text of its sensitivity.json; may be empty
};

// Precondition: at least one directory.
Result<std::vector<StoredRun>> load_runs(const std::vector<std::string>& directories,
                                         const std::string& data);

// Error: a directory is given twice.
Status check_distinct(const std::vector<std::string>& directories);

// The result holds references into `run`.
ReportPart part_of(const StoredRun& run);

// Checks the value of --metric: an error unless results have a number of this name.
Status check_metric_option(const std::string& metric);

}  // namespace latchlab::tool

#include "tools/report/report.h"

#include <fmt/core.h>

#include "tools/latchlab/commands.h"
#include "tools/latchlab/stored_runs.h"

namespace latchlab::tool {

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

}  // namespace latchlab::tool

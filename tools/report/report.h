#pragma once
// The page on one run or several: one HTML file with its style, its scripts, d3 and the data, which
// needs no network and works from a disk.

#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/scenario/scenario.h"
#include "core/study/output.h"
#include "core/study/study.h"

namespace latchlab::tool {

struct ReportPart {
  std::string name;  // tells parts apart, for people
  const Scenario& scenario;
  const StudyOutcome& outcome;
  const RunManifest& manifest;
  std::string timing = {};       // the text of its timing.json; may be empty
  std::string search = {};       // of its find.json; may be empty
  std::string sensitivity = {};  // of its sensitivity.json; may be empty
  std::string comparison = {};   // with the first part, as comparison_json() has it; may be empty
};

// What people call a run: the last part of its directory's path.
std::string run_name(const std::string& directory);

// What was run in the directory, by the name of its last part, with the timing.json and find.json
// that are there.
ReportPart part_of(const std::string& directory, const Scenario& scenario,
                   const StudyOutcome& outcome, const RunManifest& manifest);

// At least one part. Equal parts give equal bytes.
std::string report_html(const std::vector<ReportPart>& parts);

// All or nothing; a page that was there is replaced.
Status write_report(const std::string& path, const std::vector<ReportPart>& parts);

}  // namespace latchlab::tool

#pragma once
// The report page on one or several runs: one HTML file that contains its style, its scripts, d3
// and the data, so that it works offline and from a local disk.

#include <string>
#include <utility>
#include <vector>

#include "core/base/result.h"
#include "core/conclude/output.h"
#include "core/measure/expectations.h"
#include "core/run/study.h"
#include "core/scenario/scenario.h"

namespace latchlab::tool {

struct ReportPart {
  std::string name;  // distinguishes the parts for the reader
  const Scenario& scenario;
  const StudyOutcome& outcome;
  const RunManifest& manifest;
  std::string timing = {};       // the text of its timing.json; may be empty
  std::string search = {};       // of its find.json; may be empty
  std::string sensitivity = {};  // of its sensitivity.json; may be empty
  std::string comparison = {};   // with the first part, from comparison_json(); may be empty
  std::vector<std::string> traces = {};  // texts of files below its traces/, for the animation
};

// A run's name for the user: the last component of its directory's path.
std::string run_name(const std::string& directory);

// The run in `directory`, named run_name(), with the timing.json, find.json and traces found there.
// The page includes the first traces, up to 8 MB in all.
ReportPart part_of(const std::string& directory, const Scenario& scenario,
                   const StudyOutcome& outcome, const RunManifest& manifest);

// Precondition: at least one part. Equal parts give byte-identical pages.
std::string report_html(const std::vector<ReportPart>& parts);

// Writes atomically and replaces an existing page.
Status write_report(const std::string& path, const std::vector<ReportPart>& parts);

// A page that animates one counterexample; `told` is the output of `replay --json`.
Status write_replay(const std::string& path, const std::string& name, const std::string& told);

// A lesson of the classroom: its text (Markdown, see scenarios/teaching/README.md), its run,
// counterexamples and a game. The page hides the answer until the reader reveals it.
struct Lesson {
  std::string title;
  std::string text;
  std::vector<std::pair<std::string, std::string>> links;    // address, link text
  std::vector<std::pair<std::string, std::string>> replays;  // name, output of `replay --json`
  std::string game = {};                                     // explore::game_json(); may be empty
};
// At most one part.
Status write_lesson(const std::string& path, const Lesson& lesson,
                    const std::vector<ReportPart>& parts);

// All experiments of a paper.
struct Paper {
  std::string name;
  std::string notes;                 // its README.md
  std::vector<Score> scores;         // over all experiments
  std::vector<std::string> missing;  // experiments without results
};

// Writes the page on a paper: scores, orders, disputed figures, and each experiment's figures.
// `parts` holds brief_document() of each experiment, with the experiment's name as
// ReportPart::name. The page links to the experiment's own page at PAPER/NAME/report.html.
Status write_paper(const std::string& path, const Paper& paper,
                   const std::vector<std::string>& parts);

}  // namespace latchlab::tool

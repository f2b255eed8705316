#pragma once
// The page on one run or several: one HTML file with its style, its scripts, d3 and the data, which
// needs no network and works from a disk.

#include <string>
#include <utility>
#include <vector>

#include "core/base/result.h"
#include "core/measure/expectations.h"
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
  std::vector<std::string> traces = {};  // texts of files below its traces/, for the player
};

// What people call a run: the last part of its directory's path.
std::string run_name(const std::string& directory);

// What was run in the directory, by the name of its last part, with the timing.json, find.json and
// traces that are there; the page plays the first traces, up to 8 MB of them.
ReportPart part_of(const std::string& directory, const Scenario& scenario,
                   const StudyOutcome& outcome, const RunManifest& manifest);

// At least one part. Equal parts give equal bytes.
std::string report_html(const std::vector<ReportPart>& parts);

// All or nothing; a page that was there is replaced.
Status write_report(const std::string& path, const std::vector<ReportPart>& parts);

// A counter-example on a page of its own, played; `told` is what `replay --json` tells of it.
Status write_replay(const std::string& path, const std::string& name, const std::string& told);

// A lesson of the classroom: its text (markdown, see scenarios/teaching/README.md), the run that
// belongs to it, counter-examples, and a game. Its answer is shown after the question has been
// asked.
struct Lesson {
  std::string title;
  std::string text;
  std::vector<std::pair<std::string, std::string>> links;    // address, words
  std::vector<std::pair<std::string, std::string>> replays;  // name, what `replay --json` tells
  std::string game = {};  // as explore::game_json() has it; may be empty
};
// At most one part.
Status write_lesson(const std::string& path, const Lesson& lesson,
                    const std::vector<ReportPart>& parts);

// All experiments of a paper.
struct Paper {
  std::string name;
  std::string notes;                 // its README.md
  std::vector<Score> scores;         // over all experiments
  std::vector<std::string> missing;  // experiments of which there is nothing yet
};

// The page on them: scores, orders, what is disputed, and each experiment's figures. `parts` are
// brief_document() of each; ReportPart::name is that of the experiment, and its own page lies
// beside this one at PAPER/NAME/report.html.
Status write_paper(const std::string& path, const Paper& paper,
                   const std::vector<std::string>& parts);

}  // namespace latchlab::tool

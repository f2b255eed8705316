#pragma once
// The data of the report page: results.json of each run, plus data that results.json lacks.

#include <string>
#include <vector>

#include "tools/report/report.h"

namespace latchlab::tool {

// JSON in ASCII without <, > and &, so that no text in it can open or close an HTML element.
//
// {"parts": [{"name", "finding", "figures", "fairness", "points", "nics", "scenario", "timing",
//             "results"}], "columns": [[metric, name]], "plays": [{"name", "trace" or "replay"}]}
// - figures: [{x, y, series, measured, apart, line, at}], those of the scenario or the default one,
//   with the fields of lines_of(); fairness: one more figure
// - points: [{clients, lock, apart, acquire}], as in results; `lock` and `apart` as in figures,
//   `acquire` is the distribution of acquisition times: [[ns, share of all in ppm], ...], both
//   ascending
// - columns: of the table of points
// - nics: [{name, device, constants: [{key, value, low, high, source, status, overridden}]}]
// - scenario: the text of scenario.yaml; timing: timing.json or null
// - results: results.json, reduced: `params` keep the NIC's name without its constants, and a
//   repeat's metrics keep only the fingerprint
// - plays: traces of runs (docs/export.md), each named after its point, and counterexamples in the
//   format of `replay --json`
std::string report_document(const std::vector<ReportPart>& parts);
std::string replay_document(const std::string& name, const std::string& told);
// The same with "lesson": {"title", "text", "links": [[address, words]], "game"}.
std::string lesson_document(const Lesson& lesson, const std::vector<ReportPart>& parts);

// The data of the page on a paper: {"paper": {"name", "notes", "scores", "missing"}, "parts",
// "columns", ...}. `parts` are texts of brief_document(), which omits constants, scenario and
// distributions and keeps only the metrics that the part's figures and the page need.
std::string brief_document(const ReportPart& part);
std::string paper_document(const Paper& paper, const std::vector<std::string>& parts);

}  // namespace latchlab::tool

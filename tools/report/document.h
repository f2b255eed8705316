#pragma once
// What the page shows, as data: results.json of each run, and beside it what that lacks.

#include <string>
#include <vector>

#include "tools/report/report.h"

namespace latchlab::tool {

// JSON in ASCII and without <, > and &, so that nothing in it can end or begin an element of HTML.
//
// {"parts": [{"name", "finding", "figures", "fairness", "points", "nics", "scenario", "timing",
//             "results"}], "columns": [[metric, name]], "plays": [{"name", "trace" or "replay"}]}
// - figures: [{x, y, series, measured, apart, line, at}], those of the scenario or a usual one,
//   with what exporting::lines_of() says; fairness: another one
// - points: [{clients, lock, apart, acquire}], as in results; `lock` and `apart` as in figures,
//   `acquire` the distribution of the time an acquisition took: [[ns, share of all in ppm], ...],
//   both ascending
// - columns: of the table of points
// - nics: [{name, device, constants: [{key, value, low, high, source, status, overridden}]}]
// - scenario: the text of scenario.yaml; timing: timing.json or null
// - results: results.json, but of the NIC's constants in params only its name, and of a repeat's
//   metrics only the fingerprint
// - plays: traces of runs as docs/export.md describes them, each by the name of its point, and
//   counter-examples as `replay --json` tells them
std::string report_document(const std::vector<ReportPart>& parts);
std::string replay_document(const std::string& name, const std::string& told);
// The same with "lesson": {"title", "text", "links": [[address, words]], "game"}.
std::string lesson_document(const Lesson& lesson, const std::vector<ReportPart>& parts);

// The same for the page on a paper: {"paper": {"name", "notes", "scores", "missing"}, "parts",
// "columns", ...}. Of each part, which stands in `parts` as brief_document() gives it, there are
// no constants, no scenario and no distributions, and of the metrics those that its figures show.
std::string brief_document(const ReportPart& part);
std::string paper_document(const Paper& paper, const std::vector<std::string>& parts);

}  // namespace latchlab::tool

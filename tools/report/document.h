#pragma once
// What the page shows, as data: results.json of each run, and beside it what that lacks.

#include <string>
#include <vector>

#include "tools/report/report.h"

namespace latchlab::tool {

// JSON in ASCII and without <, > and &, so that nothing in it can end or begin an element of HTML.
//
// {"parts": [{"name", "finding", "figures", "points", "nics", "scenario", "timing", "results"}]}
// - figures: [{x, y, series}], as the scenario names them
// - points: [{clients, nic, acquire}], as in results; `nic` is an index into nics, `acquire` the
//   distribution of the time an acquisition took: [[ns, share of all in ppm], ...], both ascending
// - nics: [{name, device, constants: [{key, value, low, high, source, status, overridden}]}]
// - scenario: the text of scenario.yaml; timing: timing.json or null
// - results: results.json, but of the NIC's constants in params only its name, and of a repeat's
//   metrics only the fingerprint
std::string report_document(const std::vector<ReportPart>& parts);

}  // namespace latchlab::tool

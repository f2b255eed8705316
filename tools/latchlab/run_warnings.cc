
#include <fmt/core.h>

#include <algorithm>
#include <cstdio>

#include "core/conclude/caveat.h"
#include "core/conclude/comparison.h"
#include "core/conclude/remarks.h"
#include "core/conclude/values.h"
#include "tools/latchlab/run.h"

namespace latchlab::tool {

void report_problems(const Scenario& scenario, const StudyOutcome& outcome, bool warn) {
  for (std::size_t i = 0; i < outcome.points.size(); ++i) {
    const RepeatStatus status = outcome.points[i].status();
    const bool warning = status <= RepeatStatus::too_short;
    if (status == RepeatStatus::ok || (warning && !warn)) continue;
    std::string where = scenario.points[i].protocol.label;
    for (const auto& [path, value] : scenario.points[i].axes)
      if (path != "protocol") where += fmt::format(", {}={}", path, value);
    const std::string* known = why_known(scenario.points[i], outcome.points[i]);
    if (known && !warn) continue;
    fmt::print(stderr, "latchlab: {}point {} ({}): {}: {}{}\n",
               known     ? "known: "
               : warning ? "warning: "
                         : "",
               i, where, name_of(status), outcome.points[i].message(),
               known ? " (known: " + *known + ")" : "");
  }
}

namespace {

void report_unsteady(const Scenario& scenario, const StudyOutcome& outcome) {
  std::string where;
  for (std::size_t i = 0; i < outcome.points.size(); ++i) {
    const Leaves metrics = outcome.points[i].metrics();
    const bool told = outcome.points[i].status() == RepeatStatus::too_short;  // already reported
    if (told || number_at(metrics, "window.settled").value_or(1) > 0) continue;
    if (share_cut(metrics) > kMostCut) continue;  // the rest is too short to judge
    where += fmt::format("{}{} at point {} ({:.2f})", where.empty() ? "" : ", ",
                         scenario.points[i].protocol.label, i,
                         number_at(metrics, "stationary").value_or(0));
  }
  if (where.empty()) return;
  fmt::print(stderr,
             "latchlab: warning: not settled: {}; in brackets, goodput of the window's second half "
             "over the first. Lengthen run.duration{}, or look whether the lock has stopped\n",
             where, scenario.points.front().run.warmup ? ", set run.warmup: auto" : "");
}

void report_overload(const Scenario& scenario, const StudyOutcome& outcome) {
  for (std::size_t i = 0; i < outcome.points.size(); ++i) {
    const Leaves metrics = outcome.points[i].metrics();
    if (number_at(metrics, "open_loop.carried").value_or(1) > 0) continue;
    fmt::print(stderr,
               "latchlab: warning: point {} ({}) carries {} of {}: the queues grow, and "
               "latencies say how long the run was; lower workload.arrivals.rate\n",
               i, scenario.points[i].protocol.label,
               rate(number_at(metrics, "goodput_ops_s").value_or(0)),
               rate(number_at(metrics, "open_loop.offered_s").value_or(0)));
  }
}

constexpr std::size_t kMostNamed = 6;

void report_remarks(const Scenario& scenario, const StudyOutcome& outcome) {
  for (const Remark& remark : remarks(scenario, outcome)) {
    std::string where;
    const std::size_t named = std::min(remark.points.size(), kMostNamed);
    for (std::size_t i = 0; i < named; ++i)
      where += fmt::format("{}{} at point {} ({})", where.empty() ? "" : ", ",
                           scenario.points[remark.points[i].point].protocol.label,
                           remark.points[i].point, remark.points[i].found);
    if (remark.points.size() > named)
      where += fmt::format(" and {} more", remark.points.size() - named);
    fmt::print(stderr, "latchlab: warning: {}: {}. {}\n", remark.word, where, remark.says);
  }
}

}  // namespace

void report_warnings(const Scenario& scenario, const StudyOutcome& outcome) {
  report_unsteady(scenario, outcome);
  report_overload(scenario, outcome);
  report_remarks(scenario, outcome);
}

}  // namespace latchlab::tool


#include <fmt/core.h>

#include <algorithm>
#include <cstdio>

#include "core/conclude/caveat.h"
#include "core/conclude/comparison.h"
#include "core/conclude/remarks.h"
#include "core/conclude/values.h"
#include "tools/latchlab/run.h"

namespace latchlab::tool {

namespace {

// "CAS-B, platform.clients_per_node=8"
std::string place_of(const Scenario& scenario, std::size_t point) {
  std::string where = scenario.points[point].protocol.label;
  for (const auto& [path, value] : scenario.points[point].axes)
    if (path != "protocol") where += fmt::format(", {}={}", path, value);
  return where;
}

}  // namespace

void report_problems(const Scenario& scenario, const StudyOutcome& outcome, bool warn) {
  for (std::size_t i = 0; i < outcome.points.size(); ++i) {
    const RepeatStatus status = outcome.points[i].status();
    const bool warning = status <= RepeatStatus::too_short;
    if (status == RepeatStatus::ok || (warning && !warn)) continue;
    const std::string* known = why_known(scenario.points[i], outcome.points[i]);
    if (known && !warn) continue;
    fmt::print(stderr, "latchlab: {}point {} ({}): {}: {}{}\n",
               known     ? "known: "
               : warning ? "warning: "
                         : "",
               i, place_of(scenario, i), name_of(status), outcome.points[i].message(),
               known ? " (known: " + *known + ")" : "");
  }
}

namespace {

void report_unsteady(const Scenario& scenario, const StudyOutcome& outcome) {
  std::string where;
  for (std::size_t i = 0; i < outcome.points.size(); ++i) {
    const bool reported = outcome.points[i].status() == RepeatStatus::too_short;
    if (reported || caveat_beside_emulation(outcome.points[i]) != Caveat::unsettled) continue;
    where += fmt::format("{}{} ({:.2f})", where.empty() ? "" : "; ", place_of(scenario, i),
                         number_at(outcome.points[i].metrics(), "stationary").value_or(0));
  }
  if (where.empty()) return;
  fmt::print(stderr,
             "latchlab: warning: not settled: {}; in brackets, goodput of the window's second half "
             "over the first. Lengthen run.duration{}, or check whether clients are deadlocked\n",
             where, scenario.points.front().run.warmup ? ", set run.warmup: auto" : "");
}

// Points whose repeats did not reach run.precision.
void report_imprecise(const Scenario& scenario, const StudyOutcome& outcome) {
  std::string where;
  for (std::size_t i = 0; i < outcome.points.size(); ++i)
    if (misses_precision(scenario.points[i], outcome.points[i]))
      where += (where.empty() ? "" : "; ") + place_of(scenario, i);
  if (where.empty()) return;
  fmt::print(stderr,
             "latchlab: warning: run.precision was not reached in run.most_repeats repeats: {}. "
             "Lengthen run.duration, or raise run.most_repeats\n",
             where);
}

void report_overload(const Scenario& scenario, const StudyOutcome& outcome) {
  for (std::size_t i = 0; i < outcome.points.size(); ++i) {
    const Leaves metrics = outcome.points[i].metrics();
    if (number_at(metrics, "open_loop.carried").value_or(1) > 0) continue;
    fmt::print(stderr,
               "latchlab: warning: point {} ({}) carries {} of {}: the queues grow, and latencies "
               "grow with the length of the run; lower workload.arrivals.rate\n",
               i, place_of(scenario, i), rate(number_at(metrics, "goodput_ops_s").value_or(0)),
               rate(number_at(metrics, "open_loop.offered_s").value_or(0)));
  }
}

constexpr std::size_t kMostNamed = 6;

void report_remarks(const Scenario& scenario, const StudyOutcome& outcome) {
  for (const Remark& remark : remarks(scenario, outcome)) {
    std::string where;
    const std::size_t named = std::min(remark.points.size(), kMostNamed);
    for (std::size_t i = 0; i < named; ++i)
      where += fmt::format("{}{} ({})", where.empty() ? "" : "; ",
                           place_of(scenario, remark.points[i].point), remark.points[i].found);
    if (remark.points.size() > named)
      where += fmt::format(" and {} more", remark.points.size() - named);
    fmt::print(stderr, "latchlab: warning: {}: {}. {}\n", remark.word, where, remark.says);
  }
}

}  // namespace

void report_warnings(const Scenario& scenario, const StudyOutcome& outcome) {
  report_unsteady(scenario, outcome);
  report_imprecise(scenario, outcome);
  report_overload(scenario, outcome);
  report_remarks(scenario, outcome);
}

}  // namespace latchlab::tool

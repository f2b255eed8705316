#include <fmt/core.h>

#include <algorithm>
#include <cstdio>
#include <utility>

#include "core/study/study_comparison.h"
#include "tools/latchlab/commands.h"
#include "tools/latchlab/compare_explain.h"
#include "tools/latchlab/compare_text.h"
#include "tools/latchlab/estimate.h"
#include "tools/latchlab/stored_runs.h"

namespace latchlab::tool {

namespace {

Result<std::vector<std::string>> metrics_of(const CompareArguments& arguments) {
  std::vector<std::string> metrics;
  if (!arguments.only) metrics = compared_metrics();
  for (const std::string& metric : arguments.metrics) {
    if (const Status known = check_metric_option(metric); !known) return known.error();
    if (std::find(metrics.begin(), metrics.end(), metric) == metrics.end())
      metrics.push_back(metric);
  }
  if (metrics.empty())
    return Error{"--only: of which metric? add --metric, for example --metric acquire_ns.p999", {}};
  return metrics;
}

// The explanation as JSON; empty without --explain.
Result<std::string> explanation_of(const CompareArguments& arguments, const StoredRun& a,
                                   const StoredRun& b, const StudyComparison& made) {
  if (!arguments.explain) return std::string();
  std::fflush(stdout);
  ExplainOptions options;
  options.metrics = metrics_of(arguments).value();
  options.jobs = arguments.jobs > 0 ? arguments.jobs : cores();
  options.talks = !arguments.json;
  const auto found = explain_comparison(a, b, made, options);
  if (!found) return found.error();
  if (!arguments.json) {
    fmt::print("\nWhat would explain it:\n");
    for (const std::string& each : sentences(found.value())) fmt::print("  {}\n", each);
  }
  return explanation_json(found.value());
}

}  // namespace

int compare_runs(const CompareArguments& arguments) {
  const auto metrics = metrics_of(arguments);
  if (!metrics) return complain(metrics.error());
  if (arguments.directories.size() < 2)
    return complain({"compare wants two runs or more: latchlab compare results/a results/b", {}});
  const auto loaded = load_runs(arguments.directories, arguments.data);
  if (!loaded) return complain(loaded.error());
  const std::vector<StoredRun>& runs = loaded.value();
  std::vector<ReportPart> parts = {part_of(runs.front())};
  std::string json;
  for (std::size_t i = 1; i < runs.size(); ++i) {
    const auto made = compare_studies(runs[0].study, runs[i].study, metrics.value());
    if (!made)
      return complain(
          {fmt::format("{} and {}: {}", runs[0].directory, runs[i].directory, made.error().message),
           {}});
    if (!arguments.json && i > 1) fmt::print("\n");
    if (!arguments.json) print_comparison(runs[0], runs[i], made.value());
    const auto explained = explanation_of(arguments, runs[0], runs[i], made.value());
    if (!explained)
      return complain(explained.error(),
                      explained.error().message == kStopped ? kInterrupted : kBadInput);
    ReportPart part = part_of(runs[i]);
    part.comparison = comparison_json({runs[0].name, runs[i].name}, runs[0].study, runs[i].study,
                                      made.value(), explained.value());
    json += (json.empty() ? "" : ",\n") + part.comparison.substr(0, part.comparison.size() - 1);
    parts.push_back(std::move(part));
  }
  if (arguments.json) fmt::print("[\n{}\n]\n", json);
  if (arguments.out.empty()) return kFine;
  if (const Status written = write_report(arguments.out, parts); !written)
    return complain(written.error(), kCannot);
  if (!arguments.json) fmt::print("\nReport: {}\n", arguments.out);
  return kFine;
}

}  // namespace latchlab::tool

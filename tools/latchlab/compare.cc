#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "core/study/study_comparison.h"
#include "tools/latchlab/commands.h"
#include "tools/latchlab/stored_runs.h"
#include "tools/latchlab/table.h"
#include "tools/latchlab/values.h"

namespace latchlab::tool {

namespace {

constexpr std::size_t kMostListed = 12;

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

void print_differences(const StudyComparison& made) {
  fmt::print("\nWhat differs:{}\n", made.differences.empty() ? " nothing" : "");
  for (const RunDifference& each : made.differences) {
    const bool everywhere = made.pairs.empty() || each.points == made.pairs.size();
    fmt::print(
        "  {}: {} -> {}{}\n", each.path, each.a, each.b,
        everywhere ? "" : fmt::format(" (at {} of {} points)", each.points, made.pairs.size()));
  }
}

void print_emulated(const StoredRun& run) {
  const RunManifest& manifest = run.study.manifest;
  for (const std::string& each : manifest.emulated)
    fmt::print("  {} emulates {}\n", run.name, each);
  if (manifest.emulated.empty() && !is_simulated(manifest))
    fmt::print("  {} emulates nothing\n", run.name);
}

void print_partnerless(const std::string& name, const std::vector<std::string>& points) {
  if (points.empty()) return;
  fmt::print("\nOnly in {}: {}\n", name, points.size());
  for (std::size_t i = 0; i < std::min(points.size(), kMostListed); ++i)
    fmt::print("  {}\n", points[i]);
  if (points.size() > kMostListed) fmt::print("  and {} more\n", points.size() - kMostListed);
}

// "clients_per_node=16" of "platform.clients_per_node=16".
std::string short_place(const std::string& where) {
  std::string text;
  bool in_path = true;
  for (const char c : where) {
    if (c == '=') in_path = false;
    if (c == ' ') in_path = true;
    if (c == '.' && in_path)
      text.erase(text.rfind(' ') == std::string::npos ? 0 : text.rfind(' ') + 1);
    else
      text += c;
  }
  return text;
}

std::string verdict(const PointPair& pair, const MetricPair& metric) {
  if (!pair.unsound.empty()) return pair.unsound;
  if (!pair.emulated.empty()) return pair.emulated;
  if (metric.is->ahead == 0) return "undecided";
  if (metric.better != 0) return metric.better > 0 ? "better" : "worse";
  return metric.is->ahead > 0 ? "more" : "less";
}

std::vector<std::string> row_of(const PointPair& pair, const MetricPair& metric, bool first) {
  std::vector<std::string> row = {first ? pair.lock : "", first ? short_place(pair.where) : "",
                                  metric.metric};
  if (!metric.is) {
    row.insert(row.end(), {"-", "-", "-", "-", "not measured"});
    return row;
  }
  const Comparison& is = *metric.is;
  row.push_back(value_text(metric.metric, is.b));
  row.push_back(value_text(metric.metric, is.a));
  row.push_back(is.b == 0 ? "-" : fmt::format("{:.3f}", is.ratio));
  row.push_back(is.low ? fmt::format("{:.3f} to {:.3f}", *is.low, *is.high) : "unknown");
  row.push_back(verdict(pair, metric));
  return row;
}

void print_points(const std::string& a, const std::string& b, const StudyComparison& made) {
  if (made.pairs.empty()) {
    fmt::print(
        "\nNo point is in both: points belong together that have the same label and axes.\n");
    return;
  }
  std::vector<std::vector<std::string>> rows = {
      {"lock", "where", "metric", a, b, "ratio", "95% interval", b + " is"}};
  for (const PointPair& pair : made.pairs)
    for (const MetricPair& metric : pair.metrics)
      rows.push_back(row_of(pair, metric, &metric == &pair.metrics.front()));
  fmt::print("\n{}(ratio: {} over {}", aligned(rows), b, a);
  const auto& first = made.pairs.front().metrics.front().is;
  if (first && first->paired) fmt::print("; repeats of equal seeds are compared one by one");
  if (first && !first->low) fmt::print("; an interval wants 3 repeats: --repeats 3");
  fmt::print(")\n");
}

std::string order_text(const std::vector<std::string>& labels) {
  std::string text;
  for (const std::string& label : labels) text += (text.empty() ? "" : " > ") + label;
  return text;
}

void print_ranks(const std::string& a, const std::string& b, const StudyComparison& made) {
  const auto apart = std::count_if(made.pairs.begin(), made.pairs.end(),
                                   [](const PointPair& pair) { return !pair.emulated.empty(); });
  if (apart > 0)
    fmt::print(
        "\n{} of {} points are in no order of locks: what was emulated, or ran on a device "
        "that is software, is no measure of an RNIC.\n",
        apart, made.pairs.size());
  if (made.ranks.empty()) return;
  fmt::print(
      "\nThe order of the locks by goodput (Kendall's tau; 1: the same, -1: the reverse):\n");
  for (const RankAgreement& each : made.ranks) {
    fmt::print("  {}tau {:.2f}", each.where.empty() ? "" : short_place(each.where) + ": ",
               each.tau);
    if (each.a == each.b)
      fmt::print(", {}\n", order_text(each.a));
    else
      fmt::print("\n    {}: {}\n    {}: {}\n", a, order_text(each.a), b, order_text(each.b));
    for (const auto& [before, after] : each.changed)
      fmt::print("    changed places decidedly: {} and {}, now {} is ahead\n", before, after,
                 after);
  }
}

void print_comparison(const StoredRun& a, const StoredRun& b, const StudyComparison& made) {
  for (const StoredRun* run : {&a, &b})
    fmt::print("{}: {}, on {}, by latchlab {}\n", run->directory, run->study.scenario.name,
               run->study.manifest.backend, run->study.manifest.version);
  print_differences(made);
  print_emulated(a);
  print_emulated(b);
  print_points(a.name, b.name, made);
  print_partnerless(a.name, made.only_a);
  print_partnerless(b.name, made.only_b);
  print_ranks(a.name, b.name, made);
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
    ReportPart part = part_of(runs[i]);
    part.comparison =
        comparison_json({runs[0].name, runs[i].name}, runs[0].study, runs[i].study, made.value());
    json += (json.empty() ? "" : ",\n") + part.comparison.substr(0, part.comparison.size() - 1);
    parts.push_back(std::move(part));
    if (!arguments.json && i > 1) fmt::print("\n");
    if (!arguments.json) print_comparison(runs[0], runs[i], made.value());
  }
  if (arguments.json) fmt::print("[\n{}\n]\n", json);
  if (arguments.out.empty()) return kFine;
  if (const Status written = write_report(arguments.out, parts); !written)
    return complain(written.error(), kCannot);
  if (!arguments.json) fmt::print("\nReport: {}\n", arguments.out);
  return kFine;
}

}  // namespace latchlab::tool


#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "tools/latchlab/compare.h"
#include "tools/latchlab/stored_runs.h"
#include "tools/latchlab/table.h"

namespace latchlab::tool {

namespace {

constexpr std::size_t kMostListed = 12;

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

std::string percent(double ratio) {
  return fmt::format("{:+.1f} %", (ratio - 1) * 100);
}

std::string judged(const PointPair& pair, const MetricPair& metric) {
  if (!pair.unsound.empty()) return pair.unsound;
  if (!pair.emulated.empty()) return pair.emulated;
  if (!metric.error) return "not measured";
  if (metric.error->ahead != 0) return metric.error->ahead > 0 ? "too much" : "too little";
  return metric.error->low ? "within chance" : "undecided";
}

std::vector<std::string> error_row(const PointPair& pair, const MetricPair& metric, bool first) {
  std::vector<std::string> row = {first ? pair.lock : "", first ? short_place(pair.where) : "",
                                  metric.metric};
  if (!metric.error) {
    row.insert(row.end(), {"-", "-", "-", "-", judged(pair, metric)});
    return row;
  }
  const Comparison& error = *metric.error;
  row.push_back(value_text(metric.metric, error.a));
  row.push_back(value_text(metric.metric, error.b));
  row.push_back(percent(error.ratio));
  row.push_back(error.low ? percent(*error.low) + " to " + percent(*error.high) : "unknown");
  row.push_back(judged(pair, metric));
  return row;
}

void print_errors(const StoredRun& a, const StoredRun& b, const StudyComparison& made) {
  const bool first = is_simulated(a.study.manifest);
  std::vector<std::vector<std::string>> rows = {
      {"lock", "where", "metric", (first ? a : b).name + " predicts",
       (first ? b : a).name + " measured", "error", "95% interval", "predicted"}};
  for (const PointPair& pair : made.pairs)
    for (const MetricPair& metric : pair.metrics)
      rows.push_back(error_row(pair, metric, &metric == &pair.metrics.front()));
  fmt::print(
      "\n{}(error: simulated over measured, less 1{})\n", aligned(rows),
      made.pairs.front().metrics.front().error && !made.pairs.front().metrics.front().error->low
          ? "; an interval wants 3 repeats of both: --repeats 3"
          : "");
  for (const ErrorSummary& each : made.errors)
    fmt::print("{} of {}: off by {:.1f} % in the median, by {:.1f} % at most ({}{})\n", each.metric,
               counted(each.points, "point"), each.median * 100, each.greatest * 100,
               made.pairs[each.greatest_at].lock,
               made.pairs[each.greatest_at].where.empty()
                   ? ""
                   : ", " + short_place(made.pairs[each.greatest_at].where));
  for (const PointPair& pair : made.pairs)
    if (!pair.emulated.empty()) {
      fmt::print(
          "What is called emulated, by agents or on a device that is software, is no measure of "
          "an RNIC; it is in no sum and is ranked apart.\n");
      break;
    }
}

void print_points(const std::string& a, const std::string& b, const StudyComparison& made) {
  std::vector<std::vector<std::string>> rows = {
      {"lock", "where", "metric", a, b, "ratio", "95% interval", b + " is"}};
  for (const PointPair& pair : made.pairs)
    for (const MetricPair& metric : pair.metrics)
      rows.push_back(row_of(pair, metric, &metric == &pair.metrics.front()));
  fmt::print("\n{}(ratio: {} over {}", aligned(rows), b, a);
  bool paired = false, few = false;
  for (const PointPair& pair : made.pairs)
    for (const MetricPair& metric : pair.metrics) {
      if (!metric.is) continue;
      few |= metric.is->few;
      paired |= metric.is->paired && !metric.is->few;
    }
  if (paired) fmt::print("; repeats of equal seeds are compared pairwise");
  if (few) fmt::print("; intervals between seeds need 3 repeats of both: --repeats 3");
  fmt::print(")\n");
}

std::string order_text(const std::vector<std::string>& labels, const std::vector<bool>& decided) {
  std::string text = labels.front();
  for (std::size_t i = 1; i < labels.size(); ++i)
    text += (decided[i - 1] ? " > " : " ~ ") + labels[i];
  return text;
}

void print_ranks(const std::string& a, const std::string& b, const StudyComparison& made) {
  if (made.ranks.empty()) return;
  fmt::print(
      "\nThe order of the locks by goodput (~: undecided; Kendall's tau; 1: the same, -1: the "
      "reverse):\n");
  for (const RankAgreement& each : made.ranks) {
    fmt::print("  {}{}tau {:.2f}", each.where.empty() ? "" : short_place(each.where) + ": ",
               each.emulated.empty() ? "" : each.emulated + ", ", each.tau);
    const std::string in_a = order_text(each.a, each.decided_a);
    const std::string in_b = order_text(each.b, each.decided_b);
    if (in_a == in_b)
      fmt::print(", {}\n", in_a);
    else
      fmt::print("\n    {}: {}\n    {}: {}\n", a, in_a, b, in_b);
    for (const auto& [before, after] : each.changed)
      fmt::print("    changed places decidedly: {} and {}, now {} is ahead\n", before, after,
                 after);
  }
}

}  // namespace

void print_comparison(const StoredRun& a, const StoredRun& b, const StudyComparison& made) {
  for (const StoredRun* run : {&a, &b})
    fmt::print("{}: {}, on {}, by latchlab {}\n", run->directory, run->study.scenario.name,
               run->study.manifest.backend, run->study.manifest.version);
  print_differences(made);
  print_emulated(a);
  print_emulated(b);
  if (made.pairs.empty())
    fmt::print(
        "\nNo point is in both: points belong together that have the same label and axes.\n");
  else if (is_prediction(a.study.manifest, b.study.manifest))
    print_errors(a, b, made);
  else
    print_points(a.name, b.name, made);
  print_partnerless(a.name, made.only_a);
  print_partnerless(b.name, made.only_b);
  print_ranks(a.name, b.name, made);
}

}  // namespace latchlab::tool

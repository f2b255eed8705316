#include "tools/latchlab/table.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "core/conclude/figure_lines.h"
#include "core/conclude/values.h"
#include "core/conclude/verdict.h"

namespace latchlab::tool {

namespace {

using Row = std::vector<std::string>;

std::string microseconds_of(std::optional<double> ns) {
  return ns ? fmt::format("{:.2f}", *ns / 1e3) : "-";
}

std::string plain(std::optional<double> value, int digits) {
  return value ? fmt::format("{:.{}f}", *value, digits) : "-";
}

std::string share(std::optional<double> value) {
  return value ? fmt::format("{:.1f}%", *value * 100) : "-";
}

std::string last_part(const std::string& path) {
  if (const std::size_t scale = path.find(".scale."); scale != std::string::npos)
    return path.substr(scale + 1);
  const std::size_t dot = path.rfind('.');
  return dot == std::string::npos ? path : path.substr(dot + 1);
}

std::optional<double> interval(const Leaves& metrics, const char* path) {
  const LeafValue* value = find_leaf(metrics, path);
  const auto* mean = value != nullptr ? std::get_if<MeanCi>(value) : nullptr;
  return mean != nullptr ? mean->ci95 : std::nullopt;
}

Row header(const Point& point, const RateUnit& unit, bool intervals) {
  Row row = {"lock"};
  for (const auto& [path, value] : point.axes)
    if (!names_the_lock(path)) row.push_back(last_part(path));
  row.emplace_back("clients");
  row.push_back(fmt::format("goodput {}", unit.name));
  if (intervals) row.emplace_back("+- 95%");
  for (const char* name :
       {"p50 us", "p99 us", "reads", "atomics", "sends", "retries", "nic busy", "jain", "verdict"})
    row.emplace_back(name);
  return row;
}

Row row_of(const Point& point, const PointOutcome& outcome, const RateUnit& unit, bool intervals) {
  Row row = {point.protocol.label};
  for (const auto& [path, value] : point.axes)
    if (!names_the_lock(path)) row.push_back(value);
  const Leaves m = outcome.metrics();
  row.push_back(std::to_string(point.platform.clients()));
  const auto scaled = [&](std::optional<double> per_s) {
    return plain(per_s ? std::optional(*per_s / unit.per_s) : std::nullopt, unit.digits);
  };
  row.push_back(scaled(number_at(m, "goodput_ops_s")));
  if (intervals) row.push_back(scaled(interval(m, "goodput_ops_s")));
  row.push_back(microseconds_of(number_at(m, "acquire_ns.p50")));
  row.push_back(microseconds_of(number_at(m, "acquire_ns.p99")));
  row.push_back(plain(number_at(m, "verbs_per_cycle.read"), 2));
  row.push_back(plain(number_at(m, "verbs_per_cycle.atomic"), 2));
  row.push_back(plain(number_at(m, "verbs_per_cycle.send"), 2));
  row.push_back(share(number_at(m, "retry_share")));
  row.push_back(share(number_at(m, "server_nic.utilisation.pipeline")));
  row.push_back(plain(number_at(m, "fairness.jain"), 3));
  row.push_back(verdict(outcome) + (why_known(point, outcome) ? " (known)" : ""));
  return row;
}

}  // namespace

std::string aligned(const std::vector<Row>& rows) {
  std::vector<std::size_t> width(rows.front().size());
  for (const Row& row : rows)
    for (std::size_t i = 0; i < row.size(); ++i) width[i] = std::max(width[i], row[i].size());
  std::string out;
  for (const Row& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i)
      line += i == 0 ? fmt::format("{:<{}}", row[i], width[i])
                     : fmt::format("  {:>{}}", row[i], width[i]);
    out += line + "\n";
  }
  return out;
}

std::string table(const Scenario& scenario, const StudyOutcome& outcome) {
  double greatest = 0;
  for (const PointOutcome& point : outcome.points)
    greatest = std::max(greatest, number_at(point.metrics(), "goodput_ops_s").value_or(0));
  const RateUnit unit = unit_for(greatest);
  const bool intervals =
      std::any_of(outcome.points.begin(), outcome.points.end(), [](const PointOutcome& point) {
        return interval(point.metrics(), "goodput_ops_s").has_value();
      });
  std::vector<Row> rows = {header(scenario.points.front(), unit, intervals)};
  for (std::size_t i = 0; i < scenario.points.size(); ++i)
    rows.push_back(row_of(scenario.points[i], outcome.points[i], unit, intervals));
  return aligned(rows) +
         fmt::format(
             "(p50, p99: of acquisitions; reads, atomics, sends: per cycle of acquire and "
             "release{})\n",
             intervals ? "; +- 95%: confidence interval of the goodput" : "");
}

namespace {

using Row = std::vector<std::string>;

constexpr std::size_t kShownWhole = 24;
constexpr std::size_t kShownOfMany = 12;

bool is_time(const std::string& metric) {
  return (metric.find("_ns.") != std::string::npos || metric.ends_with("_ns")) &&
         !metric.ends_with(".count");
}

// Formats a value in the unit that papers use.
std::string shown(const Expectation& entry, std::optional<double> value) {
  if (!value) return "-";
  if (entry.kind == ExpectKind::value) {
    if (is_time(entry.metrics.front())) return fmt::format("{:.2f} us", *value / 1e3);
    if (*value >= 1e6) return fmt::format("{:.3f} M", *value / 1e6);
    if (*value >= 1e3) return fmt::format("{:.1f} k", *value / 1e3);
  }
  return fmt::format("{:.3g}", *value);
}

bool holds(const Difference& each) {
  return each.mean && each.ci95 && *each.mean > *each.ci95;
}

std::string order_text(const Scored& scored) {
  const auto hold = std::ranges::count_if(scored.differences, holds);
  return fmt::format("{}/{} hold", hold, scored.differences.size());
}

// What tells `point` from `other`: its label, or its values on the axes.
std::string name_beside(const Point& point, const Point& other) {
  if (point.protocol.label != other.protocol.label) return point.protocol.label;
  std::string name;
  for (std::size_t a = 0; a < point.axes.size(); ++a)
    if (point.axes[a] != other.axes[a])
      name += (name.empty() ? "" : ", ") + point.axes[a].first + "=" + point.axes[a].second;
  return name;
}

// The pairs of an order that do not hold.
std::string order_lines(const Scenario& scenario, const Expectation& entry, const Scored& scored) {
  std::string text;
  for (const Difference& each : scored.differences) {
    if (holds(each)) continue;
    const Point &better = scenario.points[each.better], &worse = scenario.points[each.worse];
    const char* found = !each.mean || !each.ci95            ? "not measured often enough"
                        : std::abs(*each.mean) > *each.ci95 ? "reversed"
                                                            : "undecided";
    text += fmt::format("{}: {} ahead of {} is {}", entry.id, name_beside(better, worse),
                        name_beside(worse, better), found);
    if (each.mean) text += fmt::format(" ({:+.3g}", *each.mean);
    if (each.mean && each.ci95) text += fmt::format(" +- {:.3g}", *each.ci95);
    text += each.mean ? ")\n" : "\n";
  }
  return text;
}

Row row_of(const Expectation& entry, const Scored& scored) {
  const bool order = entry.kind == ExpectKind::order;
  return {entry.id,
          order ? "order" : shown(entry, entry.published),
          order ? order_text(scored) : shown(entry, scored.predicted),
          scored.ratio ? fmt::format("{:.2f}", *scored.ratio) : "-",
          name_of(scored.verdict),
          name_of(entry.use),
          entry.profile.empty() ? "-" : entry.profile};
}

}  // namespace

double badness(const Scored& scored) {
  constexpr double kWorst = std::numeric_limits<double>::infinity();
  switch (scored.verdict) {
    case FigureVerdict::ok:
    case FigureVerdict::disputed:
      return 0;
    case FigureVerdict::off:
      return scored.log2_error ? std::abs(*scored.log2_error) : kWorst;
    case FigureVerdict::undecided:
      break;
  }
  return 1e-3;  // shown after all figures with an error
}

std::string figure_line(const Expectation& entry, const Scored& scored) {
  const Row row = row_of(entry, scored);
  const std::string profile = entry.profile.empty() ? "" : fmt::format(" [{}]", entry.profile);
  if (entry.kind == ExpectKind::order)
    return fmt::format("{}{}: {}, {}", row[0], profile, row[4], row[2]);
  return fmt::format("{}{}: {} published, {} predicted ({})", row[0], profile, row[1], row[2],
                     row[3]);
}

std::string figure_table(const Scenario& scenario, const StudyScore& score) {
  const std::vector<Expectation>& entries = scenario.expectations;
  if (entries.empty()) return {};
  std::vector<std::size_t> which(entries.size());
  std::iota(which.begin(), which.end(), std::size_t{0});
  const bool all = which.size() <= kShownWhole;
  if (!all) {
    std::sort(which.begin(), which.end(), [&](std::size_t a, std::size_t b) {
      return std::pair(-badness(score.figures[a]), a) < std::pair(-badness(score.figures[b]), b);
    });
    which.resize(kShownOfMany);
  }
  std::vector<Row> rows = {
      {"figure", "published", "predicted", "ratio", "verdict", "use", "profile"}};
  for (const std::size_t i : which) rows.push_back(row_of(entries[i], score.figures[i]));
  std::string text = aligned(rows);
  if (!all)
    text += fmt::format("(the {} worst of {}; all are in results.json)\n", which.size(),
                        entries.size());
  for (const std::size_t i : which)
    if (entries[i].disputed.empty()) text += order_lines(scenario, entries[i], score.figures[i]);
  for (const std::size_t i : which)
    if (!entries[i].disputed.empty())
      text += fmt::format("{} is disputed: {}\n", entries[i].id, entries[i].disputed);
  return text;
}

std::string missed_lines(const Scenario& scenario, const StudyScore& score, bool strict) {
  std::string text;
  std::size_t count = 0;
  for (std::size_t i = 0; i < score.figures.size(); ++i) {
    const Expectation& entry = scenario.expectations[i];
    if (is_missed(entry, score.figures[i], strict) && ++count <= kShownOfMany)
      text += fmt::format("latchlab: exit code 1, since this {} is missed: {}\n",
                          name_of(entry.use), figure_line(entry, score.figures[i]));
  }
  if (count > kShownOfMany)
    text += fmt::format("latchlab: and {} more are missed\n", count - kShownOfMany);
  return text;
}

std::string score_lines(const std::vector<Score>& scores) {
  std::string text;
  for (const Score& each : scores) {
    text += fmt::format("Score: {} of {} figures within tolerance", each.ok, each.cells);
    if (each.within) text += fmt::format(" ({:.0f}%)", *each.within * 100);
    if (each.median_abs_log2)
      text += fmt::format(", median |log2(predicted/published)| {:.3f}", *each.median_abs_log2);
    if (each.undecided > 0) text += fmt::format(", {} undecided", each.undecided);
    if (each.disputed > 0) text += fmt::format(", {} disputed", each.disputed);
    text += fmt::format(" ({}{})\n", name_of(each.use),
                        each.profile.empty() ? "" : ", profile " + each.profile);
  }
  return text;
}

}  // namespace latchlab::tool

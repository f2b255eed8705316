#include "tools/latchlab/table.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "core/study/verdict.h"
#include "tools/export/figure_lines.h"
#include "tools/latchlab/values.h"

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
    if (!exporting::names_the_lock(path)) row.push_back(last_part(path));
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
    if (!exporting::names_the_lock(path)) row.push_back(value);
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

}  // namespace latchlab::tool

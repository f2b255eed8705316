#include "tools/latchlab/table.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

namespace latchlab::tool {

namespace {

using Row = std::vector<std::string>;

std::optional<double> number(const Leaves& leaves, const char* path) {
  const LeafValue* value = find_leaf(leaves, path);
  return value != nullptr ? number_of(*value) : std::nullopt;
}

// The goodputs of a table share a unit, so that they can be compared at a glance.
struct RateUnit {
  const char* name;
  double per_s;
  int digits;
};

RateUnit unit_for(double greatest_per_s) {
  if (greatest_per_s >= 1e6) return {"M/s", 1e6, 3};
  if (greatest_per_s >= 1e3) return {"k/s", 1e3, 1};
  return {"/s", 1, 0};
}

std::string rate(std::optional<double> per_s) {
  if (!per_s) return "-";
  const RateUnit unit = unit_for(*per_s);
  return fmt::format("{:.{}f} {}", *per_s / unit.per_s, unit.digits, unit.name);
}

std::string microseconds_of(std::optional<double> ns) {
  return ns ? fmt::format("{:.2f}", *ns / 1e3) : "-";
}

std::string plain(std::optional<double> value, int digits) {
  return value ? fmt::format("{:.{}f}", *value, digits) : "-";
}

std::string share(std::optional<double> value) {
  return value ? fmt::format("{:.1f}%", *value * 100) : "-";
}

std::string verdict(const PointOutcome& point) {
  if (!point.complete()) return "interrupted";
  switch (point.status()) {
    case RepeatStatus::ok:
      return "ok";
    case RepeatStatus::starved:
      return "starved";
    case RepeatStatus::unsafe:
      return "UNSAFE";
    case RepeatStatus::stuck:
      return "DEADLOCK";
    case RepeatStatus::unavailable:
      return "UNAVAILABLE";
    case RepeatStatus::failed:
      break;
  }
  return "FAILED";
}

bool is_comparable(const PointOutcome& point) {
  return point.complete() &&
         (point.status() == RepeatStatus::ok || point.status() == RepeatStatus::starved);
}

// Of swept axes, those that are not the protocol itself: the label says that.
bool is_shown(const std::string& path) {
  return path != "protocol" && path != "protocol.name" && path != "protocol.label";
}

bool of_protocol(const std::string& path) {
  return path == "protocol" || path.rfind("protocol.", 0) == 0;
}

std::string last_part(const std::string& path) {
  const std::size_t dot = path.rfind('.');
  return dot == std::string::npos ? path : path.substr(dot + 1);
}

Row header(const Point& point, const RateUnit& unit) {
  Row row = {"lock"};
  for (const auto& [path, value] : point.axes)
    if (is_shown(path)) row.push_back(last_part(path));
  row.emplace_back("clients");
  row.push_back(fmt::format("goodput {}", unit.name));
  for (const char* name :
       {"p50 us", "p99 us", "reads", "atomics", "sends", "retries", "nic busy", "jain", "verdict"})
    row.emplace_back(name);
  return row;
}

Row row_of(const Point& point, const PointOutcome& outcome, const RateUnit& unit) {
  Row row = {point.protocol.label};
  for (const auto& [path, value] : point.axes)
    if (is_shown(path)) row.push_back(value);
  const Leaves m = outcome.metrics();
  row.push_back(std::to_string(point.platform.clients()));
  auto goodput = number(m, "goodput_ops_s");
  if (goodput) *goodput /= unit.per_s;
  row.push_back(plain(goodput, unit.digits));
  row.push_back(microseconds_of(number(m, "acquire_ns.p50")));
  row.push_back(microseconds_of(number(m, "acquire_ns.p99")));
  row.push_back(plain(number(m, "verbs_per_cycle.read"), 2));
  row.push_back(plain(number(m, "verbs_per_cycle.atomic"), 2));
  row.push_back(plain(number(m, "verbs_per_cycle.send"), 2));
  row.push_back(share(number(m, "retry_share")));
  row.push_back(share(number(m, "server_nic.utilisation.pipeline")));
  row.push_back(plain(number(m, "fairness.jain"), 3));
  row.push_back(verdict(outcome));
  return row;
}

// Points are compared only where nothing but the protocol differs.
bool same_surroundings(const Point& a, const Point& b) {
  for (std::size_t i = 0; i < a.axes.size(); ++i)
    if (!of_protocol(a.axes[i].first) && a.axes[i].second != b.axes[i].second) return false;
  return true;
}

// "With 240 clients", and what else is swept.
std::string surroundings(const Point& point) {
  std::string text = fmt::format("With {} clients", point.platform.clients());
  for (const auto& [path, value] : point.axes)
    if (!of_protocol(path) && path.rfind("platform.client", 0) != 0)
      text += fmt::format(", {}={}", path, value);
  return text;
}

constexpr double kWorthNaming = 1.01;

struct Entry {
  std::string label;
  double goodput;
  std::size_t point;
};

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
    greatest = std::max(greatest, number(point.metrics(), "goodput_ops_s").value_or(0));
  const RateUnit unit = unit_for(greatest);
  std::vector<Row> rows = {header(scenario.points.front(), unit)};
  for (std::size_t i = 0; i < scenario.points.size(); ++i)
    rows.push_back(row_of(scenario.points[i], outcome.points[i], unit));
  return aligned(rows) +
         "(p50, p99: of acquisitions; reads, atomics, sends: per cycle of acquire and release)\n";
}

std::string finding(const Scenario& scenario, const StudyOutcome& outcome) {
  if (outcome.interrupted) return {};
  const Point& last = scenario.points.back();
  std::vector<Entry> entries;
  for (std::size_t i = 0; i < scenario.points.size(); ++i) {
    const auto goodput = number(outcome.points[i].metrics(), "goodput_ops_s");
    if (same_surroundings(scenario.points[i], last) && goodput && is_comparable(outcome.points[i]))
      entries.push_back({scenario.points[i].protocol.label, *goodput, i});
  }
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
    return std::pair(-a.goodput, a.point) < std::pair(-b.goodput, b.point);
  });
  const auto next = std::find_if(entries.begin(), entries.end(), [&](const Entry& entry) {
    return entry.label != entries.front().label;
  });
  if (next == entries.end() || next->goodput <= 0) return {};
  const double lead = entries.front().goodput / next->goodput;
  const std::string where = surroundings(last);
  if (lead < kWorthNaming)
    return fmt::format("{}: {} and {} do the same within {:.0f}% ({}).", where,
                       entries.front().label, next->label, (kWorthNaming - 1) * 100,
                       rate(entries.front().goodput));
  return fmt::format("{}: {} does most, {}, {:.2f} times the next ({}, {}).", where,
                     entries.front().label, rate(entries.front().goodput), lead, next->label,
                     rate(next->goodput));
}

}  // namespace latchlab::tool

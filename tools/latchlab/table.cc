#include "tools/latchlab/table.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <vector>

namespace latchlab::tool {

namespace {

using Row = std::vector<std::string>;

std::optional<double> number(const Leaves& leaves, const char* path) {
  const LeafValue* value = find_leaf(leaves, path);
  return value != nullptr ? number_of(*value) : std::nullopt;
}

std::string rate(std::optional<double> per_s) {
  if (!per_s) return "-";
  if (*per_s >= 1e6) return fmt::format("{:.2f} M/s", *per_s / 1e6);
  if (*per_s >= 1e3) return fmt::format("{:.1f} k/s", *per_s / 1e3);
  return fmt::format("{:.0f} /s", *per_s);
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
    case RepeatStatus::unsafe:
      return "UNSAFE";
    case RepeatStatus::stuck:
      return "DEADLOCK";
    default:
      return "FAILED";
  }
}

// Of swept axes, those that are not the protocol itself: the label says that.
bool is_shown(const std::string& path) {
  return path.rfind("protocol", 0) != 0 || path.find('.') != std::string::npos;
}

std::string last_part(const std::string& path) {
  const std::size_t dot = path.rfind('.');
  return dot == std::string::npos ? path : path.substr(dot + 1);
}

Row header(const Point& point) {
  Row row = {"lock"};
  for (const auto& [path, value] : point.axes)
    if (is_shown(path)) row.push_back(last_part(path));
  for (const char* name : {"clients", "goodput", "p50 us", "p99 us", "reads", "atomics", "sends",
                           "retries", "nic busy", "jain", "safety"})
    row.emplace_back(name);
  return row;
}

Row row_of(const Point& point, const PointOutcome& outcome) {
  Row row = {point.protocol.label};
  for (const auto& [path, value] : point.axes)
    if (is_shown(path)) row.push_back(value);
  const Leaves m = outcome.metrics();
  row.push_back(std::to_string(point.platform.clients()));
  row.push_back(rate(number(m, "goodput_ops_s")));
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

struct Entry {
  std::string label;
  double goodput;
};

}  // namespace

std::string table(const Scenario& scenario, const StudyOutcome& outcome) {
  std::vector<Row> rows = {header(scenario.points.front())};
  for (std::size_t i = 0; i < scenario.points.size(); ++i)
    rows.push_back(row_of(scenario.points[i], outcome.points[i]));
  return aligned(rows);
}

std::string finding(const Scenario& scenario, const StudyOutcome& outcome) {
  std::uint32_t most = 0;
  for (const Point& point : scenario.points) most = std::max(most, point.platform.clients());
  std::vector<Entry> entries;
  for (std::size_t i = 0; i < scenario.points.size(); ++i) {
    const auto goodput = number(outcome.points[i].metrics(), "goodput_ops_s");
    if (scenario.points[i].platform.clients() == most && goodput &&
        outcome.points[i].status() == RepeatStatus::ok)
      entries.push_back({scenario.points[i].protocol.label, *goodput});
  }
  std::stable_sort(entries.begin(), entries.end(),
                   [](const Entry& a, const Entry& b) { return a.goodput > b.goodput; });
  const auto next = std::find_if(entries.begin(), entries.end(), [&](const Entry& entry) {
    return entry.label != entries.front().label;
  });
  if (next == entries.end() || next->goodput <= 0) return {};
  return fmt::format("With {} clients {} does most: {}, {:.2f} times the next ({}, {}).", most,
                     entries.front().label, rate(entries.front().goodput),
                     entries.front().goodput / next->goodput, next->label, rate(next->goodput));
}

}  // namespace latchlab::tool

#include "tools/latchlab/finding.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "core/study/comparison.h"
#include "tools/latchlab/values.h"

namespace latchlab::tool {

namespace {

struct Entry {
  std::string label;
  double goodput;
  std::size_t point;
};
using Entries = std::vector<Entry>;

bool of_protocol(const std::string& path) {
  return path == "protocol" || path.rfind("protocol.", 0) == 0;
}

// Points are compared only where nothing but the protocol differs.
bool same_surroundings(const Point& a, const Point& b) {
  for (std::size_t i = 0; i < a.axes.size(); ++i)
    if (!of_protocol(a.axes[i].first) && a.axes[i].second != b.axes[i].second) return false;
  return true;
}

// "With 240 clients", and what else is swept.
std::string surroundings(const Point& point) {
  std::string text = fmt::format("With {} client{}", point.platform.clients(),
                                 point.platform.clients() == 1 ? "" : "s");
  for (const auto& [path, value] : point.axes)
    if (!of_protocol(path) && path.rfind("platform.client", 0) != 0)
      text += fmt::format(", {}={}", path, value);
  return text;
}

// Best first; of equals, in the order of the sweep.
Entries ranked(const Scenario& scenario, const StudyOutcome& outcome, bool everywhere) {
  Entries entries;
  for (std::size_t i = 0; i < scenario.points.size(); ++i) {
    const Point& point = scenario.points[i];
    const auto goodput = number(outcome.points[i].metrics(), "goodput_ops_s");
    const bool here = everywhere || same_surroundings(point, scenario.points.back());
    if (here && goodput && outcome.points[i].sound())
      entries.push_back({point.protocol.label, *goodput, i});
  }
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
    return std::pair(-a.goodput, a.point) < std::pair(-b.goodput, b.point);
  });
  return entries;
}

// "2 of 20 points broke their promise: first CAS-NB, with 5 clients (unsafe)."
std::string broken(const Scenario& scenario, const StudyOutcome& outcome) {
  std::size_t count = 0;
  std::string first;
  for (std::size_t i = 0; i < outcome.points.size(); ++i) {
    const RepeatStatus status = outcome.points[i].status();
    if (status != RepeatStatus::unsafe && status != RepeatStatus::stuck) continue;
    if (count++ > 0) continue;
    const char* what = status == RepeatStatus::unsafe
                           ? "two clients held conflicting grants at once"
                           : "nobody gets on any more";
    first = fmt::format("{}: {} broke its promise: {}", surroundings(scenario.points[i]),
                        scenario.points[i].protocol.label, what);
  }
  if (count < 2) return count == 0 ? "" : first + ".";
  return fmt::format("{} ({} points of {} broke theirs).", first, count, outcome.points.size());
}

std::string of_one_lock(const Scenario& scenario, const StudyOutcome& outcome) {
  const Entries entries = ranked(scenario, outcome, true);
  if (entries.empty()) return {};
  const Entry& best = entries.front();
  const std::string where = surroundings(scenario.points[best.point]);
  if (entries.size() > 1)
    return fmt::format("{}: {} does most, {}, of its {} points; least is {} ({}).", where,
                       best.label, rate(best.goodput), entries.size(), rate(entries.back().goodput),
                       surroundings(scenario.points[entries.back().point]));
  const Leaves metrics = outcome.points[best.point].metrics();
  return fmt::format(
      "{}: {} does {}; half of the acquisitions take {:.2f} us at most, 99 of 100 "
      "{:.2f} us.",
      where, best.label, rate(best.goodput), number(metrics, "acquire_ns.p50").value_or(0) / 1e3,
      number(metrics, "acquire_ns.p99").value_or(0) / 1e3);
}

}  // namespace

std::vector<std::size_t> compared_points(const Scenario& scenario, const StudyOutcome& outcome) {
  std::vector<std::size_t> compared;
  std::set<std::string> seen;
  for (const Entry& entry : ranked(scenario, outcome, false))
    if (entry.goodput > 0 && seen.insert(entry.label).second) compared.push_back(entry.point);
  return compared;
}

std::string finding(const Scenario& scenario, const StudyOutcome& outcome) {
  if (outcome.interrupted) return {};
  if (std::string says = broken(scenario, outcome); !says.empty()) return says;
  const Entries entries = ranked(scenario, outcome, false);
  const auto next = std::find_if(entries.begin(), entries.end(), [&](const Entry& entry) {
    return entry.label != entries.front().label;
  });
  if (next == entries.end()) return of_one_lock(scenario, outcome);
  const Entry& best = entries.front();
  const std::string where = surroundings(scenario.points.back());
  const double lead = next->goodput > 0 ? best.goodput / next->goodput : 0;
  if (lead > 0 && lead < kWorthNaming)
    return fmt::format("{}: {} and {} do the same within {:.0f}% ({}).", where, best.label,
                       next->label, (kWorthNaming - 1) * 100, rate(best.goodput));
  const std::string times = lead > 0 ? fmt::format("{:.2f} times the next", lead) : "before";
  return fmt::format("{}: {} does most, {}, {} ({}, {}).", where, best.label, rate(best.goodput),
                     times, next->label, rate(next->goodput));
}

}  // namespace latchlab::tool

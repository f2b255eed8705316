#include "core/conclude/crossing.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/conclude/caveat.h"
#include "core/conclude/comparison.h"
#include "core/measure/statistics.h"

namespace latchlab {
namespace {

// Why a point is undecided; empty: it can be compared.
std::string not_to_be_judged(const PointOutcome& point) {
  if (!point.sound())
    return fmt::format("is {}", point.complete() ? name_of(point.status()) : "interrupted");
  switch (caveat_of(point)) {
    case Caveat::cut:
      return "cuts sections at the end of their grants";
    case Caveat::nothing_done:
      return "finishes nothing in the window";
    case Caveat::emulated:
      return "was emulated, which is no measure of an RNIC";
    case Caveat::overloaded:
      return "does not carry the load";
    case Caveat::unsettled:
      return kNotSettled;
    case Caveat::starved:
      return "starves some clients";
    case Caveat::client_bound:
      return "keeps the clients' own cores busy all the time";
    case Caveat::unchecked:  // an assumption, not an observed violation
    case Caveat::none:
      break;
  }
  return {};
}

void between_locks(const Question& question, const std::vector<PointOutcome>& points,
                   Probe& probe) {
  const auto compared = compare(points[0], points[1], question.metric);
  if (!compared) {
    probe.why = question.metric + " was not measured";
    return;
  }
  probe.a = compared->a;
  probe.b = compared->b;
  probe.low = compared->low;
  probe.high = compared->high;
  probe.side = compared->ahead;
  if (probe.side != 0) return;
  const bool chance = compared->low && *compared->low <= 1 && *compared->high >= 1;
  probe.why = chance ? fmt::format("the difference {}", kWithinChance)
                     : fmt::format("within {:.0f}% of each other", (kWorthNaming - 1) * 100);
}

void against_value(const Question& question, const PointOutcome& point, Probe& probe) {
  const std::vector<double> values = values_of(point, question.metric);
  probe.b = question.value;
  if (values.empty()) {
    probe.why = question.metric + " was not measured";
    return;
  }
  probe.a = *mean(values);
  const double half = half_width_95(values).value_or(0);
  if (probe.b != 0) {
    probe.low = (probe.a - half) / probe.b;
    probe.high = (probe.a + half) / probe.b;
  }
  if (probe.a - half > probe.b)
    probe.side = 1;
  else if (probe.a + half < probe.b)
    probe.side = -1;
  else
    probe.why = fmt::format("the value {}", kWithinChance);
}

// The next value to run, if any: in the first crossing that is not narrow.
std::optional<std::int64_t> next_value(const SearchAxis& axis, const std::vector<Probe>& probes,
                                       double precision) {
  // Half of the precision on each side of an undecided value.
  const auto open = [&](std::int64_t from, std::int64_t to) -> std::optional<std::int64_t> {
    if (axis.is_narrow(from, to, precision / 2)) return std::nullopt;
    return axis.halfway(from, to);
  };
  for (const Crossing& crossing : crossings(probes)) {
    if (axis.is_narrow(crossing.before.at, crossing.after.at, precision)) continue;
    if (crossing.between.empty()) return axis.halfway(crossing.before.at, crossing.after.at);
    if (const auto value = open(crossing.before.at, crossing.between.front().at)) return value;
    if (const auto value = open(crossing.between.back().at, crossing.after.at)) return value;
  }
  return std::nullopt;
}

void insert_ascending(std::vector<Probe>& probes, Probe probe) {
  const auto place = std::find_if(probes.begin(), probes.end(),
                                  [&](const Probe& each) { return each.at > probe.at; });
  probes.insert(place, std::move(probe));
}

}  // namespace

Probe answer(const Question& question, std::int64_t at, const std::vector<PointOutcome>& points) {
  Probe probe;
  probe.at = at;
  if (question.labels.size() == 1)
    against_value(question, points.front(), probe);
  else
    between_locks(question, points, probe);
  for (std::size_t i = points.size(); i-- > 0;) {
    const std::string problem = not_to_be_judged(points[i]);
    if (problem.empty()) continue;
    probe.side = 0;
    probe.why = question.labels[i] + " " + problem;
  }
  return probe;
}

std::vector<Crossing> crossings(const std::vector<Probe>& probes) {
  std::vector<Crossing> all;
  const Probe* before = nullptr;
  std::vector<Probe> between;
  for (const Probe& probe : probes) {
    if (probe.side == 0) {
      between.push_back(probe);
      continue;
    }
    if (before != nullptr && before->side != probe.side) all.push_back({*before, probe, between});
    before = &probe;
    between.clear();
  }
  return all;
}

std::vector<std::int64_t> coarse_grid(const SearchAxis& axis) {
  std::vector<std::int64_t> grid = {axis.low, axis.high};
  for (int halved = 0; halved < 2; ++halved) {
    std::vector<std::int64_t> finer = {grid.front()};
    for (std::size_t i = 1; i < grid.size(); ++i) {
      if (grid[i] - grid[i - 1] > 1) finer.push_back(axis.halfway(grid[i - 1], grid[i]));
      finer.push_back(grid[i]);
    }
    grid = std::move(finer);
  }
  return grid;
}

std::size_t steps_per_crossing(const SearchAxis& axis, double precision) {
  const std::vector<std::int64_t> grid = coarse_grid(axis);
  std::size_t most = 0;
  for (std::size_t i = 1; i < grid.size(); ++i) {
    std::size_t steps = 0;
    std::int64_t from = grid[i - 1], to = grid[i];
    for (; !axis.is_narrow(from, to, precision); ++steps) {
      // The wider half.
      const std::int64_t middle = axis.halfway(from, to);
      const bool lower = axis.is_narrow(middle, to, precision) ||
                         (!axis.by_factors && middle - from > to - middle);
      (lower ? to : from) = middle;
    }
    most = std::max(most, steps);
  }
  return most;
}

Result<std::vector<Probe>> find_crossings(const SearchAxis& axis, const Question& question,
                                          double precision, const RunAt& run) {
  std::vector<Probe> probes;
  for (std::vector<std::int64_t> values = coarse_grid(axis); !values.empty();) {
    auto ran = run(values);
    if (!ran) return ran.error();
    for (std::size_t i = 0; i < values.size(); ++i)
      insert_ascending(probes, answer(question, values[i], ran.value()[i]));
    const auto next = next_value(axis, probes, precision);
    values.clear();
    if (next) values.push_back(*next);
  }
  return probes;
}

}  // namespace latchlab

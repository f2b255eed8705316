#include "core/scenario/quick.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/scenario/advice.h"
#include "core/scenario/quantities.h"
#include "core/scenario/sections.h"
#include "core/scenario/suggestions.h"
#include "core/scenario/sweep.h"

namespace latchlab {
namespace {

// Steps of an axis and repeats: the first that fit with the least windows, or else the last.
struct QuickSize {
  std::size_t steps;
  std::uint32_t repeats;
};
constexpr QuickSize kQuickSizes[] = {{3, 3}, {3, 1}, {2, 1}};
constexpr Duration kLeastWindow = milliseconds(1);
constexpr std::int64_t kLeastPauses = 10;
constexpr std::int64_t kLeastIntervals = 100;  // of run.series

// The lists of one axis, which change together.
using Lists = std::vector<YamlEntry*>;

// In the order of read_sweep().
std::vector<Lists> axes_of(YamlNode& sweep) {
  std::vector<Lists> axes;
  if (YamlNode* grid = sweep.find("grid"))
    for (YamlEntry& entry : grid->entries) axes.push_back({&entry});
  if (YamlNode* zip = sweep.find("zip"))
    for (YamlNode& item : zip->items) {
      axes.emplace_back();
      for (YamlEntry& entry : item.entries) axes.back().push_back(&entry);
    }
  return axes;
}

std::size_t steps_of(const Lists& axis) {
  return axis.front()->value.items.size();
}

bool is_number(const YamlNode& value) {
  using enum NumberKind;
  return value.is_scalar() &&
         std::ranges::any_of(std::initializer_list{count, duration, bytes, ratio, bit_rate},
                             [&](NumberKind kind) { return bool(parse_number(kind, value.text)); });
}

bool is_of_numbers(const Lists& axis) {
  return std::ranges::all_of(axis, [](const YamlEntry* list) {
    return std::ranges::all_of(list->value.items, is_number);
  });
}

// The step of each axis at a point; the last axis is innermost.
std::vector<std::size_t> steps_at(std::size_t point, const std::vector<Lists>& axes) {
  std::vector<std::size_t> steps(axes.size());
  for (std::size_t a = axes.size(); a-- > 0; point /= steps_of(axes[a]))
    steps[a] = point % steps_of(axes[a]);
  return steps;
}

using Kept = std::vector<std::vector<bool>>;  // for each axis and step: whether it is kept

Kept kept_steps(const Scenario& scenario, const std::vector<Lists>& axes, std::size_t most) {
  Kept kept;
  for (const Lists& axis : axes) {
    const std::size_t steps = steps_of(axis);
    const bool whole = steps <= most || !is_of_numbers(axis);
    kept.emplace_back(steps, whole);
    kept.back().front() = kept.back().back() = true;
    if (most > 2) kept.back()[steps / 2] = true;
  }
  for (const Expectation& entry : scenario.expectations)
    for (const auto& group : entry.groups)
      for (const std::size_t point : group) {
        const std::vector<std::size_t> steps = steps_at(point, axes);
        for (std::size_t a = 0; a < axes.size(); ++a) kept[a][steps[a]] = true;
      }
  for (const Figure& figure : scenario.figures)
    for (std::size_t a = 0; a < axes.size(); ++a)
      for (const YamlEntry* list : axes[a])
        for (std::size_t step = 0; step < kept[a].size(); ++step)
          if (figure.relative_to == list->key + "=" + list->value.items[step].text)
            kept[a][step] = true;
  return kept;
}

std::vector<std::size_t> points_left(const Scenario& scenario, const std::vector<Lists>& axes,
                                     const Kept& kept) {
  std::vector<std::size_t> left;
  for (std::size_t p = 0; p < scenario.points.size(); ++p) {
    const std::vector<std::size_t> steps = steps_at(p, axes);
    bool stays = true;
    for (std::size_t a = 0; a < axes.size(); ++a) stays = stays && kept[a][steps[a]];
    if (stays) left.push_back(p);
  }
  return left;
}

void thin(const std::vector<Lists>& axes, const Kept& kept, QuickLook& look) {
  for (std::size_t a = 0; a < axes.size(); ++a) {
    std::vector<std::string> paths;
    const auto left = static_cast<std::size_t>(std::ranges::count(kept[a], true));
    for (YamlEntry* list : axes[a]) {
      paths.push_back(list->key);
      std::size_t step = 0;
      std::erase_if(list->value.items, [&](const YamlNode&) { return !kept[a][step++]; });
    }
    if (left < kept[a].size())
      look.cuts.push_back(fmt::format("{}: {} of {} values", joined(paths), left, kept[a].size()));
  }
}

Duration least_window(const Point& point, const std::vector<ProtocolInfo>& protocols) {
  Duration least = std::max(kLeastWindow, so_many(point.run.series, kLeastIntervals));
  for_each_workload(point, [&](const WorkloadSpec& workload) {
    least = std::max(least, so_many(workload.think_time + workload.critical_section, kLeastPauses));
  });
  const ProtocolInfo* const info = info_of(point, protocols);
  if (!point.faults.empty() && info != nullptr && info->longest_timeout)
    least = std::max(least, info->longest_timeout(point.protocol.params));
  return least;
}

// Truncated to whole microseconds, but at least `least`; never more than the original.
Duration divided(Duration window, std::int64_t by, Duration least) {
  const Duration part = microseconds(window.ps / by / microseconds(1).ps);
  return std::max(part, std::min(window, least));
}

// The least windows: of the points at each step of each axis, and of all points.
struct Windows {
  std::vector<std::vector<Duration>> of_step;
  Duration of_all = kLeastWindow;
  std::int64_t by = 1;
};

// Applies to values at the top and in the sweep.
bool divide(YamlNode& value, std::int64_t by, Duration least) {
  if (!value.is_scalar()) return false;
  const auto window = parse_duration(value.text);
  if (!window) return false;  // auto
  const std::string text = format_duration(divided(window.value(), by, least));
  const bool changes = text != format_duration(window.value());
  value.text = text;
  return changes;
}

// Before thin(). A window in the sweep is as long as the points of its step need, which may be
// shorter than what the longest point needs.
// Returns the line for QuickLook::cuts; empty: no window became shorter.
std::string divide_windows(YamlNode& root, const std::vector<Lists>& axes, const Kept& kept,
                           const Windows& windows, QuickLook& look) {
  std::vector<Duration> least;  // of the windows that became shorter
  for (const char* path : {"run.warmup", "run.duration"}) {
    bool swept = false;
    for (std::size_t a = 0; a < axes.size(); ++a)
      for (YamlEntry* list : axes[a]) {
        if (list->key != path) continue;
        swept = true;
        for (std::size_t step = 0; step < steps_of(axes[a]); ++step)
          if (kept[a][step] &&
              divide(list->value.items[step], windows.by, windows.of_step[a][step]))
            least.push_back(windows.of_step[a][step]);
      }
    YamlNode* const value = find_path(root, path);
    if (swept || !value || !divide(*value, windows.by, windows.of_all)) continue;
    least.push_back(windows.of_all);
    look.overrides.push_back({path, value->text});
  }
  if (least.empty()) return {};
  const auto [shortest, longest] = std::ranges::minmax(least);
  return fmt::format("run.warmup and run.duration: divided by {}, at least {}{}", windows.by,
                     format_duration(shortest),
                     longest > shortest ? " to " + format_duration(longest) : std::string());
}

void cut_repeats(const Scenario& scenario, std::uint32_t most, QuickLook& look) {
  const RunSpec& run = scenario.points.front().run;
  if (run.precision_ppb > 0) {
    look.overrides.push_back({"run.precision", "null"});
    look.cuts.emplace_back("run.precision: no more repeats than run.repeats");
  }
  if (run.repeats <= most) return;
  look.overrides.push_back({"run.repeats", std::to_string(most)});
  look.cuts.push_back(fmt::format("run.repeats: {} of {}", most, run.repeats));
}

struct Plan {
  Kept kept;
  std::uint32_t repeats;
  bool dates;
  Windows windows;
  double cost = 0, least_cost = 0;  // with whole windows, and with the least ones
};

Plan plan_for(const QuickSize& size, const Scenario& scenario, const std::vector<Lists>& axes,
              const std::vector<ProtocolInfo>& protocols,
              const std::function<double(const Point&)>& work) {
  Plan plan{kept_steps(scenario, axes, size.steps), size.repeats, false, {}};
  Windows& windows = plan.windows;
  for (const Lists& axis : axes) windows.of_step.emplace_back(steps_of(axis), kLeastWindow);
  const std::vector<std::size_t> left = points_left(scenario, axes, plan.kept);
  plan.dates = std::ranges::any_of(left, [&](auto p) { return has_dates(scenario.points[p]); });
  if (plan.dates) plan.repeats = 1;
  for (const std::size_t p : left) {
    const Point& point = scenario.points[p];
    const Duration window = least_window(point, protocols);
    const double cost = work(point) * std::min(point.run.repeats, plan.repeats);
    plan.cost += cost;
    plan.least_cost += cost * std::min(1.0, window.seconds() / point.run.duration.seconds());
    windows.of_all = std::max(windows.of_all, window);
    const std::vector<std::size_t> steps = steps_at(p, axes);
    for (std::size_t a = 0; a < axes.size(); ++a) {
      Duration& of_step = windows.of_step[a][steps[a]];
      of_step = std::max(of_step, window);
    }
  }
  if (plan.dates) plan.least_cost = plan.cost;
  return plan;
}

QuickLook look_at(const Scenario& scenario, const std::vector<ProtocolInfo>& protocols,
                  const std::function<double(const Point&)>& work, double budget) {
  YamlNode root = parse_yaml(scenario.resolved_yaml, scenario.file);
  YamlNode* const sweep = root.find("sweep");
  const std::string whole = sweep ? emit_yaml_flow(*sweep) : "";
  const std::vector<Lists> axes = sweep ? axes_of(*sweep) : std::vector<Lists>();
  Plan plan;
  for (const QuickSize& size : kQuickSizes) {
    plan = plan_for(size, scenario, axes, protocols, work);
    if (plan.least_cost <= budget) break;
  }
  plan.windows.by = smallest_divisor(plan.cost, budget);
  QuickLook look;
  const std::string divided_windows =
      plan.dates ? "" : divide_windows(root, axes, plan.kept, plan.windows, look);
  thin(axes, plan.kept, look);
  cut_repeats(scenario, plan.repeats, look);
  if (!divided_windows.empty()) look.cuts.push_back(divided_windows);
  if (sweep && emit_yaml_flow(*sweep) != whole)
    look.overrides.push_back({"sweep", emit_yaml_flow(*sweep)});
  return look;
}

}  // namespace

std::int64_t smallest_divisor(double work, double budget) {
  auto by = std::max<std::int64_t>(1, static_cast<std::int64_t>(work / budget));
  if (static_cast<double>(by) * budget < work) ++by;
  return by;
}

bool has_dates(const Point& point) {
  bool dates = std::ranges::any_of(point.faults,
                                   [](const FaultSpec& fault) { return fault.at.has_value(); });
  for_each_workload(point, [&](const WorkloadSpec& workload) {
    dates = dates || workload.arrivals.kind == ArrivalKind::script;
  });
  return dates;
}

Result<QuickLook> quick_look(const Scenario& scenario, const std::vector<ProtocolInfo>& protocols,
                             const std::function<double(const Point&)>& work, double budget) {
  try {
    return look_at(scenario, protocols, work, budget);
  } catch (const InputError& problem) {
    return problem.error;
  }
}

}  // namespace latchlab

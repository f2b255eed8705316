
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/base/split.h"
#include "core/measure/metric_docs.h"
#include "core/protocols/registry.h"
#include "core/scenario/quantities.h"
#include "core/scenario/resolve.h"
#include "core/scenario/suggestions.h"
#include "core/scenario/sweep.h"
#include "tools/latchlab/find.h"
#include "tools/latchlab/stored_runs.h"

namespace latchlab::tool {

namespace {

constexpr std::uint32_t kLeastRepeats = 3;  // with fewer there is no confidence interval

using Texts = std::vector<std::string>;

Texts labels_of(const Scenario& scenario) {
  Texts labels;
  for (const Point& point : scenario.points)
    if (!contains(labels, point.protocol.label)) labels.push_back(point.protocol.label);
  return labels;
}

Result<Question> question_of(const FindArguments& arguments, const Texts& labels) {
  Question question;
  if (arguments.cross.empty() == arguments.passes.empty())
    return Error{
        "find wants one of two questions: --cross A,B for where lock A and lock B cross, or "
        "--metric PATH --passes VALUE for where a metric passes a value",
        {}};
  if (!arguments.metric.empty()) question.metric = arguments.metric;
  if (const Status known = check_metric_option(question.metric); !known) return known.error();
  if (!arguments.cross.empty()) {
    question.labels = split(arguments.cross, ',');
    if (question.labels.size() != 2 || question.labels[0] == question.labels[1])
      return Error{fmt::format("--cross {}: expected two labels with a comma between; there is {}",
                               arguments.cross, joined(labels)),
                   {}};
  } else {
    const auto doc = metric_doc(question.metric);
    const auto value = parse_figure(arguments.passes, doc && doc->unit == "ns");
    if (!value) return Error{"--passes: " + value.error().message, {}};
    question.value = value.value();
    if (arguments.of.empty() && labels.size() > 1)
      return Error{fmt::format("--passes {}: of which lock? add --of LABEL; there is {}",
                               arguments.passes, joined(labels)),
                   {}};
    question.labels = {arguments.of.empty() ? labels.front() : arguments.of};
  }
  for (const std::string& label : question.labels)
    if (!contains(labels, label))
      return Error{fmt::format("the scenario has no lock with the label '{}'{}", label,
                               suggestion(label, labels)),
                   {}};
  return question;
}

bool chooses_the_lock(const std::string& path) {
  return path == "protocol" || path == "protocol.name" || path == "protocol.label";
}

std::vector<const Point*> points_of(const Scenario& scenario, const std::string& label) {
  std::vector<const Point*> points;
  for (const Point& point : scenario.points)
    if (point.protocol.label == label) points.push_back(&point);
  return points;
}

// Error: another swept path has several values, so that there is no single answer.
Status check_fixed(const std::vector<const Point*>& points, const std::string& along) {
  for (std::size_t i = 0; i < points.front()->axes.size(); ++i) {
    const std::string& path = points.front()->axes[i].first;
    if (chooses_the_lock(path) || path == along) continue;
    Texts values;
    for (const Point* point : points)
      if (!contains(values, point->axes[i].second)) values.push_back(point->axes[i].second);
    if (values.size() > 1)
      return Error{fmt::format("the sweep varies {} too ({}): choose one value, for example --set "
                               "'{}={}'",
                               path, joined(values), path, values.front()),
                   {}};
  }
  return fine();
}

// A value of a swept path as the scenario writes it, which may be a name.
std::string written(const Scenario& scenario, const std::string& path, const std::string& value) {
  const YamlNode root = parse_yaml(scenario.resolved_yaml, scenario.file);
  const YamlNode* grid = find_path(root, "sweep.grid");
  if (const YamlNode* axis = grid ? grid->find(path) : nullptr)
    for (const YamlNode& item : axis->items)
      if (axis_value(path, item) == value) return emit_yaml_flow(item);
  return value;
}

std::string protocol_text(const Point& point) {
  const YamlNode tree = write_point(point, "");
  return emit_yaml_flow(*tree.find("protocol"));
}

// The union over all locks, because locks have different parameters.
std::vector<ParamSpec> parameters_of(const Scenario& scenario, const Texts& labels) {
  std::vector<ParamSpec> all;
  for (const std::string& label : labels) {
    const Point& point = *points_of(scenario, label).front();
    const std::vector<ParamSpec>& params = find_protocol(point.protocol.name)->info.params;
    all.insert(all.end(), params.begin(), params.end());
  }
  return all;
}

Result<double> precision_of(const std::string& text) {
  if (text.empty()) return FindPlan{}.precision;
  const auto ppb = parse_ratio_ppb(text);
  if (!ppb) return Error{"--precision: " + ppb.error().message, {}};
  if (ppb.value() <= 0 || ppb.value() >= kWholePpb)
    return Error{fmt::format("--precision {}: expected more than 0% and less than 100%", text), {}};
  return static_cast<double>(ppb.value()) / static_cast<double>(kWholePpb);
}

}  // namespace

Result<Scenario> FindPlan::scenario_at(const std::vector<std::int64_t>& values) const {
  Texts texts;
  for (const std::int64_t value : values) texts.push_back(axis.text(value));
  std::string grid = fmt::format("{}: [{}]", axis.path, fmt::join(texts, ", "));
  for (const auto& [path, value] : fixed) grid += fmt::format(", {}: [{}]", path, value);
  grid += fmt::format(", protocol: [{}]", fmt::join(locks, ", "));
  ScenarioArguments with = input;
  with.sets.push_back("sweep={grid: {" + grid + "}}");
  with.sets.emplace_back("expect=null");
  with.sets.push_back(fmt::format("report={{figures: [{{x: {}, y: {}, series: label}}]}}",
                                  axis.path, question.metric));
  with.repeats = repeats;
  return load(with);
}

Result<FindPlan> plan_find(const FindArguments& arguments) {
  const auto loaded = load(arguments.input);
  if (!loaded) return loaded.error();
  const Scenario& scenario = loaded.value();
  FindPlan plan;
  plan.name = scenario.name;
  plan.input = arguments.input;
  plan.passes = arguments.passes;
  auto question = question_of(arguments, labels_of(scenario));
  if (!question) return question.error();
  plan.question = std::move(question).value();
  const Point& first = *points_of(scenario, plan.question.labels.front()).front();
  auto axis = parse_search_axis(arguments.along, parameters_of(scenario, plan.question.labels));
  if (!axis) return axis.error();
  plan.axis = std::move(axis).value();
  for (const std::string& label : plan.question.labels) {
    const std::vector<const Point*> points = points_of(scenario, label);
    if (const Status fixed = check_fixed(points, plan.axis.path); !fixed) return fixed.error();
    plan.locks.push_back(protocol_text(*points.front()));
  }
  for (const auto& [path, value] : first.axes)
    if (!path.starts_with("protocol") && path != plan.axis.path)
      plan.fixed.emplace_back(path, written(scenario, path, value));
  plan.repeats = std::max(first.run.repeats, kLeastRepeats);
  plan.may_repeat_more = first.run.precision_ppb > 0;
  const auto precision = precision_of(arguments.precision);
  if (!precision) return precision.error();
  plan.precision = precision.value();
  return plan;
}

}  // namespace latchlab::tool

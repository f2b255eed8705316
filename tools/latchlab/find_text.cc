
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/base/json.h"
#include "core/conclude/values.h"
#include "tools/latchlab/find.h"

namespace latchlab::tool {

namespace {
// " clients per node" for platform.clients_per_node; empty if the path is not a count of the
// platform.
std::string counted_things(const SearchAxis& axis) {
  static const std::string platform = "platform.";
  if (axis.key.kind != KeyKind::count || !axis.path.starts_with(platform)) return {};
  std::string words = axis.path.substr(platform.size());
  if (words.find('.') != std::string::npos) return {};
  std::replace(words.begin(), words.end(), '_', ' ');
  return " " + words;
}

// "62 clients per node", "workload.read_ratio 40%"
std::string placed_at(const SearchAxis& axis, const std::string& values) {
  const std::string things = counted_things(axis);
  return things.empty() ? axis.path + " " + values : values + things;
}

std::string between_text(const SearchAxis& axis, std::int64_t from, std::int64_t to) {
  const std::string ends = fmt::format("between {} and {}", axis.text(from), axis.text(to));
  const std::string things = counted_things(axis);
  return things.empty() ? fmt::format("at {} {}", axis.path, ends) : ends + things;
}

// The lock with the larger metric, or for one lock whether its metric is above or below the target.
std::string side_name(const FindPlan& plan, int side) {
  if (side == 0) return {};
  if (plan.question.labels.size() == 1) return side > 0 ? "above" : "below";
  return plan.question.labels[side > 0 ? 0 : 1];
}

std::string evidence(const FindPlan& plan, const Crossing& turn) {
  std::string repeats =
      fmt::format("{}{} repeats each", plan.repeats, plan.may_repeat_more ? " or more" : "");
  if (plan.question.labels.size() == 1) return repeats;
  const double level = (turn.before.a + turn.before.b + turn.after.a + turn.after.b) / 4;
  const std::string& metric = plan.question.metric;
  return fmt::format("{} {}; {}", metric == "goodput_ops_s" ? "goodput" : metric,
                     value_text(metric, level), repeats);
}

std::string turn_text(const FindPlan& plan, const Crossing& turn) {
  const std::string& metric = plan.question.metric;
  std::string what;
  if (plan.question.labels.size() == 1)
    what = fmt::format("{} of {} {} {}", metric, plan.question.labels.front(),
                       turn.after.side > 0 ? "rises above" : "falls below", plan.passes);
  else if (metric == "goodput_ops_s")
    what = fmt::format("{} overtakes {}", side_name(plan, turn.after.side),
                       side_name(plan, turn.before.side));
  else
    what = fmt::format("{} of {} rises above that of {}", metric, side_name(plan, turn.after.side),
                       side_name(plan, turn.before.side));
  return fmt::format("{} {} ({})", what, between_text(plan.axis, turn.before.at, turn.after.at),
                     evidence(plan, turn));
}

bool is_precise(const FindPlan& plan, const Crossing& turn) {
  return plan.axis.is_narrow(turn.before.at, turn.after.at, plan.precision);
}

// Why the interval between two known answers is wider than requested.
std::string why_wide(const FindPlan& plan, const Crossing& turn) {
  if (is_precise(plan, turn)) return {};
  std::set<std::string> reasons;
  for (const Probe& probe : turn.between) reasons.insert(probe.why);
  const std::string first = plan.axis.text(turn.between.front().at);
  const std::string last = plan.axis.text(turn.between.back().at);
  return fmt::format("; undecided at {}: {}",
                     placed_at(plan.axis, first == last ? first : first + " to " + last),
                     fmt::join(reasons, ", "));
}

std::string listed(const FindPlan& plan, const std::vector<Probe>& probes, int side) {
  std::vector<std::string> values;
  for (const Probe& probe : probes)
    if (probe.side == side) values.push_back(plan.axis.text(probe.at));
  return placed_at(plan.axis, fmt::format("{}", fmt::join(values, ", ")));
}

std::string without_turn(const FindPlan& plan, const std::vector<Probe>& probes) {
  const auto known = std::find_if(probes.begin(), probes.end(),
                                  [](const Probe& probe) { return probe.side != 0; });
  const bool one_lock = plan.question.labels.size() == 1;
  if (known == probes.end())
    return fmt::format("Undecided everywhere between {} and {}: {}", plan.axis.text(plan.axis.low),
                       plan.axis.text(plan.axis.high), probes.front().why);
  const std::string& metric = plan.question.metric;
  const std::string where = listed(plan, probes, known->side);
  if (one_lock)
    return fmt::format("{} of {} is {} {} at each decided value: {}", metric,
                       plan.question.labels.front(), side_name(plan, known->side), plan.passes,
                       where);
  return fmt::format("{} has more {} than {} at each decided value: {}",
                     side_name(plan, known->side), metric == "goodput_ops_s" ? "goodput" : metric,
                     side_name(plan, -known->side), where);
}

// The undecided probes outside all turns, with reasons.
std::string unknown_elsewhere(const FindPlan& plan, const std::vector<Probe>& probes,
                              const std::vector<Crossing>& all) {
  std::string text;
  for (const Probe& probe : probes) {
    const bool inside = std::any_of(all.begin(), all.end(), [&](const Crossing& turn) {
      return turn.before.at < probe.at && probe.at < turn.after.at;
    });
    if (probe.side != 0 || inside) continue;
    text += fmt::format("{}{} ({})", text.empty() ? "" : ", ", plan.axis.text(probe.at), probe.why);
  }
  return text;
}

// Advice on how to decide the undecided probes.
void add_advice(const std::string& reasons, std::vector<std::string>& says) {
  if (reasons.find(kNotSettled) != std::string::npos)
    says.emplace_back(
        "A point that has not settled decides nothing: set run.warmup to auto, lengthen "
        "run.duration, or check whether clients are deadlocked.");
  if (reasons.find(kWithinChance) != std::string::npos)
    says.emplace_back("More --repeats, or a longer run.duration, may decide it.");
}

Json optional_json(const std::optional<double>& value) {
  return value ? Json(*value) : Json();
}

Json probe_json(const FindPlan& plan, const Probe& probe) {
  return {{"at", plan.axis.text(probe.at)},
          {"side", probe.side == 0 ? Json() : Json(side_name(plan, probe.side))},
          {"why", probe.why},
          {"first", probe.a},
          {"second", probe.b},
          {"ratio_low", optional_json(probe.low)},
          {"ratio_high", optional_json(probe.high)}};
}

Json turn_json(const FindPlan& plan, const Crossing& turn) {
  return {{"low", plan.axis.text(turn.before.at)},
          {"high", plan.axis.text(turn.after.at)},
          {"below", side_name(plan, turn.before.side)},
          {"above", side_name(plan, turn.after.side)},
          {"ended", is_precise(plan, turn) ? "precise" : "undecided"}};
}

}  // namespace

std::vector<std::string> answers(const FindPlan& plan, const std::vector<Probe>& probes) {
  std::vector<std::string> says;
  const std::vector<Crossing> all = crossings(probes);
  std::string reasons;
  for (const Crossing& turn : all) {
    const std::string wide = why_wide(plan, turn);
    says.push_back(turn_text(plan, turn) + wide + ".");
    reasons += wide;
  }
  if (all.size() > 1)
    says.push_back(
        fmt::format("There are {} crossings; there may be more between the values that "
                    "were simulated.",
                    all.size()));
  if (all.empty()) says.push_back(without_turn(plan, probes) + ".");
  const bool some =
      std::any_of(probes.begin(), probes.end(), [](const Probe& probe) { return probe.side != 0; });
  const std::string elsewhere = unknown_elsewhere(plan, probes, all);
  if (some && !elsewhere.empty()) says.push_back("Undecided at " + elsewhere + ".");
  if (some && all.empty())
    says.emplace_back(
        "The order may change more than once between two of these values: search a narrower "
        "--along.");
  add_advice(reasons + elsewhere, says);
  return says;
}

std::string find_json(const FindPlan& plan, const std::vector<Probe>& probes) {
  const Question& question = plan.question;
  Json json = {{"schema", 1},
               {"scenario", plan.name},
               {"complete", !probes.empty()},
               {"locks", question.labels},
               {"metric", question.metric},
               {"passes", plan.passes.empty() ? Json() : Json(question.value)},
               {"along",
                {{"path", plan.axis.path},
                 {"low", plan.axis.text(plan.axis.low)},
                 {"high", plan.axis.text(plan.axis.high)},
                 {"scale", plan.axis.by_factors ? "log" : "linear"}}},
               {"precision", plan.precision},
               {"repeats", plan.repeats}};
  if (probes.empty()) return dump_json(json, 1) + "\n";
  json["says"] = answers(plan, probes);
  Json& found = json["turns"] = Json::array();
  for (const Crossing& turn : crossings(probes)) found.push_back(turn_json(plan, turn));
  Json& all = json["values"] = Json::array();
  for (const Probe& probe : probes) all.push_back(probe_json(plan, probe));
  return dump_json(json, 1) + "\n";
}

}  // namespace latchlab::tool

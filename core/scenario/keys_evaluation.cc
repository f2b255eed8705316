// The keys of sweep, expect and report.

#include "core/scenario/scenario_keys.h"

namespace latchlab {
namespace {

using Kinds = std::vector<std::string>;

std::vector<ScenarioKey> sweep_keys() {
  return {
      {.path = "sweep",
       .kind = KeyKind::map,
       .example = "{grid: {platform.clients_per_node: [1, 4, 16]}}",
       .says = "What varies: one point of results for each combination, 10000 at most. A path "
               "begins with platform, locks, workload, protocol, faults or run.",
       .nullable = true},
      {.path = "sweep.grid",
       .kind = KeyKind::map,
       .example = "{locks.count: [1, 10], protocol: [{name: cas}, {name: mcs}]}",
       .says = "Paths and their values; the axes are crossed, the first one outermost.",
       .nullable = true},
      {.path = "sweep.zip",
       .kind = KeyKind::list,
       .example = "[{locks.count: [1, 10], run.duration: [40ms, 20ms]}]",
       .says = "Each entry is one axis: paths whose lists, of equal lengths, change together.",
       .nullable = true},
  };
}

ScenarioKey expectation(const char* name, KeyKind kind, Kinds when, const char* example,
                        const char* says) {
  return item_key("expect", name, kind, std::move(when), example, says);
}

std::vector<ScenarioKey> expect_keys() {
  const Kinds single = {"value", "ratio", "order"};
  const Kinds figures = {"value", "ratio"};
  const Kinds numbers = {"value", "ratio", "table"};
  ScenarioKey kind = expectation("kind", KeyKind::choice, {}, "value",
                                 "value: a metric at one point; ratio: at one point over another; "
                                 "order: which point does better; table: many values at once.");
  kind.choices = {"value", "ratio", "order", "table"};
  ScenarioKey use = expectation("use", KeyKind::choice, {}, "validation",
                                "A missed calibration or regression ends with exit code 1, a "
                                "missed validation is told and scored.");
  use.choices = {"calibration", "regression", "validation"};
  ScenarioKey tolerance = expectation("tolerance", KeyKind::ratio, numbers, "5%",
                                      "How far off, relative to what was published, still counts.");
  tolerance.fallback = "10%";
  tolerance.min = "0";
  tolerance.max = "1000";
  ScenarioKey best = expectation("best", KeyKind::choice, {"order"}, "lowest",
                                 "Which end of the metric comes first; by default highest of "
                                 "goodput_ops_s and fairness.jain, lowest of all others.");
  best.choices = {"highest", "lowest"};
  ScenarioKey profile = expectation("profile", KeyKind::text, {}, "paper",
                                    "Whose set-up this is; scores are kept apart. A mapping "
                                    "{paper: {label: x}, ...} makes one expectation for each, with "
                                    "more conditions.");
  ScenarioKey disputed = expectation("disputed", KeyKind::text, {}, "contradicts Table 4",
                                     "Why the figure is shown but not scored.");
  ScenarioKey where = expectation("where", KeyKind::map, {}, "{label: cas}",
                                  "Swept paths and their values (label: the protocol's): picks the "
                                  "one point that is meant. `clients` is the number of clients.");
  for (ScenarioKey* key : {&profile, &disputed, &where}) key->nullable = true;
  return {
      {.path = "expect",
       .kind = KeyKind::list,
       .example = "[{id: order, kind: order, metric: goodput_ops_s, over: label, order: [cas, "
                  "mcs], use: validation, source: none}]",
       .says = "What was published of these points; compared and scored after the run.",
       .nullable = true},
      needed(expectation("id", KeyKind::text, {}, "cas-ideal", "Its name, unique.")),
      needed(std::move(kind)),
      needed(expectation("metric", KeyKind::text, single, "goodput_ops_s",
                         "A path of results.json, or several joined by +.")),
      std::move(where),
      needed(expectation("over", KeyKind::map, {"ratio"}, "{label: mcs}",
                         "What differs from `where` at the point below the line.")),
      needed(expectation("over", KeyKind::text, {"order", "table"}, "label",
                         "The path whose values are compared, or name the rows.")),
      needed(expectation("value", KeyKind::figure, figures, "278.3k",
                         "What was published: times with their unit, all else as a number.")),
      needed(expectation("order", KeyKind::list, {"order"}, "[cas, mcs]",
                         "Values of `over`, best first; equals as a list. Decided by at least "
                         "three repeats.")),
      std::move(best),
      needed(expectation("columns", KeyKind::map, {"table"}, "{p50: acquire_ns.p50}",
                         "Names and their metrics; or {metric: ..., factor: ..., tolerance: ..., "
                         "absolute: ...}.")),
      needed(expectation("rows", KeyKind::map, {"table"}, "{cas: [1.5], mcs: [2]}",
                         "Values of `over`, each with a list of one cell per column; null: not "
                         "printed.")),
      expectation("unit", KeyKind::text, {"table"}, "us", "Appended to every cell."),
      std::move(tolerance),
      expectation("absolute", KeyKind::figure, figures, "100",
                  "So far off still counts, whatever the tolerance says; for figures near 0."),
      expectation("absolute", KeyKind::figure, {"table"}, "30ns", "The same for each cell."),
      expectation("factor", KeyKind::figure, figures, "2",
                  "The metric is multiplied by this before it is compared."),
      needed(std::move(use)),
      std::move(profile),
      needed(
          expectation("source", KeyKind::text, {}, "ShiftLock Table 4", "Where it was published.")),
      std::move(disputed),
  };
}

}  // namespace

std::vector<ScenarioKey> evaluation_keys() {
  std::vector<ScenarioKey> keys = sweep_keys();
  const auto add = [&](std::vector<ScenarioKey> part) {
    keys.insert(keys.end(), part.begin(), part.end());
  };
  add(expect_keys());
  add({
      {.path = "report",
       .kind = KeyKind::map,
       .example = "{figures: [{x: label, y: goodput_ops_s}]}",
       .says = "What to draw.",
       .nullable = true},
      {.path = "report.figures",
       .kind = KeyKind::list,
       .example = "[{x: label, y: goodput_ops_s}]",
       .says = "One curve per series: y over x."},
      {.path = "report.figures[].x",
       .example = "label",
       .says = "A swept path, or a metric.",
       .required = true},
      {.path = "report.figures[].y",
       .example = "acquire_ns.p99",
       .says = "A metric; see `latchlab explain`.",
       .required = true},
      {.path = "report.figures[].series",
       .fallback = "label",
       .example = "label",
       .says = "What tells the curves apart: label, or a swept path."},
  });
  return keys;
}

}  // namespace latchlab

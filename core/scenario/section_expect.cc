#include "core/scenario/section_expect.h"

#include <fmt/format.h>

#include <set>

#include "core/scenario/quantities.h"
#include "core/scenario/sections.h"

namespace latchlab {

using enum KeyKind;

namespace {

// Metrics of time are recognised by name: "acquire_ns.p99", "open.age_mean_ns", but not their
// ".count".
bool is_time(const std::string& metric) {
  const bool count = metric.size() > 6 && metric.ends_with(".count");
  return !count && (metric.find("_ns.") != std::string::npos || metric.ends_with("_ns"));
}

bool is_rate(const std::string& metric) {
  return metric == "goodput_ops_s" || metric == "commits_s" || metric == "fairness.jain";
}

double read_figure(const YamlNode& node, const std::string& path, bool time) {
  const std::string& written = scalar(node, path, time ? "a time such as 2.05us" : "a number");
  const Result<double> value = parse_figure(written, time);
  if (!value) reject(node.place, path + ": " + value.error().message);
  return value.value();
}

void read_figures(const FlatExpectation& flat, Expectation& entry) {
  const auto figure = [&](const char* key, bool time, double& number) {
    const YamlNode* node = flat.node.find(key);
    if (node) number = read_figure(*node, path_of(flat.path, key), time);
  };
  const bool time = entry.kind == ExpectKind::value && is_time(entry.metrics.front());
  figure("value", time, entry.published);
  figure("absolute", time, entry.absolute);
  figure("factor", false, entry.factor);
  if (entry.published == 0 && entry.absolute == 0)
    reject(flat.node.find("value")->place,
           "{}.value is 0, of which no share is a tolerance; add what still counts as 0, for "
           "example 'absolute: {}'",
           flat.path, time ? "50ns" : "0.01");
}

YamlNode conditions(const YamlNode& of, const std::string& at, const char* key) {
  const YamlNode* node = of.find(key);
  if (!node || node->is_null()) return yaml_map();
  const std::string path = path_of(at, key);
  require_map(*node, path, "a mapping of keys to values");
  for (const YamlEntry& entry : node->entries)
    scalar(entry.value, path_of(path, entry.key), "one value");
  return *node;
}

// The values of `over`, best first; each inner list holds values of equal rank.
std::vector<std::vector<std::string>> order_of(const FlatExpectation& flat) {
  const YamlNode& order = *flat.node.find("order");
  const std::string path = flat.path + ".order";
  if (!order.is_sequence() || order.items.size() < 2)
    reject(order.place, path + ": expected a list of two or more, best first; equals as a list");
  std::vector<std::vector<std::string>> values;
  for (const YamlNode& item : order.items) {
    std::vector<std::string>& equals = values.emplace_back();
    if (!item.is_sequence()) equals.push_back(scalar(item, path, "single values"));
    for (const YamlNode& each : item.items) equals.push_back(scalar(each, path, "single values"));
    if (equals.empty()) reject(item.place, path + " holds an empty list");
  }
  return values;
}

// Reads everything except the points.
Expectation read_entry(const FlatExpectation& flat) {
  Expectation entry;
  read_keys(expect_keys(), flat.node, flat.path, &entry);
  std::string sum = scalar(*flat.node.find("metric"), flat.path + ".metric", "a text");
  std::erase(sum, ' ');
  entry.metrics = split(sum, '+');
  entry.place = flat.node.place.text();
  static_cast<void>(conditions(flat.node, flat.path, "where"));
  if (entry.kind == ExpectKind::ratio) static_cast<void>(conditions(flat.node, flat.path, "over"));
  if (entry.kind != ExpectKind::order) {
    read_figures(flat, entry);
    return entry;
  }
  if (!flat.node.find("best")) entry.highest_is_best = is_rate(entry.metrics.front());
  entry.tolerance = 0;
  scalar(*flat.node.find("over"), flat.path + ".over", "a text");
  static_cast<void>(order_of(flat));
  return entry;
}

// Throws if a point of the figure does not exist or is ambiguous.
std::vector<std::vector<std::size_t>> groups_of(const FlatExpectation& flat, ExpectKind kind,
                                                PointIndex& index) {
  const YamlNode where = conditions(flat.node, flat.path, "where");
  const auto find = [&](const YamlNode& changes, const char* key, const YamlNode* at) {
    YamlNode wanted = where;
    for (const YamlEntry& change : changes.entries) wanted.set(change.key, change.value);
    const SourceLocation& place = at && !at->is_null() ? at->place : flat.node.place;
    return index.find(wanted, place, path_of(flat.path, key));
  };
  const YamlNode* over = flat.node.find("over");
  std::vector<std::vector<std::size_t>> groups;
  if (kind != ExpectKind::order) groups.push_back({find({}, "where", flat.node.find("where"))});
  if (kind == ExpectKind::ratio)
    groups.push_back({find(conditions(flat.node, flat.path, "over"), "over", over)});
  if (kind != ExpectKind::order) return groups;
  for (const std::vector<std::string>& equals : order_of(flat)) {
    const YamlNode& item = flat.node.find("order")->items[groups.size()];
    groups.emplace_back();
    for (const std::string& value : equals) {
      YamlNode change = yaml_map();
      change.set(over->text, yaml_text(value));
      groups.back().push_back(find(change, "order", &item));
    }
  }
  return groups;
}

YamlNode resolved(const YamlNode& node, const Expectation& entry) {
  YamlNode full = node;
  if (entry.kind == ExpectKind::order)
    full.set("best", yaml_text(entry.highest_is_best ? "highest" : "lowest"));
  else if (!full.find("tolerance"))
    full.set("tolerance", yaml_text("10%"));
  return full;
}

}  // namespace

const Keys& expect_keys() {
  using Entry = Expectation;
  const char* const single = "value ratio order";
  const char* const figures = "value ratio";
  const auto tolerance = number<Entry>(
      ratio,
      [](const Entry& entry) { return static_cast<std::int64_t>(entry.tolerance * 1e9 + 0.5); },
      [](Entry& entry, std::int64_t ppb) { entry.tolerance = static_cast<double>(ppb) / 1e9; }, "0",
      "1000");
  const auto best = words<Entry>(
      {"highest", "lowest"}, [](const Entry&) { return std::nullopt; },
      [](Entry& entry, std::int64_t value) { entry.highest_is_best = value == 0; });
  static const Keys keys = rows<Entry>({
      {"id", line(&Entry::id), "cas-ideal", "A unique name.", kRequired},
      {"kind", words({"value", "ratio", "order", "table"}, &Entry::kind), "value",
       "value: a metric at one point; ratio: a metric at one point divided by that at another; "
       "order: the ranking of points; table: many values.",
       kRequired},
      {"metric", said<Entry>(text), "goodput_ops_s",
       "A path in results.json, or several joined by +, which are added.", kRequired, single},
      {"where", said<Entry>(map), "{label: cas}",
       "Swept paths and their values, which select one point; `label` is the protocol's label, "
       "`clients` the number of clients.",
       kNullable},
      {"over", said<Entry>(map), "{label: mcs}",
       "What differs from `where` at the point in the denominator.", kRequired, "ratio"},
      {"over", said<Entry>(text), "label",
       "The swept path whose values are ranked (order), or name the rows (table).", kRequired,
       "order table"},
      {"value", said<Entry>(figure), "278.3k",
       "The published value: a time with its unit, any other value as a number.", kRequired,
       figures},
      {"order", said<Entry>(list), "[cas, mcs]",
       "Values of `over`, best first; values of equal rank as a list. The order needs at least "
       "three repeats to be decided.",
       kRequired, "order"},
      {"best", best, "lowest",
       "Whether the highest or the lowest value of the metric ranks first; default: highest for "
       "goodput_ops_s, commits_s and fairness.jain, lowest for all other metrics.",
       "order"},
      {"columns", said<Entry>(map), "{p50: acquire_ns.p50}",
       "Names of columns, each with its metric, or with {metric: ..., factor: ..., tolerance: ..., "
       "absolute: ...}.",
       kRequired, "table"},
      {"rows", said<Entry>(map), "{cas: [1.5], mcs: [2]}",
       "Values of `over`, each with a list of one cell per column; null: the source prints no "
       "value.",
       kRequired, "table"},
      {"unit", said<Entry>(text), "us", "Appended to every cell.", "table"},
      {"tolerance", tolerance, "5%",
       "The largest relative error at which the value still agrees with the published one.",
       "value ratio table"},
      {"absolute", said<Entry>(figure), "100",
       "An absolute error that is always accepted, whatever `tolerance` is; for values near 0.",
       figures},
      {"absolute", said<Entry>(figure), "30ns",
       "An absolute error that is always accepted in each cell.", "table"},
      {"factor", said<Entry>(figure), "2",
       "The metric is multiplied by this before the comparison.", figures},
      {"use", words({"calibration", "regression", "validation", "inferred"}, &Entry::use),
       "validation",
       "A missed calibration or regression value sets exit code 1; a missed validation value is "
       "reported and scored. inferred: scored separately, because the model's form was inferred "
       "from the value.",
       kRequired},
      {"profile", line(&Entry::profile), "paper",
       "The configuration to which the value belongs; each has its own score. A mapping {paper: "
       "{label: x}, ...} makes one expectation for each configuration, with these conditions added "
       "to `where`.",
       kNullable},
      {"source", line(&Entry::source), "ShiftLock Table 4", "Where it was published.", kRequired},
      {"disputed", line(&Entry::disputed), "contradicts Table 4",
       "Why the value is shown but not scored.", kNullable},
  });
  return keys;
}

const Keys& known_keys() {
  using Known = KnownVerdict;
  static const std::vector<std::string> verdicts = {"no progress", "stuck", "unsafe"};
  const auto verdict = words<Known>(
      verdicts, [](const Known&) { return std::nullopt; },
      [](Known& known, std::int64_t value) {
        known.verdict = verdicts[static_cast<std::size_t>(value)];
      });
  static const Keys keys = rows<Known>({
      {"where", said<Known>(map), "{label: cas}",
       "Selects points, as in `expect`; more than one is possible.", kRequired},
      {"verdict", verdict, "no progress", "The verdict, as in results.json.", kRequired},
      {"why", line(&Known::why), "ShiftLock as printed can hang", "Shown with the verdict.",
       kRequired},
  });
  return keys;
}

void read_known(YamlNode& list, Scenario& scenario, bool points_changed) {
  if (!list.is_sequence())
    reject(list.place,
           "known holds {}; expected a list such as [{{where: ..., verdict: no "
           "progress, why: ...}}]",
           kind_name(list));
  PointIndex index(scenario);
  YamlNode kept = yaml_sequence();
  for (std::size_t i = 0; i < list.items.size(); ++i) {
    const YamlNode& entry = list.items[i];
    const std::string path = fmt::format("known.{}", i);
    KnownVerdict known;
    read_keys(known_keys(), entry, path, &known);
    const YamlNode where = conditions(entry, path, "where");
    try {
      for (const std::size_t point : index.find_all(where, entry.place, path + ".where"))
        scenario.points[point].known.push_back(known);
    } catch (const InputError&) {
      if (!points_changed) throw;
      continue;
    }
    kept.items.push_back(entry);
  }
  list = std::move(kept);
}

const char* name_of(ExpectKind kind) {
  return find_key(expect_keys(), "kind").choices[static_cast<std::size_t>(kind)].c_str();
}

const char* name_of(ExpectUse use) {
  return find_key(expect_keys(), "use").choices[static_cast<std::size_t>(use)].c_str();
}

ExpectSection read_expect(const YamlNode* node, const Scenario& scenario, bool points_changed) {
  ExpectSection section;
  section.resolved = yaml_sequence();
  PointIndex index(scenario);
  std::set<std::string> ids;
  for (const FlatExpectation& flat : expand_expectations(node)) {
    Expectation entry = read_entry(flat);
    if (!ids.insert(entry.id).second)
      reject(flat.node.place, "{}: there are two expectations {}; give this one its own id",
             flat.path, in_quotes(entry.id));
    try {
      entry.groups = groups_of(flat, entry.kind, index);
    } catch (const InputError&) {
      if (!points_changed) throw;
      ++section.left_out;
      continue;
    }
    section.resolved.items.push_back(resolved(flat.node, entry));
    section.expectations.push_back(std::move(entry));
  }
  return section;
}

}  // namespace latchlab

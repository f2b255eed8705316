#include "core/scenario/section_expect.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "core/scenario/expand_expectations.h"
#include "core/scenario/map_reader.h"
#include "core/scenario/point_index.h"
#include "core/scenario/quantities.h"

namespace latchlab {
namespace {

constexpr const char* kDefaultTolerance = "10%";
constexpr std::int64_t kMostTolerancePpb = 1'000'000'000'000;

std::vector<std::string> split_sum(const std::string& text) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (c == '+')
      parts.emplace_back();
    else if (c != ' ')
      parts.back() += c;
  }
  return parts;
}

// Times are the metrics whose name says so: "acquire_ns.p99", "open.age_mean_ns"; a count of them
// is none.
bool is_time(const std::string& metric) {
  const bool count = metric.size() > 6 && metric.ends_with(".count");
  return !count && (metric.find("_ns.") != std::string::npos || metric.ends_with("_ns"));
}

bool is_rate(const std::string& metric) {
  return metric == "goodput_ops_s" || metric == "fairness.jain";
}

class EntryReader {
 public:
  EntryReader(const FlatExpectation& flat, PointIndex& index)
      : reader_(&flat.node, flat.path, flat.node.place), index_(index) {}

  // Everything but the points.
  Expectation read() {
    Expectation entry;
    entry.kind =
        static_cast<ExpectKind>(read_choice(reader_.require("kind", "kind: value"),
                                            reader_.path_of("kind"), {"value", "ratio", "order"}));
    know_keys(entry.kind);
    entry.id = text("id", "id: cas-ideal");
    entry.metrics = split_sum(text("metric", "metric: goodput_ops_s"));
    entry.source = text("source", "source: \"ShiftLock 2.3\"");
    entry.use = static_cast<ExpectUse>(read_choice(reader_.require("use", "use: validation"),
                                                   reader_.path_of("use"),
                                                   {"calibration", "regression", "validation"}));
    entry.profile = reader_.find_or_null("profile") ? reader_.text("profile", "") : "";
    entry.disputed = reader_.find_or_null("disputed") ? reader_.text("disputed", "") : "";
    entry.place = reader_.place().text();
    if (entry.kind == ExpectKind::order)
      entry.highest_is_best = reader_.choice("best", is_rate(entry.metrics.front()) ? 0 : 1,
                                             {"highest", "lowest"}) == 0;
    else
      read_figure(entry);
    check_shape(entry.kind);
    return entry;
  }

  // Throws where a figure has no point, or several.
  std::vector<std::vector<std::size_t>> groups(ExpectKind kind) {
    const Where where = conditions("where");
    if (kind == ExpectKind::order) return order_groups(where);
    std::vector<std::vector<std::size_t>> found = {
        {index_.find(where, place_of("where"), reader_.path_of("where"))}};
    if (kind == ExpectKind::ratio)
      found.push_back({index_.find(merged(where, conditions("over")), place_of("over"),
                                   reader_.path_of("over"))});
    return found;
  }

 private:
  void know_keys(ExpectKind kind) {
    for (const char* key : {"id", "metric", "where", "source", "use", "profile", "disputed"})
      reader_.know(key);
    if (kind != ExpectKind::order)
      for (const char* key : {"value", "tolerance", "absolute", "factor"}) reader_.know(key);
    if (kind != ExpectKind::value) reader_.know("over");
    if (kind == ExpectKind::order)
      for (const char* key : {"order", "best"}) reader_.know(key);
    reader_.finish();
  }

  std::string text(const char* key, const char* example) {
    return scalar(reader_.require(key, example), reader_.path_of(key), "a text");
  }

  double figure(const YamlNode& node, const char* key, bool time) {
    const std::string& written =
        scalar(node, reader_.path_of(key), time ? "a time such as 2.05us" : "a number");
    const Result<double> value = parse_figure(written, time);
    if (!value) reject(node.place, reader_.path_of(key) + ": " + value.error().message);
    return value.value();
  }

  void read_figure(Expectation& entry) {
    const bool time = entry.kind == ExpectKind::value && is_time(entry.metrics.front());
    const YamlNode& value = reader_.require("value", time ? "value: 2.05us" : "value: 278.3k");
    entry.published = figure(value, "value", time);
    const std::int64_t fallback = parse_ratio_ppb(kDefaultTolerance).value();
    entry.tolerance =
        static_cast<double>(reader_.ratio_ppb("tolerance", fallback, 0, kMostTolerancePpb)) / 1e9;
    if (const YamlNode* absolute = reader_.find("absolute"))
      entry.absolute = figure(*absolute, "absolute", time);
    if (const YamlNode* factor = reader_.find("factor"))
      entry.factor = figure(*factor, "factor", false);
    if (entry.published == 0 && entry.absolute == 0)
      reject(value.place,
             fmt::format("{} is 0, of which no share is a tolerance; add what still counts as 0, "
                         "for example 'absolute: {}'",
                         reader_.path_of("value"), time ? "50ns" : "0.01"));
  }

  void check_shape(ExpectKind kind) {
    static_cast<void>(conditions("where"));
    if (kind == ExpectKind::ratio) static_cast<void>(conditions("over"));
    if (kind != ExpectKind::order) return;
    static_cast<void>(text("over", "over: label"));
    const YamlNode& order = reader_.require("order", "order: [shiftlock, cas]");
    if (!order.is_sequence() || order.items.size() < 2)
      reject(order.place, reader_.path_of("order") +
                              ": expected a list of two or more, best first; equals as a list");
    for (const YamlNode& item : order.items) static_cast<void>(members(item));
  }

  Where conditions(const char* key) {
    const YamlNode* node = std::string_view(key) == "over"
                               ? &reader_.require("over", "over: {label: cas}")
                               : reader_.find_or_null(key);
    Where where;
    if (!node) return where;
    MapReader inner(node, reader_.path_of(key), node->place);
    for (const YamlEntry& entry : node->entries)
      where.emplace_back(entry.key, scalar(entry.value, inner.path_of(entry.key), "one value"));
    return where;
  }

  static Where merged(Where where, const Where& changes) {
    for (const auto& [path, value] : changes) {
      const auto known = std::find_if(where.begin(), where.end(),
                                      [&](const auto& each) { return each.first == path; });
      if (known == where.end())
        where.emplace_back(path, value);
      else
        known->second = value;
    }
    return where;
  }

  std::vector<std::string> members(const YamlNode& item) {
    if (!item.is_sequence()) return {scalar(item, reader_.path_of("order"), "single values")};
    std::vector<std::string> all;
    for (const YamlNode& each : item.items)
      all.push_back(scalar(each, reader_.path_of("order"), "single values"));
    if (all.empty()) reject(item.place, reader_.path_of("order") + " holds an empty list");
    return all;
  }

  std::vector<std::vector<std::size_t>> order_groups(const Where& where) {
    const std::string over = text("over", "over: label");
    std::vector<std::vector<std::size_t>> groups;
    for (const YamlNode& item : reader_.require("order", "order: [shiftlock, cas]").items) {
      groups.emplace_back();
      for (const std::string& value : members(item))
        groups.back().push_back(
            index_.find(merged(where, {{over, value}}), item.place, reader_.path_of("order")));
    }
    return groups;
  }

  Place place_of(const char* key) {
    const YamlNode* node = reader_.find_or_null(key);
    return node ? node->place : reader_.place();
  }

  MapReader reader_;
  PointIndex& index_;
};

YamlNode resolved(const YamlNode& node, const Expectation& entry) {
  YamlNode full = node;
  if (entry.kind == ExpectKind::order)
    full.set("best", yaml_text(entry.highest_is_best ? "highest" : "lowest"));
  else if (!full.find("tolerance"))
    full.set("tolerance", yaml_text(kDefaultTolerance));
  return full;
}

}  // namespace

const char* name_of(ExpectKind kind) {
  static const char* const names[] = {"value", "ratio", "order"};
  return names[static_cast<std::size_t>(kind)];
}

const char* name_of(ExpectUse use) {
  static const char* const names[] = {"calibration", "regression", "validation"};
  return names[static_cast<std::size_t>(use)];
}

ExpectSection read_expect(const YamlNode* node, const Scenario& scenario, bool points_changed) {
  ExpectSection section;
  section.resolved = yaml_sequence();
  PointIndex index(scenario);
  std::set<std::string> ids;
  for (const FlatExpectation& flat : expand_expectations(node)) {
    EntryReader reader(flat, index);
    Expectation entry = reader.read();
    if (!ids.insert(entry.id).second)
      reject(flat.node.place,
             fmt::format("{}: there are two expectations {}; give this one its own id", flat.path,
                         quoted(entry.id)));
    try {
      entry.groups = reader.groups(entry.kind);
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

// The table of all keys of a scenario against the reader: the reader accepts exactly what the table
// has.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "core/scenario/quantities.h"
#include "core/scenario/scenario_keys.h"
#include "core/scenario/suggestions.h"
#include "core/scenario/yaml_tree.h"
#include "tests/scenario/fixture.h"
#include "tests/scenario/keys_documents.h"

namespace latchlab::scenario_test {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;

std::vector<std::string> kinds_with(const ScenarioKey& key) {
  if (!key.when.empty()) return key.when;
  std::vector<std::string> kinds = kinds_of(key.mapping());
  if (kinds.empty()) kinds.emplace_back();
  return kinds;
}

// Mappings that have keys of the scenario's own format: the others have names chosen by the user.
bool is_mapping(const std::string& path) {
  return std::any_of(scenario_keys().begin(), scenario_keys().end(),
                     [&](const ScenarioKey& key) { return key.mapping() == path; });
}

std::string parent(const ScenarioKey& key) {
  return std::string(key.mapping());
}

class EveryKey : public ::testing::Test {
 protected:
  template <class Check>
  void each(Check check) {
    for (const ScenarioKey& key : scenario_keys()) {
      if (key.path == "sweep" || key.path == "schema") continue;  // in every document
      if (key.path == "platform.topology.checksum") continue;     // of one file, and tested with it
      if (key.path == "protocol.profile" && key.example.empty()) continue;
      for (const std::string& kind : kinds_with(key)) {
        SCOPED_TRACE(key.path + " " + kind);
        check(key, kind);
      }
    }
  }
};

TEST_F(EveryKey, takes_its_example_and_its_default) {
  each([](const ScenarioKey& key, const std::string& kind) {
    const std::string name(key.name());
    ASSERT_FALSE(key.says.empty() || key.example.empty());
    if (name == "kind" && !kind.empty()) return;  // the tests of the other keys cover each kind
    const std::set<std::string> files = {"platform.topology.file", "workload.arrivals.file",
                                         "workload.trace.file", "workload.trace",
                                         "workload.objects.trace"};
    // These examples name files that do not exist.
    if (files.contains(std::string(key.path))) return;
    if (!key.supported) {
      EXPECT_THAT(problem_of(parent(key), kind, name, key.example),
                  HasSubstr("not supported by this build"));
      return;
    }
    EXPECT_EQ(problem_of(parent(key), kind, name, key.example), "fine") << key.example;
    if (!key.fallback.empty()) {
      EXPECT_EQ(problem_of(parent(key), kind, name, key.fallback), "fine") << key.fallback;
    }
    const bool decides = key.name() == "where" || key.mapping() == "sweep";  // what is left
    if (key.nullable && !decides) {
      EXPECT_EQ(problem_of(parent(key), kind, name, "null"), "fine");
    }
  });
}

// One step below and one above the allowed range.
std::vector<std::string> beyond(const ScenarioKey& key) {
  std::vector<std::string> texts;
  const auto add = [&](const std::string& bound, std::int64_t step, auto parse, const char* unit) {
    if (bound.empty() || bound.starts_with('-')) return;
    const std::int64_t value = parse(bound) + step;
    if (value >= 0) texts.push_back(fmt::format("{}{}", value, unit));
  };
  const auto counts = [](const std::string& text) { return parse_count(text).value(); };
  const auto times = [](const std::string& text) { return parse_duration(text).value().ps; };
  const auto ratios = [](const std::string& text) { return parse_ratio_ppb(text).value(); };
  const auto sizes = [](const std::string& text) {
    return parse_number(NumberKind::bytes, text).value();
  };
  const bool most = key.max == "9223372036854775807";
  switch (key.kind) {
    case KeyKind::count:
      add(key.min, -1, counts, "");
      if (!most) add(key.max, 1, counts, "");
      break;
    case KeyKind::duration:
    case KeyKind::signed_duration:
      add(key.min, -1, times, "ps");
      add(key.max, 1, times, "ps");
      break;
    case KeyKind::ratio:
    case KeyKind::signed_ratio:
      add(key.min, -1, ratios, "ppb");
      add(key.max, 1, ratios, "ppb");
      break;
    case KeyKind::bytes:
      add(key.min, -1, sizes, "B");
      break;
    default:
      break;
  }
  return texts;
}

// A bound in the format of messages.
std::string as_told(const ScenarioKey& key, const std::string& bound) {
  const bool ratio = key.kind == KeyKind::ratio || key.kind == KeyKind::signed_ratio;
  return ratio ? format_decimal(parse_ratio_ppb(bound).value()) : bound;
}

TEST_F(EveryKey, refuses_a_value_out_of_range) {
  int tried = 0;
  each([&](const ScenarioKey& key, const std::string& kind) {
    if (!key.supported) return;
    for (const std::string& text : beyond(key)) {
      ++tried;
      const std::string message = problem_of(parent(key), kind, std::string(key.name()), text);
      EXPECT_THAT(message, HasSubstr(std::string(key.name()) + " is " + text));
      if (!key.max.empty()) {
        EXPECT_THAT(message, HasSubstr(" to " + as_told(key, key.max)));
      }
    }
  });
  EXPECT_GT(tried, 60);
}

TEST_F(EveryKey, refuses_a_value_of_another_type) {
  each([](const ScenarioKey& key, const std::string& kind) {
    const std::set<KeyKind> any = {KeyKind::text, KeyKind::map, KeyKind::list};
    if (any.contains(key.kind) || !key.supported) return;
    if (key.name() == "kind" && !kind.empty()) return;
    const std::string message = problem_of(parent(key), kind, std::string(key.name()), "zzz");
    EXPECT_THAT(message, HasSubstr(std::string(key.name())));
    if (!key.choices.empty()) {
      EXPECT_THAT(message, HasSubstr(joined(key.choices)));
    }
  });
}

TEST_F(EveryKey, that_is_required_is_reported_if_missing) {
  each([](const ScenarioKey& key, const std::string& kind) {
    if (!key.required || key.name() == "file") return;
    Entries entries = base_of(parent(key), kind);
    if (key.mapping().empty()) return;  // tested with the messages of the reader
    entries.erase(std::string(key.name()));
    const std::string message = problem(document(parent(key), entries));
    EXPECT_THAT(message, ::testing::AnyOf(HasSubstr("is missing"), HasSubstr("needs"),
                                          HasSubstr("says not who"), HasSubstr("unknown key")));
  });
}

// The reader lists the keys that it knows if it finds one that resembles none of them.
TEST(Keys, of_each_mapping_are_those_that_the_reader_accepts) {
  const ProtocolInfo shiftlock = protocols().back();
  std::set<std::string> mappings;
  for (const ScenarioKey& key : scenario_keys()) mappings.emplace(key.mapping());
  EXPECT_GE(mappings.size(), 15u);
  for (const std::string& mapping : mappings) {
    std::vector<std::string> kinds = kinds_of(mapping);
    EXPECT_EQ(std::set(kinds.begin(), kinds.end()).size(), kinds.size()) << mapping;
    if (kinds.empty()) kinds.emplace_back();
    for (const std::string& kind : kinds) {
      SCOPED_TRACE(mapping + " " + kind);
      Entries entries = base_of(mapping, kind);
      entries["qqqqqqqqqqqqqqqq"] = "1";
      const std::string message = problem(document(mapping, entries));
      const std::size_t at = message.find("; known: ");
      ASSERT_NE(at, std::string::npos) << message;
      std::set<std::string> known;
      std::string word;
      for (const char c : message.substr(at + 9) + ",") {
        if (c == ',') known.insert(std::exchange(word, ""));
        if (c != ',' && c != ' ') word += c;
      }
      if (mapping == "protocol")
        for (const ParamSpec& param : shiftlock.params) known.erase(param.name);
      if (kind == "file") known.erase("kind");  // listed there as the key to remove
      const std::vector<std::string> keys = keys_of(mapping, kind);
      EXPECT_EQ(known, std::set<std::string>(keys.begin(), keys.end()));
    }
  }
}

void collect(const YamlNode& node, const std::string& path, std::set<std::string>& paths) {
  for (const YamlNode& item : node.items) collect(item, path + "[]", paths);
  for (const YamlEntry& entry : node.entries) {
    const std::string below = path.empty() ? entry.key : path + "." + entry.key;
    if (below.starts_with("platform.nic.") || below.starts_with("protocol.")) continue;
    paths.insert(below);
    const auto rows = find_scenario_keys(below);
    if (is_mapping(below) || is_mapping(below + "[]")) collect(entry.value, below, paths);
  }
}

TEST(Keys, of_a_resolved_scenario_are_in_the_table) {
  const auto scenario = parse(
      "schema: 1\nname: t\nplatform: {topology: torus}\nworkload: {distribution: zipf}\n"
      "faults: [{kind: drift, at: 0us, server: 0, jump: 1us}]\n"
      "sweep: {grid: {protocol: [{name: cas}, {name: mcs}]}}\n"
      "expect: [{id: x, kind: value, metric: goodput_ops_s, where: {label: cas}, value: 1, source: "
      "x, use: validation}]\nknown: [{where: {label: cas}, verdict: stuck, why: x}]\nreport: "
      "{figures: [{x: label, y: goodput_ops_s}]}\n");
  ASSERT_TRUE(scenario) << scenario.error().text();
  std::set<std::string> paths;
  collect(parse_yaml(scenario.value().resolved_yaml, "resolved"), "", paths);
  EXPECT_GT(paths.size(), 50u);
  for (const std::string& path : paths) EXPECT_FALSE(find_scenario_keys(path).empty()) << path;
}

TEST(Keys, that_may_be_negative_have_no_sign_when_they_are_zero) {
  const auto scenario = parse(
      "schema: 1\nname: t\nprotocol: {name: cas}\n"
      "faults: [{kind: drift, at: 0us, server: 0, jump: 0us, drift: 200ppm}]\n");
  ASSERT_TRUE(scenario) << scenario.error().text();
  const std::string& resolved = scenario.value().points.front().resolved_yaml;
  EXPECT_NE(resolved.find("jump: 0us"), std::string::npos) << resolved;
}

// The value of a key that is left out, as the resolved scenario shows it.
TEST(Keys, that_are_left_out_have_the_default_of_the_table) {
  int compared = 0;
  for (const ScenarioKey& key : scenario_keys()) {
    if (key.fallback.empty() || !key.supported) continue;
    const std::string mapping = parent(key);
    if (mapping.starts_with("expect")) continue;
    for (const std::string& kind : kinds_with(key)) {
      SCOPED_TRACE(key.path + " " + kind);
      Entries entries = base_of(mapping, key.name() == "kind" ? "" : kind);
      entries.erase(std::string(key.name()));
      const bool of_a_kind = mapping == "workload.objects" || mapping == "workload.index";
      const bool whole = entries.empty() && !of_a_kind;
      const auto scenario = parse(whole ? document("", {}) : document(mapping, entries));
      ASSERT_TRUE(scenario) << scenario.error().text();
      const YamlNode resolved = parse_yaml(scenario.value().resolved_yaml, "resolved");
      const YamlNode* node = &resolved;
      for (std::string rest = key.path; node != nullptr && !rest.empty();) {
        const std::size_t dot = rest.find('.');
        std::string name = rest.substr(0, dot);
        rest = dot == std::string::npos ? "" : rest.substr(dot + 1);
        const bool item = name.ends_with("[]");
        if (item) name.resize(name.size() - 2);
        node = node->find(name);
        if (item && node != nullptr) node = &node->items.front();
      }
      ASSERT_NE(node, nullptr);
      if (node->is_map()) node = node->find("name");  // platform.nic
      EXPECT_EQ(node->text, key.fallback);
      ++compared;
    }
  }
  EXPECT_GT(compared, 30);
}

}  // namespace
}  // namespace latchlab::scenario_test

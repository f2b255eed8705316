// `expect`: which figures a scenario has, which points they refer to, and what is refused.
#include <gmock/gmock.h>

#include "tests/scenario/fixture.h"

namespace latchlab::scenario_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

using Groups = std::vector<std::vector<std::size_t>>;

// Points: cas 1, cas 48, mcs 1, mcs 48; the text under test begins on line 4.
std::string swept(const std::string& expect) {
  return "schema: 1\nname: t\nsweep: {grid: {protocol: [{name: cas, label: CAS-NB}, {name: mcs}], "
         "platform.clients_per_node: [1, 48]}}\n" +
         expect;
}

std::string one(const std::string& rest) {
  return swept("expect: [{id: a, source: s, use: validation, " + rest + "}]");
}

std::vector<Expectation> read(const std::string& text,
                              const std::vector<Override>& overrides = {}) {
  const Result<Scenario> scenario = parse(text, overrides);
  EXPECT_TRUE(scenario) << scenario.error().text();
  return scenario ? scenario.value().expectations : std::vector<Expectation>{};
}

const char* const kValue = "kind: value, metric: goodput_ops_s, value: 278.3k";

TEST(Expect, a_value_refers_to_one_point_and_has_a_default_tolerance) {
  const auto entries = read(one(std::string(kValue) + ", where: {label: mcs, clients: 48}"));
  ASSERT_EQ(entries.size(), 1U);
  EXPECT_EQ(entries[0].id, "a");
  EXPECT_EQ(entries[0].groups, (Groups{{3}}));
  EXPECT_DOUBLE_EQ(entries[0].published, 278'300);
  EXPECT_DOUBLE_EQ(entries[0].tolerance, 0.1);
  EXPECT_EQ(entries[0].place, "test.yaml:4");
}

TEST(Expect, a_ratio_has_a_point_above_and_one_below) {
  const auto entries =
      read(one("kind: ratio, metric: goodput_ops_s, where: {label: mcs, "
               "platform.clients_per_node: 48}, over: {label: CAS-NB}, value: 173%"));
  ASSERT_EQ(entries.size(), 1U);
  EXPECT_EQ(entries[0].groups, (Groups{{3}, {1}}));
  EXPECT_DOUBLE_EQ(entries[0].published, 1.73);
}

TEST(Expect, an_order_has_groups_and_knows_which_direction_is_better) {
  const auto entries = read(
      swept("expect:\n  - {id: a, kind: order, metric: goodput_ops_s, where: {clients: 48}, over: "
            "label, order: [mcs, CAS-NB], source: s, use: validation}\n"
            "  - {id: b, kind: order, metric: acquire_ns.p99, over: clients, order: [1, [48, 1]], "
            "where: {label: mcs}, source: s, use: validation}\n"
            "  - {id: c, kind: order, metric: commits_s, where: {clients: 48}, over: label, order: "
            "[mcs, CAS-NB], source: s, use: validation}\n"));
  ASSERT_EQ(entries.size(), 3U);
  EXPECT_EQ(entries[0].groups, (Groups{{3}, {1}}));
  EXPECT_TRUE(entries[0].highest_is_best);
  EXPECT_EQ(entries[1].groups, (Groups{{2}, {3, 2}}));
  EXPECT_FALSE(entries[1].highest_is_best);
  EXPECT_TRUE(entries[2].highest_is_best);
}

TEST(Expect, values_are_compared_as_quantities) {
  const std::string text =
      "schema: 1\nname: t\nprotocol: {name: cas}\nsweep: {grid: {locks.count: [1k, 10M], "
      "workload.read_ratio: [50%, 95%], workload.distribution: [uniform, {kind: zipf, theta: "
      "0.99}]}}\nexpect: [{id: a, source: s, use: validation, kind: value, metric: m, value: 1, "
      "where: {locks.count: 10000000, workload.read_ratio: 0.95, workload.distribution: zipf}}]";
  EXPECT_EQ(read(text).at(0).groups, (Groups{{7}}));
}

TEST(Expect, times_have_a_unit_and_sums_are_written_with_plus) {
  const std::string where = ", where: {label: mcs, clients: 1}";
  const auto entries =
      read(one("kind: value, metric: phases_ns.write.NP + phases_ns.write.WP, "
               "value: 2.05us, factor: 50%, absolute: 5ns" +
               where));
  ASSERT_EQ(entries.size(), 1U);
  EXPECT_DOUBLE_EQ(entries[0].published, 2050);
  EXPECT_DOUBLE_EQ(entries[0].absolute, 5);
  EXPECT_DOUBLE_EQ(entries[0].factor, 0.5);
  EXPECT_THAT(entries[0].metrics, ElementsAre("phases_ns.write.NP", "phases_ns.write.WP"));
  EXPECT_THAT(problem(one("kind: value, metric: acquire_ns.p50, value: 2.05" + where)),
              HasSubstr("expect.0.value: '2.05' has no unit; expected a duration"));
  EXPECT_THAT(problem(one("kind: value, metric: acquire_ns.count, value: 2us" + where)),
              HasSubstr("expect.0.value: '2us' has an unknown unit 'us'"));
}

TEST(Expect, a_published_zero_needs_an_absolute_tolerance) {
  EXPECT_THAT(problem(one("kind: value, metric: acquire_ns.p50, value: 0us, where: {label: mcs, "
                          "clients: 1}")),
              HasSubstr("test.yaml:4: expect.0.value is 0, of which no share is a tolerance; add "
                        "what still counts as 0, for example 'absolute: 50ns'"));
}

const char* const kTable =
    "expect:\n"
    "  - id: t\n"
    "    kind: table\n"
    "    over: clients\n"
    "    columns: {IA: phases_ns.write.IA, NS: {metric: phases_ns.release.NS, factor: 2}}\n"
    "    unit: us\n"
    "    rows:\n"
    "      1: [2.05, null]\n"
    "      48: [2.5, 0.01]\n"
    "    absolute: 20ns\n"
    "    source: s\n"
    "    use: calibration\n"
    "    profile: {paper: {label: mcs}, artifact: {label: CAS-NB}}\n";

TEST(Expect, a_table_becomes_its_cells_once_for_each_profile) {
  const auto entries = read(swept(kTable));
  std::vector<std::string> ids;
  for (const Expectation& entry : entries) ids.push_back(entry.id);
  EXPECT_THAT(ids, ElementsAre("t@paper/1/IA", "t@paper/48/IA", "t@paper/48/NS", "t@artifact/1/IA",
                               "t@artifact/48/IA", "t@artifact/48/NS"));
  ASSERT_EQ(entries.size(), 6U);
  const Expectation& cell = entries[2];
  EXPECT_EQ(cell.groups, (Groups{{3}}));
  EXPECT_EQ(cell.profile, "paper");
  EXPECT_EQ(cell.use, ExpectUse::calibration);
  EXPECT_DOUBLE_EQ(cell.published, 10);
  EXPECT_DOUBLE_EQ(cell.absolute, 20);
  EXPECT_DOUBLE_EQ(cell.factor, 2);
  EXPECT_EQ(cell.place, "test.yaml:12");
  EXPECT_EQ(entries[3].groups, (Groups{{0}}));
}

TEST(Expect, where_of_a_table_with_profiles_must_be_a_mapping) {
  std::string text = kTable;
  text += "    where: 3\n";
  const Result<Scenario> result = parse(swept(text));
  ASSERT_FALSE(result);
  EXPECT_THAT(result.error().text(),
              HasSubstr("where holds a single value; expected a mapping such as {label: cas}"));
}

TEST(Expect, tables_resolve_to_their_cells_and_can_be_read_back) {
  const Result<Scenario> first = parse(swept(kTable));
  ASSERT_TRUE(first) << first.error().text();
  const std::string& text = first.value().resolved_yaml;
  EXPECT_THAT(text, HasSubstr("tolerance: 10%"));
  EXPECT_THAT(text, HasSubstr("t@artifact/48/NS"));
  const Result<Scenario> again = parse(text);
  ASSERT_TRUE(again) << again.error().text();
  EXPECT_EQ(again.value().resolved_yaml, text);
  EXPECT_EQ(again.value().expectations.size(), first.value().expectations.size());
}

TEST(Expect, an_invalid_table_is_refused_with_its_line) {
  const auto with = [](const std::string& from, const std::string& to) {
    std::string text = kTable;
    text.replace(text.find(from), from.size(), to);
    return problem(swept(text));
  };
  EXPECT_EQ(with("[2.5, 0.01]", "[2.5]"),
            "test.yaml:12: expect.0.rows.48 has 1 cells; expected a list of 2, one for each "
            "column, with null where nothing was printed");
  EXPECT_EQ(with("2.5,", "fast,"),
            "test.yaml:12: expect.0.rows.48.IA.value: 'fastus' is not a number; expected a "
            "duration such as 2us (units: ps, ns, us, ms, s)");
  EXPECT_EQ(with("48: [", "47: ["),
            "test.yaml:12: expect.0.rows.47.IA.where: no point with label mcs has clients '47'; "
            "there is 1, 48 (did you mean '48'?)");
  EXPECT_EQ(with("columns:", "colums:"),
            "test.yaml:8: unknown key 'colums' in expect.0; did you mean 'columns'?");
  EXPECT_THAT(with("factor: 2", "faktor: 2"), HasSubstr("unknown key 'faktor' in columns.NS"));
}

TEST(Expect, where_contains_single_values) {
  EXPECT_EQ(problem(one(std::string(kValue) + ", where: {label: [CAS-NB, mcs]}")),
            "test.yaml:4: expect.0.where.label holds a list; expected one value");
}

TEST(Expect, where_matches_exactly_one_point) {
  EXPECT_EQ(problem(one(std::string(kValue) + ", where: {label: CAS-NC, clients: 1}")),
            "test.yaml:4: expect.0.where: no point has label 'CAS-NC'; there is CAS-NB, mcs (did "
            "you mean 'CAS-NB'?)");
  EXPECT_EQ(problem(one(std::string(kValue) + ", where: {label: mcs}")),
            "test.yaml:4: expect.0.where fits 2 points; it has to say which; "
            "platform.clients_per_node: 1, 48");
  EXPECT_EQ(problem(one(std::string(kValue) + ", where: {label: mcs, platform.clients_per_nod: "
                                              "1}")),
            "test.yaml:4: expect.0.where: points have no 'platform.clients_per_nod'; did you mean "
            "'platform.clients_per_node'?");
  EXPECT_THAT(problem(one("kind: ratio, metric: m, value: 1, where: {label: mcs, clients: 1}, "
                          "over: {clients: 2}")),
              HasSubstr("expect.0.over: no point with label mcs has clients '2'; there is 1, 48"));
  EXPECT_THAT(problem(one("kind: order, metric: m, where: {clients: 1}, over: label, order: [mcs, "
                          "CAS-B]")),
              HasSubstr("expect.0.order: no point with clients 1 has label 'CAS-B'"));
}

TEST(Expect, entries_have_a_shape) {
  EXPECT_THAT(problem(one("kind: sum")),
              HasSubstr("expect.0.kind is 'sum'; expected value, ratio, order"));
  EXPECT_THAT(problem(one("kind: order, metric: m, over: label, order: [mcs, CAS-NB], value: 3")),
              HasSubstr("unknown key 'value' in expect.0"));
  EXPECT_THAT(problem(one("kind: order, metric: m, over: label, order: [mcs]")),
              HasSubstr("expected a list of two or more, best first"));
  EXPECT_THAT(problem(swept("expect: {id: a}")), HasSubstr("expect holds a mapping; expected a"));
  EXPECT_THAT(problem(swept("expect: [{id: a, kind: value, metric: m, use: validation, value: 1, "
                            "where: {label: mcs, clients: 1}}]")),
              HasSubstr("expect.0.source is missing"));
  EXPECT_THAT(problem(swept("expect: [&a {id: a, kind: value, metric: m, use: validation, value: "
                            "1, source: s, where: {label: mcs, clients: 1}}, *a]")),
              HasSubstr("expect.1: there are two expectations 'a'; give this one its own id"));
}

TEST(Expect, figures_whose_points_were_overridden_are_left_out_with_a_warning) {
  const std::string text = one(std::string(kValue) + ", where: {label: mcs, clients: 48}");
  const Result<Scenario> pinned = parse(text, {{"platform.clients_per_node", "1"}});
  ASSERT_TRUE(pinned) << pinned.error().text();
  EXPECT_TRUE(pinned.value().expectations.empty());
  EXPECT_THAT(pinned.value().warning_texts(),
              testing::Contains("1 of 1 expectations speak of points that --set has taken away, "
                                "and are left out"));
  EXPECT_TRUE(parse(pinned.value().resolved_yaml));
  EXPECT_EQ(read(text, {{"run.duration", "5ms"}}).size(), 1U);
}

TEST(Expect, an_order_without_repeats_gives_a_warning) {
  const std::string text =
      one("kind: order, metric: m, where: {clients: 1}, over: label, order: "
          "[mcs, CAS-NB]");
  const auto warned = [&](const std::string& repeats) {
    const Result<Scenario> scenario = parse(text, {{"run.repeats", repeats}});
    const auto is_warning_of_repeats = [](const Warning& warning) {
      return warning.kind == WarningKind::few_repeats;
    };
    return scenario && std::ranges::any_of(scenario.value().warnings, is_warning_of_repeats);
  };
  EXPECT_TRUE(warned("2"));
  EXPECT_FALSE(warned("3"));
}

TEST(Expect, hostile_tables_end_in_an_error) {
  std::string wide =
      "expect: [{id: t, kind: table, over: clients, source: s, use: validation, "
      "where: {label: mcs}, columns: {";
  std::string row;
  for (int i = 0; i < 2'500; ++i) {
    wide += (i == 0 ? "c" : ", c") + std::to_string(i) + ": m";
    row += i == 0 ? "1" : ", 1";
  }
  EXPECT_THAT(problem(swept(wide + "}, rows: {1: [" + row + "]}}]")),
              HasSubstr("expect has more than 2000 figures"));
  const std::string long_source(100'000, 's');
  std::string cells = "expect: [{id: t, kind: table, over: clients, source: " + long_source +
                      ", use: validation, where: {label: mcs}, columns: {";
  row.clear();
  for (int i = 0; i < 500; ++i) {
    cells += (i == 0 ? "c" : ", c") + std::to_string(i) + ": m";
    row += i == 0 ? "1" : ", 1";
  }
  EXPECT_THAT(problem(swept(cells + "}, rows: {1: [" + row + "]}}]")),
              HasSubstr("expect is too large"));
}

}  // namespace
}  // namespace latchlab::scenario_test

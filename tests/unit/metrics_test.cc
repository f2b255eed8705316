// From one repeat to the point: the leaves, the aggregation of repeats, and the JSON of both.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "core/measure/leaves.h"
#include "core/measure/results_json.h"
#include "tests/non_empty.h"

namespace latchlab {
namespace {

// Every field set, each to another value.
RepeatMetrics full_metrics(double scale) {
  RepeatMetrics m;
  m.goodput_ops_s = 100.1 * scale;
  for (int i = 1; i <= 100; ++i) {
    m.cycle.record(nanoseconds(i));
    m.acquire.record(nanoseconds(2 * i));
    m.acquire_read.record(picoseconds(1'234'567 * i));
    m.acquire_write.record(microseconds(i));
    m.release.record(nanoseconds(3));
    m.recovery.record(nanoseconds(4 * i));
  }
  m.open = {3, 1.5, 2.5 * scale};
  m.verbs_per_cycle = {0.1, 0.2, 0.3, 0.4, 0.5};
  m.verbs_per_cycle_detail = {{"cas_8", 0.25}, {"masked_cas_16", 1.0 / 3.0}};
  m.verbs_per_acquire = {0.6, 0.7, 0.8, 0.9, 1.1};
  m.rereads_per_release = 1.2;
  m.background_verbs_s = 12.0;
  m.retry_share = 0.125;
  m.retry_share_acquire = 0.0625;
  PhaseTotals phases;
  phases.operations = 4;
  for (std::size_t i = 0; i < phases.sum_ps.size(); ++i) phases.sum_ps[i] = 1000 * (i + 1);
  m.phases = {phases, phases, std::nullopt};
  m.waited = {std::nullopt, phases, 0.375, 0.4375};
  m.server_nic = {1e6, 0.5, 0.6, 0.7, 0.8, 321.0};
  m.server_cpu = {0.9, 654.0};
  m.fairness = {0.99, static_cast<std::uint64_t>(7 * scale)};
  m.safety = {std::numeric_limits<std::uint64_t>::max() / 4, 0, 1, 2};
  m.recoveries = 5;
  m.aborted_acquisitions = 6;
  m.cut_sections = 8;
  m.shared_as_exclusive = 7;
  m.stationary = 1.01;
  m.engine = {1000, 2000, 0.06};
  m.window_law = {240, 40'000'000'000, 99, (1ULL << 63) + 1, 3, 4, 5};
  m.fingerprint = scale == 1 ? "00ff" : "0100";
  return m;
}

double number(const Leaves& leaves, std::string_view path) {
  const LeafValue* value = find_leaf(leaves, path);
  EXPECT_NE(value, nullptr) << path;
  return value == nullptr ? -1 : number_of(*value).value_or(-2);
}

TEST(RepeatJson, every_field_survives_the_way_from_child_to_parent) {
  const RepeatMetrics sent = full_metrics(1);
  const auto received = parse_repeat(serialise_repeat(sent));
  ASSERT_TRUE(received.ok()) << received.error().text();
  EXPECT_TRUE(received.value() == sent);
  EXPECT_EQ(serialise_repeat(received.value()), serialise_repeat(sent));
}

TEST(RepeatJson, metrics_that_were_not_measured_stay_so) {
  const auto received = parse_repeat(serialise_repeat(RepeatMetrics()));
  ASSERT_TRUE(received.ok()) << received.error().text();
  EXPECT_TRUE(received.value() == RepeatMetrics());
}

TEST(RepeatJson, numbers_that_are_not_finite_become_not_measured) {
  RepeatMetrics metrics;
  metrics.goodput_ops_s = std::numeric_limits<double>::infinity();
  metrics.stationary = std::numeric_limits<double>::quiet_NaN();
  const auto received = parse_repeat(serialise_repeat(metrics));
  ASSERT_TRUE(received.ok());
  EXPECT_FALSE(received.value().goodput_ops_s);
  EXPECT_FALSE(received.value().stationary);
  EXPECT_NE(leaves_json(repeat_leaves(metrics)).find("\"goodput_ops_s\":null"), std::string::npos);
}

TEST(RepeatJson, damaged_text_is_refused_with_the_metric_that_is_wrong) {
  EXPECT_FALSE(parse_repeat("").ok());
  EXPECT_FALSE(parse_repeat("[1]").ok());
  EXPECT_FALSE(parse_repeat("{}").ok());
  std::string text = serialise_repeat(full_metrics(1));
  text.replace(text.find("\"recoveries\":5"), 14, "\"recoveries\":-5");
  const auto received = parse_repeat(text);
  ASSERT_FALSE(received.ok());
  EXPECT_NE(received.error().message.find("'recoveries'"), std::string::npos);
}

TEST(RepeatJson, of_a_version_that_did_not_measure_a_metric_lacks_it) {
  std::string text = serialise_repeat(full_metrics(1));
  const std::string cut = "\"cut_sections\":8,";
  ASSERT_NE(text.find(cut), std::string::npos);
  text.erase(text.find(cut), cut.size());
  const auto received = parse_repeat(text);
  ASSERT_TRUE(received.ok()) << received.error().text();
  RepeatMetrics expected = full_metrics(1);
  expected.cut_sections.reset();
  EXPECT_TRUE(received.value() == expected);
}

TEST(Leaves, phases_of_an_operation_add_up_to_its_mean) {
  RepeatMetrics metrics;
  PhaseTotals totals;
  std::array<Duration, kPhases> spent;
  for (std::size_t i = 0; i < spent.size(); ++i)
    spent[i] = nanoseconds(10 * static_cast<std::int64_t>(i));
  totals.add(spent);
  totals.add({});
  metrics.acquire_read.record(nanoseconds(280));
  metrics.acquire_read.record(Duration{});
  metrics.phases.read = totals;
  EXPECT_TRUE(totals.add_up_to(metrics.acquire_read));
  const Leaves leaves = repeat_leaves(metrics);
  double sum_ns = 0;
  for (const std::string name : {"IA", "RT", "NP", "WP", "WR", "WW", "NS", "other"})
    sum_ns += number(leaves, "phases_ns.read." + name);
  EXPECT_EQ(sum_ns, number(leaves, "acquire_read_ns.mean"));
  metrics.acquire_read.record(Duration{1});
  EXPECT_FALSE(totals.add_up_to(metrics.acquire_read));
}

TEST(Leaves, point_has_means_with_intervals_sums_and_extremes) {
  const Leaves point = aggregate({full_metrics(1), full_metrics(2), full_metrics(3)});
  const auto goodput = std::get<MeanCi>(*find_leaf(point, "goodput_ops_s"));
  EXPECT_DOUBLE_EQ(goodput.mean, 200.2);
  EXPECT_NEAR(*goodput.ci95, 100.1 * 2.484138, 1e-3);
  EXPECT_EQ(std::get<std::uint64_t>(*find_leaf(point, "recoveries")), 15U);
  EXPECT_EQ(std::get<std::uint64_t>(*find_leaf(point, "fairness.max_bypassed")), 21U);
  EXPECT_EQ(std::get<double>(*find_leaf(point, "open.age_max_ns")), 7.5);
  EXPECT_DOUBLE_EQ(number(point, "engine.simulated_s"), 0.18);
  EXPECT_EQ(number(point, "acquire_ns.count"), 300);
  EXPECT_EQ(find_leaf(point, "window_law.clients"), nullptr);
}

TEST(Leaves, two_repeats_have_no_interval) {
  const Leaves point = aggregate({full_metrics(1), full_metrics(2)});
  EXPECT_FALSE(std::get<MeanCi>(*find_leaf(point, "goodput_ops_s")).ci95);
}

TEST(Leaves, percentiles_of_a_point_come_from_the_merged_histograms) {
  std::vector<RepeatMetrics> repeats(2);
  for (int i = 0; i < 99; ++i) repeats[0].acquire.record(nanoseconds(10));
  repeats[1].acquire.record(nanoseconds(1000));
  const Leaves point = aggregate(repeats);
  EXPECT_NEAR(number(point, "acquire_ns.p50"), 10, 0.01);
  EXPECT_NEAR(number(point, "acquire_ns.p99"), 10, 0.01);
  EXPECT_NEAR(number(point, "acquire_ns.mean"), 19.9, 1e-9);
  EXPECT_EQ(number(point, "acquire_ns.min"), 10);
  EXPECT_EQ(number(point, "acquire_ns.max"), 1000);
}

TEST(Leaves, repeats_without_a_metric_are_left_out_of_its_mean) {
  std::vector<RepeatMetrics> repeats(2);
  repeats[1].retry_share = 0.5;
  const Leaves point = aggregate(repeats);
  EXPECT_EQ(number(point, "retry_share"), 0.5);
  EXPECT_TRUE(std::holds_alternative<std::monostate>(*find_leaf(point, "stationary")));
  EXPECT_TRUE(std::holds_alternative<std::monostate>(*find_leaf(point, "recoveries")));
}

TEST(Leaves, verb_that_only_one_repeat_used_counts_as_zero_in_the_other) {
  std::vector<RepeatMetrics> repeats(2);
  repeats[0].verbs_per_cycle_detail = {{"read_8", 1.0}};
  repeats[1].verbs_per_cycle_detail = {{"read_8", 1.0}, {"faa_8", 0.5}};
  const Leaves point = aggregate(repeats);
  EXPECT_EQ(number(point, "verbs_per_cycle_detail.read_8"), 1);
  EXPECT_EQ(number(point, "verbs_per_cycle_detail.faa_8"), 0.25);
}

// Every metric that exists only on request, or only if there is something to divide by.
RepeatMetrics all_optional(double scale) {
  RepeatMetrics m = full_metrics(scale);
  m.window = {1.0, 1, {1.0, 2.0}};
  m.hottest_lock.acquire.emplace().record(nanoseconds(static_cast<std::int64_t>(50 * scale)));
  m.update_as_exclusive = static_cast<std::uint64_t>(8 * scale);
  m.ranges_as_whole = static_cast<std::uint64_t>(9 * scale);
  m.aborted_share = 0.01 * scale;
  m.false_conflict_share = 0.02 * scale;
  m.client_cpu = 0.03 * scale;
  m.transactions.length.emplace().record(nanoseconds(static_cast<std::int64_t>(70 * scale)));
  m.transactions.commits_s = 11 * scale;
  m.transactions.aborts_s = 12 * scale;
  m.transactions.abort_share = 0.12 * scale;
  m.open_loop = {13 * scale, static_cast<std::uint64_t>(14 * scale), 1};
  m.group_goodput.values = {{"one", 15 * scale}, {"two", 16 * scale}};
  m.group_verbs.values = {{"one.read", 22 * scale}, {"one.atomic", 23 * scale}};
  m.group_cycles.by_group["one"].record(nanoseconds(static_cast<std::int64_t>(80 * scale)));
  m.file_bytes_s = 21 * scale;
  m.workers = {{0.1, 0.2}, {1.0, 2.0}, 0.17 * scale, 18 * scale};
  m.clocks = {19 * scale, 20 * scale};
  m.series = {{1.0}, {2.0}};
  return m;
}

// Leaves out some of them; each number leaves out another part.
RepeatMetrics without_some(RepeatMetrics m, unsigned which) {
  if ((which & 1) != 0) m.window.batches.clear();
  if ((which & 2) != 0) m.hottest_lock.acquire.reset();
  if ((which & 4) != 0) m.false_conflict_share.reset();
  if ((which & 8) != 0) m.transactions = {};
  if ((which & 16) != 0) m.group_goodput.values.erase("one");
  if ((which & 32) != 0) m.workers = {};
  if ((which & 64) != 0) m.series = {};
  return m;
}
constexpr unsigned kParts = 128;

std::vector<std::string> paths_of(const Leaves& leaves) {
  std::vector<std::string> paths;
  for (const Leaf& leaf : leaves) paths.push_back(leaf.path);
  return paths;
}

TEST(Leaves, a_metric_that_one_repeat_lacks_does_not_affect_other_metrics) {
  const RepeatMetrics whole = all_optional(1), other = all_optional(3);
  const Leaves both = aggregate({whole, other});
  ASSERT_EQ(paths_of(both), paths_of(aggregate({whole})));
  for (unsigned which = 1; which < kParts; ++which) {
    const RepeatMetrics less = without_some(other, which);
    const Leaves of_less = repeat_leaves(less), of_whole = aggregate({whole});
    for (const bool first : {false, true}) {
      const Leaves point = first ? aggregate({less, whole}) : aggregate({whole, less});
      std::vector<std::string> expected = paths_of(both), found = paths_of(point);
      std::sort(expected.begin(), expected.end());
      std::sort(found.begin(), found.end());
      ASSERT_EQ(found, expected) << which;
      for (const Leaf& leaf : non_empty(both)) {
        if (leaf.path == "fingerprint") continue;
        const Leaves& right = find_leaf(of_less, leaf.path) != nullptr ? both : of_whole;
        EXPECT_EQ(*find_leaf(point, leaf.path), *find_leaf(right, leaf.path))
            << leaf.path << ", without " << which;
      }
    }
  }
}

TEST(Leaves, of_a_point_have_one_order_whichever_repeat_lacks_some) {
  const RepeatMetrics whole = all_optional(1);
  const std::vector<std::string> order = paths_of(aggregate({whole}));
  for (unsigned which = 1; which < kParts; ++which) {
    EXPECT_EQ(paths_of(aggregate({without_some(whole, which), whole})), order) << which;
    EXPECT_EQ(paths_of(aggregate({whole, without_some(whole, which)})), order) << which;
    EXPECT_EQ(paths_of(aggregate({without_some(whole, which), without_some(whole, ~which)})), order)
        << which;
  }
}

TEST(Leaves, fingerprint_of_a_point_depends_on_all_repeats_and_their_order) {
  const auto fingerprint = [](std::vector<RepeatMetrics> repeats) {
    return std::get<std::string>(*find_leaf(aggregate(std::move(repeats)), "fingerprint"));
  };
  const std::string both = fingerprint({full_metrics(1), full_metrics(2)});
  EXPECT_EQ(fingerprint({full_metrics(1)}), "00ff");
  EXPECT_EQ(fingerprint({full_metrics(1), full_metrics(2)}), both);
  EXPECT_NE(fingerprint({full_metrics(2), full_metrics(1)}), both);
  EXPECT_NE(fingerprint({full_metrics(1), full_metrics(1)}), both);
}

TEST(ResultsJson, leaves_are_nested_by_their_paths) {
  const Leaves leaves = {{"a.b", std::uint64_t{1}, Aggregation::sum},
                         {"a.c", MeanCi{0.1, std::nullopt}, Aggregation::mean},
                         {"d", std::monostate{}, Aggregation::mean},
                         {"e", std::string("00ff"), Aggregation::combined},
                         {"f", 2.0, Aggregation::greatest}};
  EXPECT_EQ(leaves_json(leaves),
            R"({"a":{"b":1,"c":{"mean":0.1,"ci95":null}},"d":null,"e":"00ff","f":2.0})");
}

TEST(ResultsJson, point_is_written_under_the_documented_names) {
  const std::string text = leaves_json(aggregate({full_metrics(1)}));
  for (const std::string name :
       {"goodput_ops_s", "cycle_ns", "acquire_read_ns", "p999", "age_mean_ns", "verbs_per_cycle",
        "cas_8", "phases_ns", "WP", "server_nic", "hottest_slot", "slot_wait_ns", "jain",
        "max_bypassed", "late_effects", "stationary", "simulated_s", "fingerprint"})
    EXPECT_NE(text.find("\"" + name + "\":"), std::string::npos) << name;
}

}  // namespace
}  // namespace latchlab

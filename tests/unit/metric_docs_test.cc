// Every number of results.json has an explanation, and every explanation is of an existing number.
#include "core/measure/metric_docs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "core/measure/leaves.h"
#include "tests/non_empty.h"

namespace latchlab {
namespace {

std::vector<std::string> metric_paths() {
  std::vector<std::string> paths;
  RepeatMetrics metrics;
  visit_metrics(metrics, [&](const std::string& path, auto& /*field*/,
                             Aggregation /*aggregation*/) { paths.emplace_back(path); });
  return paths;
}

TEST(MetricDocs, there_is_one_text_for_each_metric_in_the_order_of_the_results) {
  std::vector<std::string> documented;
  for (const MetricDoc& doc : metric_docs()) documented.push_back(doc.path);
  EXPECT_EQ(documented, metric_paths());
}

TEST(MetricDocs, every_leaf_of_the_results_is_explained) {
  RepeatMetrics metrics;
  metrics.verbs_per_cycle_detail["cas_8"] = 2;
  for (const Leaf& leaf : non_empty(repeat_leaves(metrics))) {
    const std::optional<MetricDoc> doc = metric_doc(leaf.path);
    ASSERT_TRUE(doc) << leaf.path;
    EXPECT_EQ(doc->path, leaf.path);
    EXPECT_FALSE(doc->says.empty() || doc->unit.empty() || doc->short_name.empty()) << leaf.path;
  }
}

TEST(MetricDocs, unknown_names_have_no_text) {
  for (const char* name : {"", "goodput", "goodput_ops_s.p99", "acquire_ns.p98", "acquire_ns.",
                           "phases_ns.read.XY", "window_law.clients.p99", "acquire_nsx"})
    EXPECT_FALSE(metric_doc(name)) << name;
}

TEST(MetricDocs, phases_are_listed_in_the_order_of_the_results) {
  std::vector<std::string> documented;
  for (const MetricDoc& doc : phase_docs()) documented.push_back(doc.path);
  std::vector<std::string> known(kPhaseNames.begin(), kPhaseNames.end());
  std::rotate(known.begin(), known.begin() + 1, known.end());
  EXPECT_EQ(documented, known);
}

TEST(MetricDocs, units_are_those_of_the_names) {
  EXPECT_EQ(metric_doc("acquire_ns.p99")->unit, "ns");
  EXPECT_EQ(metric_doc("acquire_ns.count")->unit, "1");
  EXPECT_EQ(metric_doc("window_law.clients")->unit, "1");
  EXPECT_EQ(metric_doc("window_law.idle_ps")->unit, "ps");
}

TEST(MetricDocs, short_names_are_unique) {
  std::set<std::string> names;
  for (const MetricDoc& doc : non_empty(metric_docs()))
    EXPECT_TRUE(names.insert(doc.short_name).second) << doc.short_name << " names two metrics";
}

}  // namespace
}  // namespace latchlab

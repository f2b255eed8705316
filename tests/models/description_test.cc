// What a calibration of a NIC writes, and whether a scenario can use it.

#include "models/measured/description.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>

#include "core/protocols/registry.h"
#include "core/scenario/scenario.h"
#include "models/measured/benchmarks.h"
#include "models/measured/probe.h"
#include "tests/non_empty.h"
#include "tests/paths.h"

namespace latchlab::description_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

Estimate some_estimate() {
  Estimate estimate;
  estimate.repeats = 8;
  estimate.found = {
      {"link.rate", 1e11, 0.99e11, 1.01e11, {}, {"link_rate"}},
      {"atomic.same_address", 341.2, 338.5, 343.9, {}, {"same_address"}},
      {"atomic.window", 72, 71, 73, {}, {"window", "same_address"}},
      {"qp.cache", 0.5, 0.49, 0.51, {{240, 1'000'000'000}, {960, 500'000'000}}, {"qps"}}};
  estimate.open = {{"latency.read", "what was measured only tells its sum with other constants"}};
  estimate.residuals = {{"same", "same_address", 341.2, 341, 0.1}};
  return estimate;
}

class Description : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto* info = ::testing::UnitTest::GetInstance()->current_test_info();
    dir_ = std::filesystem::path(::testing::TempDir()) / ("described_" + std::string(info->name()));
    std::filesystem::create_directories(dir_);
  }
  void TearDown() override { std::filesystem::remove_all(dir_); }

  Result<NicModel> load(const MeasuredWhere& where) {
    std::ofstream(dir_ / "mine.yaml") << nic_description(some_estimate(), where);
    return load_nic("mine.yaml", dir_.string(), {{LATCHLAB_SOURCE_DIR}});
  }

  std::filesystem::path dir_;
  MeasuredWhere where_{"mine",      "mlx5_0 (firmware 16.35)", "2026-11-25T19:00:00Z", false, false,
                       "connectx-5"};
};

TEST_F(Description, is_a_nic_with_undetermined_constants_from_its_base) {
  const auto nic = load(where_);
  ASSERT_TRUE(nic) << nic.error().text();
  EXPECT_EQ(nic.value().hold_8.ps, 341'200);
  EXPECT_EQ(nic.value().window, 72);
  EXPECT_EQ(nic.value().link_bits_per_s, 100'000'000'000);
  ASSERT_EQ(nic.value().qp_cache.size(), 2u);
  EXPECT_EQ(nic.value().qp_cache.back().qps, 960);
  int looked_at = 0;
  for (const ConstantOrigin& each : nic.value().origins) {
    looked_at += each.key == "atomic.same_address" || each.key == "latency.read" ? 1 : 0;
    if (each.key == "atomic.same_address") {
      EXPECT_EQ(each.status, ConstantStatus::fitted);
      EXPECT_EQ(each.low + " " + each.high, "338.5ns 343.9ns");
      EXPECT_EQ(each.source, "measured, 2026-11-25, benchmark same_address, 8 repeats");
    }
    if (each.key == "latency.read") {
      EXPECT_EQ(each.status, ConstantStatus::assumed);
    }
  }
  EXPECT_EQ(looked_at, 2);
}

TEST_F(Description, without_a_base_is_refused_for_the_constants_that_it_lacks) {
  where_.base.clear();
  const auto nic = load(where_);
  ASSERT_FALSE(nic);
  EXPECT_THAT(nic.error().text(), HasSubstr("is missing"));
}

TEST_F(Description, reports_device_open_constants_and_residuals) {
  const std::string text = nic_description(some_estimate(), where_);
  EXPECT_THAT(text,
              HasSubstr("# mine: measured by latchlab calibrate on mlx5_0 (firmware 16.35)."));
  EXPECT_THAT(text, HasSubstr("# latency.read                         what was measured only"));
  EXPECT_THAT(text, HasSubstr("# same                           341.20       341.00    +2.0"));
  EXPECT_THAT(text, Not(HasSubstr("software")));
}

TEST_F(Description, has_a_file_for_software_that_learns_of_completions_by_event) {
  Estimate estimate = some_estimate();
  EXPECT_THAT(nic_description(estimate, where_), Not(HasSubstr("completions")));
  estimate.event_completion = {"event.completion", 8200, 8100, 8300, {}, {"events"}};
  EXPECT_THAT(measured_report(estimate, where_, {}), HasSubstr("latency.completion, by event"));
  std::istringstream text(nic_description(estimate, where_));
  std::ofstream stack(dir_ / "mine-events.yaml");
  bool began = false;
  for (std::string line; std::getline(text, line);) {
    began = began || line.starts_with("# name: mine-events");
    if (began && line.starts_with("# ")) stack << line.substr(2) << "\n";
  }
  stack.close();
  const auto scenario =
      parse_scenario({"schema: 1\nname: s\nplatform: {software: mine-events.yaml}\nprotocol: cas\n",
                      "s.yaml", dir_.string()},
                     {}, protocol_infos(), {{LATCHLAB_SOURCE_DIR}});
  ASSERT_TRUE(scenario) << scenario.error().text();
  EXPECT_EQ(scenario.value().points.front().platform.nic.completion.ps, 8'200'000);
  EXPECT_TRUE(scenario.value().points.front().platform.by_event);
}

TEST_F(Description, of_a_software_device_says_so_in_every_source) {
  where_.software = true;
  const auto nic = load(where_);
  ASSERT_TRUE(nic);
  int fitted = 0;
  for (const ConstantOrigin& each : nic.value().origins)
    if (each.status == ConstantStatus::fitted) {
      EXPECT_THAT(each.source, HasSubstr("software"));
      ++fitted;
    }
  EXPECT_GT(fitted, 0);
  EXPECT_THAT(nic_description(some_estimate(), where_), HasSubstr("\n# The device is software."));
}

TEST_F(Description, of_one_machine_does_not_describe_the_network) {
  Estimate estimate = some_estimate();
  leave_the_network_open(estimate);
  EXPECT_EQ(estimate.find("link.rate"), nullptr);
  EXPECT_EQ(estimate.open.back().key, "link.rate");
  EXPECT_NE(estimate.find("atomic.same_address"), nullptr);
}

TEST_F(Description, perftest_results_are_printed_beside_the_estimates) {
  const auto perftest = read_perftest("# ib_atomic_lat\nsame, 350\n\nread_8, 1790\n", "p.csv");
  ASSERT_TRUE(perftest) << perftest.error().text();
  EXPECT_THAT(measured_report(some_estimate(), where_, perftest.value()), HasSubstr("350.00\n"));
  EXPECT_THAT(read_perftest("same 350\n", "p.csv").error().text(),
              HasSubstr("p.csv:1: 'same 350'"));
  EXPECT_THAT(read_perftest("\nsome, 350\n", "p.csv").error().text(), HasSubstr("p.csv:2:"));
}

TEST(Benchmarks, are_left_out_by_name_by_label_and_in_quick_runs) {
  MeasureOptions options;
  options.without = {"read_latency"};
  options.not_here = {"masked_cas_16"};
  options.quick = true;
  const std::string scenario = measuring_scenario(options);
  EXPECT_THAT(scenario, HasSubstr("label: write_8,"));
  EXPECT_THAT(scenario, HasSubstr("label: masked_cas_8,"));
  for (const char* label : {"read_8", "masked_cas_16", "qps_240"})
    EXPECT_THAT(scenario, Not(HasSubstr(std::string("label: ") + label + ",")));
}

TEST(Benchmarks, need_of_a_backend_what_their_verb_needs) {
  const ProtocolEntry probe = verb_probe_entry();
  const auto needs_of = [&](const std::string& verb) {
    ParamSet params(probe.info.params);
    params.set("verb", verb);
    return probe.make(params)->needs();
  };
  EXPECT_THAT(needs_of("send"), ElementsAre(Capability::reliable_messages));
  EXPECT_THAT(needs_of("ping"), ElementsAre(Capability::reliable_messages));
  EXPECT_THAT(needs_of("call"), ElementsAre(Capability::calls));
  EXPECT_THAT(needs_of("load"), ElementsAre(Capability::local_words));
  EXPECT_THAT(needs_of("visit"), ElementsAre(Capability::node_state));
  EXPECT_THAT(needs_of("masked_faa"), ElementsAre(Capability::masked_atomics_8));
  EXPECT_THAT(needs_of("cas"), IsEmpty());
}

TEST(Benchmarks, have_points_with_unique_names_and_few_nodes) {
  std::set<std::string> labels;
  for (const Benchmark& benchmark : non_empty(benchmarks()))
    for (const ProbePoint& point : non_empty(benchmark.points)) {
      EXPECT_TRUE(labels.insert(point.label).second) << point.label;
      EXPECT_EQ(benchmark_of(point.label), &benchmark);
      EXPECT_LE(point.nodes(), 5u) << point.label;
    }
}

}  // namespace
}  // namespace latchlab::description_test

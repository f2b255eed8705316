// Sections that are longer than their grant: they are no goodput, in any workload, and the law of
// the window still holds.

#include "tests/simgrid/runs.h"

namespace latchlab::simtest {
namespace {

std::string with_lease(const char* lease, const std::string& workload) {
  return "run: {warmup: 1ms, duration: 20ms}\nplatform: {client_nodes: 2, clients_per_node: 2}\n"
         "protocol: {name: dslr, lease: " +
         std::string(lease) + "}\nworkload: " + workload + "\n";
}

Point of(const std::string& text) {
  const ScenarioSource source{"schema: 1\nname: w\n" + text, "w", LATCHLAB_SOURCE_DIR};
  auto scenario = parse_scenario(source, {}, protocol_infos(), DataDirs{{LATCHLAB_SOURCE_DIR}});
  if (!scenario) {
    ADD_FAILURE() << scenario.error().text();
    return {};
  }
  return scenario.value().points.front();
}

void expect_cut(const std::string& text, bool all) {
  const RepeatOutcome outcome = outcome_of(of(text));
  ASSERT_EQ(outcome.status, RepeatStatus::ok) << outcome.message;
  const RepeatMetrics& metrics = outcome.metrics;
  EXPECT_TRUE(metrics.window_law.holds());
  const std::uint64_t cycles = metrics.cycle.count();
  ASSERT_GT(cycles, 10U);
  EXPECT_EQ(metrics.window_law.counted_cycles, cycles);
  EXPECT_EQ(metrics.cut_sections, all ? cycles : 0U);
  EXPECT_NEAR(*metrics.goodput_ops_s * 0.02, static_cast<double>(cycles - *metrics.cut_sections),
              1e-6);
}

const char* const kTransactions =
    "{kind: transactions, transactions: {kind: smallbank, accounts: 100}, "
    "critical_section: 100us}";

TEST(CutSections, are_no_goodput_in_any_kind_of_work) {
  for (const char* work :
       {"{critical_section: 100us}", "{critical_section: {remote_ops: 60, bytes: 8B}}",
        kTransactions, "{kind: index, index: {keys: 1000}, critical_section: 100us}",
        "{kind: object_store, objects: 414B, critical_section: 100us}"}) {
    SCOPED_TRACE(work);
    expect_cut("locks: {count: 1k}\n" + with_lease("50us", work), true);
    expect_cut("locks: {count: 1k}\n" + with_lease("10ms", work), false);
  }
}

TEST(CutSections, of_ranges_are_no_goodput) {
  const std::string head =
      "run: {warmup: 1ms, duration: 20ms}\nplatform: {client_nodes: 2, clients_per_node: 2}\n"
      "workload: {kind: range, units: 1k, critical_section: 100us}\n";
  expect_cut(head + "protocol: {name: static_segments, units: 1k, lease: 50us}\n", true);
  expect_cut(head + "protocol: {name: static_segments, units: 1k, lease: 10ms}\n", false);
}

// The CPU pauses for longer than the lease in the middle of the work.
TEST(CutSections, include_sections_that_a_pause_prolongs_beyond_their_grant) {
  const std::string text =
      with_lease("1ms", "{critical_section: 100us, think_time: 1ms}") + "locks: {count: 1k}\n";
  EXPECT_EQ(outcome_of(of(text)).metrics.cut_sections, 0U);
  const RepeatMetrics paused =
      outcome_of(of(text + "faults: [{kind: pause, rate: 500, length: 2ms}]\n")).metrics;
  EXPECT_GT(paused.cut_sections, 0U);
  EXPECT_LT(paused.cut_sections, paused.cycle.count());
  EXPECT_TRUE(paused.window_law.holds());
}

}  // namespace
}  // namespace latchlab::simtest

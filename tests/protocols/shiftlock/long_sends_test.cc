// ShiftLock while RC retries SENDs for hundreds of milliseconds, to a crashed node or over a path
// that is cut. Meanwhile the lock is recovered, more than once.

#if LATCHLAB_WITH_SIMGRID
#include <gtest/gtest.h>

#include "tests/simgrid/runs.h"

namespace latchlab::shiftlock_tests {
namespace {

// In a process of its own, with the given faults; `protocol` follows the lock's name.
RepeatMetrics outcome(const std::string& scenario, const std::string& protocol,
                      std::uint64_t seed = 1) {
  const ScenarioSource source{
      "schema: 1\nname: w\n" + scenario + "protocol: {name: shiftlock" + protocol + "}\n", "w",
      LATCHLAB_SOURCE_DIR};
  auto parsed = parse_scenario(source, {}, protocol_infos(), DataDirs{{LATCHLAB_SOURCE_DIR}});
  if (!parsed) {
    ADD_FAILURE() << parsed.error().text();
    return {};
  }
  Point point = parsed.value().points.front();
  point.run.seed = seed;
  const RepeatOutcome ended = simtest::outcome_of(point);
  EXPECT_NE(ended.status, RepeatStatus::failed) << ended.message;
  return ended.metrics;
}

// ---- two crashes, and no paused client ----

const char* const kTwoCrashes = R"(
platform: {nic: connectx-5, servers: 1, client_nodes: 4, clients_per_node: 2}
locks: {count: 1}
workload:
  critical_section: 8ms
  arrivals:
    kind: script
    list:
      - {at: 10ms, client: 6, lock: 0, mode: exclusive}   # holds; its node dies at 12 ms
      - {at: 13ms, client: 2, lock: 0, mode: exclusive}   # its SEND to the dead node is retried
      - {at: 14ms, client: 0, lock: 0, mode: exclusive}   # recovers the lock
      - {at: 100ms, client: 4, lock: 0, mode: exclusive}  # holds; dies at 102 ms
      - {at: 103ms, client: 1, lock: 0, mode: exclusive}  # recovers the lock again
      - {at: 516ms, client: 5, lock: 0, mode: exclusive}  # finds the lock free
faults:
  - {kind: node_crash, node: 4, at: 12ms}
  - {kind: client_crash, client: 4, at: 102ms}
run: {warmup: 0us, duration: 700ms, seed: 1, repeats: 1, on_violation: record}
)";

TEST(ShiftlockLongSends, a_writer_that_outwaits_two_recoveries_in_a_send_starts_again) {
  const RepeatMetrics seen = outcome(kTwoCrashes, "");
  EXPECT_EQ(seen.safety.violations, 0U);
  EXPECT_EQ(seen.acquire_write.count(),
            6U);  // each client acquires the lock, two of them crash as its holders
  EXPECT_EQ(seen.cycle.count(), 4U);
  EXPECT_EQ(seen.recoveries, 2U);
}

TEST(ShiftlockLongSends, a_writer_that_outwaits_two_recoveries_as_printed_resets_a_held_lock) {
  EXPECT_GT(outcome(kTwoCrashes, ", recovery_bits: 1").safety.violations, 0U);
}

// ---- a path between two nodes is cut ----

std::string cut_path(const char* length) {
  return std::string(R"(
platform: {nic: connectx-5, servers: 1, client_nodes: 4, clients_per_node: 2}
locks: {count: 1}
workload: {critical_section: 6ms, think_time: {kind: exponential, mean: 60ms}}
faults:
  - {kind: link_down, node: 2, to: 3, at: 20ms, for: )") +
         length + R"(}
run: {warmup: 0us, duration: 3s, repeats: 1, on_violation: record}
)";
}

struct CutRuns {
  std::uint64_t violations = 0;
  double longest_wait_ns = 0;  // of what is open at the end, 2 s after the path is back
  std::uint64_t recoveries = 0;
};

CutRuns cut(const char* length, const std::string& protocol, std::uint64_t seeds) {
  CutRuns all;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    const RepeatMetrics seen = outcome(cut_path(length), protocol, seed);
    all.violations += seen.safety.violations.value_or(0);
    all.recoveries += seen.recoveries.value_or(0);
    all.longest_wait_ns = std::max(all.longest_wait_ns, seen.open.age_max_ns.value_or(0));
  }
  return all;
}

TEST(ShiftlockLongSends, a_path_that_is_cut_between_nodes_breaks_nothing) {
  for (const char* length : {"900ms", "200ms", "100ms"}) {
    const CutRuns seen = cut(length, "", 6);
    EXPECT_EQ(seen.violations, 0U) << length;
    EXPECT_LT(seen.longest_wait_ns, 1e9) << length << ": a client waits for ever";
    EXPECT_GT(seen.recoveries, 0U) << length;
  }
}

TEST(ShiftlockLongSends, a_path_that_is_cut_between_nodes_breaks_the_lock_as_printed) {
  EXPECT_GT(cut("900ms", ", recovery_bits: 1", 6).violations, 0U);
}

}  // namespace
}  // namespace latchlab::shiftlock_tests
#endif

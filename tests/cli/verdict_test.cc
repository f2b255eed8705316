// Locks that break, hang or starve: what is told, and with which exit code.
#include <gmock/gmock.h>

#include "tests/cli/program.h"

namespace latchlab::cli_test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class Verdict : public Command {
 protected:
  // Eight clients on one lock, once per protocol of the list.
  Finished run(const std::string& protocols, const std::string& rest = "",
               const std::vector<std::string>& more = {}) {
    write("hard.yaml",
          "schema: 1\nname: hard\nplatform: {client_nodes: 1, clients_per_node: 8}\n"
          "locks: {count: 1}\nworkload: {read_ratio: 30%, critical_section: 20us}\n"
          "run: {warmup: 1ms, duration: 2ms}\nsweep: {grid: {protocol: " +
              protocols + "}}\n" + rest);
    std::vector<std::string> arguments = {"run", "hard.yaml", "--out", "r"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return latchlab(arguments);
  }
  Json point(std::size_t index) const { return json("r/results.json")["points"][index]; }
};

// The published code neither fences late releases nor carries what a lease of 5 us would need.
const char* const kUnsafe = "{name: shiftlock, profile: artifact, lease: 5us, label: hasty}";
const char* const kForgetful = "faults: [{kind: skip_release, probability: 20%}]\n";

TEST_F(Verdict, a_violation_fails_the_run_and_leaves_other_points_alone) {
  const Finished finished = run("[" + std::string(kUnsafe) + ", {name: shiftlock}]");
  EXPECT_EQ(finished.code, 1);
  EXPECT_THAT(finished.err, HasSubstr("point 0 (hasty): unsafe: client "));
  EXPECT_THAT(finished.out, HasSubstr(" UNSAFE\n"));
  EXPECT_EQ(point(0)["status"], "unsafe");
  EXPECT_GT(number_at(point(0)["metrics"], "safety.violations"), 0);
  EXPECT_EQ(point(1)["status"], "ok");
  EXPECT_EQ(number_at(point(1)["metrics"], "safety.violations"), 0);
  EXPECT_GT(number_at(point(1)["metrics"], "goodput_ops_s"), 0);
}

TEST_F(Verdict, violations_can_be_counted_to_the_end) {
  const Finished finished =
      run("[" + std::string(kUnsafe) + "]", "", {"--set", "run.on_violation=record"});
  EXPECT_EQ(finished.code, 1);
  EXPECT_EQ(point(0)["status"], "unsafe");
  EXPECT_DOUBLE_EQ(number_at(point(0)["metrics"], "engine.simulated_s"), 0.003);
}

TEST_F(Verdict, a_deadlock_fails_the_run_even_if_quiet) {
  const Finished finished = run("[{name: mcs}]", kForgetful, {"--quiet"});
  EXPECT_EQ(finished.code, 1);
  EXPECT_EQ(finished.out, "");
  EXPECT_THAT(finished.err, HasSubstr("point 0 (mcs): stuck: deadlock: all 8 live clients wait"));
  EXPECT_EQ(point(0)["status"], "stuck");
}

TEST_F(Verdict, everybody_waiting_through_the_whole_window_is_a_hang) {
  const Finished finished = run("[{name: cas, backoff: none}]", kForgetful);
  EXPECT_EQ(finished.code, 1);
  EXPECT_THAT(finished.err, HasSubstr("point 0 (cas): stuck: hang: all 8 live clients waited for "
                                      "one lock each through the whole window of 2ms"));
  EXPECT_EQ(point(0)["status"], "stuck");
}

TEST_F(Verdict, some_clients_waiting_through_the_whole_window_are_a_warning) {
  const Finished finished =
      run("[{name: cas, backoff: none}]", "faults: [{kind: skip_release, probability: 2%}]\n",
          {"--set", "locks.count=300"});
  EXPECT_EQ(finished.code, 0);
  EXPECT_THAT(finished.err, HasSubstr("warning: point 0 (cas): starved: "));
  EXPECT_THAT(finished.out, HasSubstr(" starved\n"));
  EXPECT_EQ(point(0)["status"], "starved");
}

TEST_F(Verdict, holders_and_crashed_clients_do_not_wait) {
  const Finished finished =
      run("[{name: cas, backoff: none}]", "faults: [{kind: client_crash, at: 500us, client: 3}]\n",
          {"--set", "locks.count=1k", "--set", "workload.critical_section=3ms"});
  EXPECT_EQ(finished.code, 0);
  EXPECT_THAT(finished.err, Not(HasSubstr("starved")));
  EXPECT_EQ(point(0)["status"], "ok");
}

TEST_F(Verdict, a_lock_that_recovers_is_fine) {
  const Finished finished =
      run("[{name: dslr, lease: 100us}, {name: shiftlock, lease: 100us}]",
          "faults: [{kind: skip_release, probability: 2%}]\n", {"--set", "run.duration=10ms"});
  EXPECT_EQ(finished.code, 0) << finished.err;
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(point(i)["status"], "ok");
    EXPECT_GT(number_at(point(i)["metrics"], "recoveries"), 0);
  }
}

}  // namespace
}  // namespace latchlab::cli_test

// Locks that break, hang or starve clients: what the program reports, and with which exit code.
#include <gmock/gmock.h>

#include <filesystem>

#include "tests/cli/program.h"

namespace latchlab::cli_test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class Verdict : public Command {
 protected:
  // Eight clients on one lock, one point for each protocol of the list.
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

TEST_F(Verdict, a_violation_fails_the_run_and_does_not_affect_other_points) {
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

TEST_F(Verdict, violations_can_be_recorded_until_the_end_of_the_run) {
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

TEST_F(Verdict, no_progress_is_reported_if_all_clients_wait_through_the_window) {
  const Finished finished = run("[{name: cas, backoff: none}]", kForgetful);
  EXPECT_EQ(finished.code, 1);
  EXPECT_THAT(finished.err, HasSubstr("point 0 (cas): no progress: all 8 live clients waited for "
                                      "one lock each through the whole window of 2ms"));
  EXPECT_THAT(finished.out, HasSubstr(" NO PROGRESS\n"));
  EXPECT_EQ(point(0)["status"], "no progress");
}

// ---- windows in which no cycle ends ----

TEST_F(Verdict, slowness_is_not_reported_as_a_deadlock) {
  const Finished finished =
      run("[{name: mcs}]", "",
          {"--set", "platform.nic={base: connectx-5, atomic.same_address: 10s}", "--quiet"});
  EXPECT_EQ(finished.code, 1);
  EXPECT_EQ(point(0)["status"], "no progress");
  EXPECT_THAT(finished.err, HasSubstr("no cycle of the 8 live clients ended in the window of 2ms, "
                                      "nor in the 48ms after it"));
}

TEST_F(Verdict, a_first_cycle_longer_than_the_window_is_a_window_too_short) {
  const Finished finished =
      run("[{name: mcs}]", "", {"--set", "platform.nic={base: connectx-5, dc.connect: 5ms}"});
  EXPECT_EQ(finished.code, 0);
  EXPECT_EQ(point(0)["status"], "window too short");
  EXPECT_THAT(finished.out, HasSubstr(" window too short\n"));
  EXPECT_THAT(finished.err, HasSubstr("warning: point 0 (mcs): window too short: no cycle ended in "
                                      "the window of 2ms, and "));
}

// Its one section ends 200 us after the window.
TEST_F(Verdict, of_a_window_that_is_a_little_too_short_proposes_twice_its_length) {
  const Finished finished =
      run("[{name: mcs}]", "",
          {"--set", "platform.clients_per_node=1", "--set", "workload.critical_section=3200us"});
  EXPECT_EQ(point(0)["status"], "window too short");
  EXPECT_THAT(finished.err, HasSubstr(" after it: set run.duration to 4ms\n"));
}

// A window of the reported length is long enough.
TEST_F(Verdict, a_window_too_short_for_the_queue_is_reported_with_a_sufficient_length) {
  const std::vector<std::string> crowd = {"--quiet",
                                          "--set",
                                          "workload.critical_section=0us",
                                          "--set",
                                          "platform.clients_per_node=2000",
                                          "--set",
                                          "run.warmup=0us"};
  std::vector<std::string> brief = crowd;
  brief.insert(brief.end(), {"--set", "run.duration=50us"});
  const Finished finished = run("[{name: mcs}]", "", brief);
  EXPECT_EQ(finished.code, 0);
  ASSERT_EQ(point(0)["status"], "window too short");
  EXPECT_EQ(number_at(point(0)["metrics"], "goodput_ops_s"), 0);
  const std::string said = point(0)["repeats"][0]["message"];
  const std::size_t at = said.find("set run.duration to ");
  ASSERT_NE(at, said.npos) << said;
  std::filesystem::remove_all(path("r"));
  std::vector<std::string> longer = crowd;
  longer.insert(longer.end(), {"--set", "run.duration=" + said.substr(at + 20)});
  EXPECT_EQ(run("[{name: mcs}]", "", longer).code, 0);
  EXPECT_EQ(point(0)["status"], "ok");
  EXPECT_GT(number_at(point(0)["metrics"], "goodput_ops_s"), 0);
}

// One of eight clients holds the lock at 10 us. When that client crashes, no other client acquires
// it.
TEST_F(Verdict, a_lock_whose_first_holder_crashes_makes_no_progress_without_a_warm_up_too) {
  int stands_still = 0;
  for (int client = 0; client < 8; ++client) {
    const Finished finished =
        run("[{name: cas, backoff: none}]",
            "faults: [{kind: client_crash, at: 10us, client: " + std::to_string(client) + "}]\n",
            {"--set", "run.warmup=0us", "--set", "workload.critical_section=50us"});
    const bool hangs = point(0)["status"] == "no progress";
    EXPECT_EQ(finished.code, hangs ? 1 : 0) << client;
    EXPECT_EQ(number_at(point(0)["metrics"], "goodput_ops_s") == 0, hangs) << client;
    EXPECT_EQ(finished.err.find("no cycle of the 7 live clients") != std::string::npos, hangs);
    stands_still += hangs ? 1 : 0;
    std::filesystem::remove_all(path("r"));
  }
  EXPECT_EQ(stands_still, 1);
}

const char* const kKnown =
    "known: [{where: {label: cas}, verdict: no progress, why: releases are forgotten}]\n";

TEST_F(Verdict, a_known_verdict_is_reported_as_known_and_does_not_fail_the_run) {
  const Finished finished = run("[{name: cas, backoff: none}]", std::string(kForgetful) + kKnown);
  EXPECT_EQ(finished.code, 0);
  EXPECT_THAT(finished.out, HasSubstr(" NO PROGRESS (known)\n"));
  EXPECT_THAT(finished.out, HasSubstr("\nKnown of 1 of 1 points (cas): no progress. "));
  EXPECT_THAT(finished.err, HasSubstr("latchlab: known: point 0 (cas): no progress: "));
  EXPECT_THAT(finished.err, HasSubstr(" (known: releases are forgotten)\n"));
  EXPECT_EQ(point(0)["known"], "releases are forgotten");
  ASSERT_EQ(latchlab({"report", "r", "--out", "page.html"}).code, 0);  // from the files alone
  EXPECT_THAT(read("page.html"), HasSubstr("\"known\":\"releases are forgotten\""));
}

// Points 3 to 5 are of the lock whose writers leave when they are alone, with 0%, 50% and 90%
// reads; with 90% the outcome depends on the seed.
TEST_F(Verdict, readers_that_fail_delay_a_writer_that_leaves_when_alone) {
  const Finished finished =
      latchlab({"run", "whatif/held-up", "--out", "r", "--quiet", "--set", "run.duration=5ms",
                "--set", "run.warmup=1ms", "--set", "run.repeats=1"});
  EXPECT_EQ(finished.code, 0) << finished.err;
  EXPECT_EQ(point(3)["status"], "ok");
  EXPECT_EQ(point(4)["status"], "no progress");
  EXPECT_TRUE(point(4).contains("known"));
  for (const std::size_t other : {0, 1, 2, 3, 6, 7, 8, 9, 10, 11, 12, 13, 14})
    EXPECT_GT(number_at(point(other)["metrics"], "goodput_ops_s"), 0) << other;
}

TEST_F(Verdict, a_known_verdict_excuses_no_other_verdict_and_no_other_point) {
  const std::string rest = std::string(kForgetful) + kKnown;
  EXPECT_EQ(run("[{name: cas, backoff: none}, {name: mcs}]", rest).code, 1);
  EXPECT_FALSE(point(1).contains("known"));
  std::filesystem::remove_all(path("r"));
  EXPECT_EQ(run("[{name: mcs, label: cas}]", rest).code, 1);
  EXPECT_EQ(point(0)["status"], "stuck");
  EXPECT_FALSE(point(0).contains("known"));
}

TEST_F(Verdict, a_starved_client_gives_a_warning) {
  const Finished finished =
      run("[{name: cas, backoff: none}]", "faults: [{kind: skip_release, probability: 2%}]\n",
          {"--set", "locks.count=300"});
  EXPECT_EQ(finished.code, 0);
  EXPECT_THAT(finished.err, HasSubstr("warning: point 0 (cas): starved: "));
  EXPECT_THAT(finished.out, HasSubstr(" starved"));
  EXPECT_EQ(point(0)["status"], "starved");
}

TEST_F(Verdict, clients_whose_core_is_fully_busy_are_reported_as_client_bound) {
  const std::vector<std::string> crowd = {"--set", "platform.cores=1",
                                          "--set", "platform.clients_per_node=64",
                                          "--set", "workload.critical_section=0us",
                                          "--set", "locks.count=10k"};
  const Finished finished = run("[{name: mcs}, {name: dslr}]", "", crowd);
  EXPECT_EQ(finished.code, 0);
  EXPECT_THAT(finished.out, HasSubstr(" client-bound"));
  EXPECT_THAT(finished.out, HasSubstr("mcs keeps the clients' own cores busy all the time"));
  EXPECT_THAT(finished.out, Not(HasSubstr("highest goodput")));
  EXPECT_GT(number_at(point(0)["metrics"], "client_cpu.utilisation"), 0.98);
}

TEST_F(Verdict, holders_and_crashed_clients_are_not_reported_as_starved) {
  const Finished finished =
      run("[{name: cas, backoff: none}]", "faults: [{kind: client_crash, at: 500us, client: 3}]\n",
          {"--set", "locks.count=1k", "--set", "workload.critical_section=3ms", "--set",
           "run.duration=2500us"});
  EXPECT_EQ(finished.code, 0);
  EXPECT_THAT(finished.err, Not(HasSubstr("starved")));
  EXPECT_EQ(point(0)["status"], "ok");
}

TEST_F(Verdict, a_lock_that_recovers_gives_no_verdict) {
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

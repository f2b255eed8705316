// Numbers in results.json whose exact values are known in advance.
#include <gmock/gmock.h>

#include "tests/cli/program.h"
#include "tests/non_empty.h"

namespace latchlab::cli_test {
namespace {

class Counts : public Command {
 protected:
  Json run(const std::string& text) {
    write("s.yaml", "schema: 1\nname: s\n" + text);
    const Finished finished = latchlab({"run", "s.yaml", "--quiet", "--out", "r"});
    EXPECT_EQ(finished.code, 0) << finished.err;
    return json("r/results.json")["points"];
  }
};

double verbs(const Json& metrics) {
  double all = 0;
  for (const char* verb : {"read", "write", "atomic", "send", "call"})
    all += number_at(metrics, std::string("verbs_per_cycle.") + verb);
  return all;
}

double phases(const Json& metrics, const std::string& kind) {
  double sum = 0;
  for (const auto& [phase, value] : at_path(metrics, "phases_ns." + kind).items())
    sum += value.is_number() ? value.get<double>() : 0;
  return sum;
}

// Two one-sided verbs, no message, one round trip each; their latencies are the whole cycle.
TEST_F(Counts, an_uncontended_lock_costs_two_verbs) {
  const Json points =
      run("locks: {count: 1}\nrun: {warmup: 100us, duration: 1ms}\n"
          "sweep: {grid: {protocol.name: [cas, mcs, dslr, shiftlock], "
          "workload.read_ratio: [0%, 100%]}}\n");
  ASSERT_EQ(points.size(), 8u);
  for (const Json& point : points) {
    SCOPED_TRACE(dump_json(point["axes"]));
    const Json& metrics = point["repeats"][0]["metrics"];
    const bool shared = point["axes"]["workload.read_ratio"] == "100%";
    EXPECT_EQ(
        number_at(metrics, "verbs_per_cycle.atomic") + number_at(metrics, "verbs_per_cycle.read"),
        2);
    EXPECT_EQ(verbs(metrics), 2);
    EXPECT_EQ(number_at(metrics, "retry_share"), 0);
    EXPECT_EQ(number_at(metrics, "fairness.max_bypassed"), 0);
    const std::string kind = shared ? "read" : "write";
    const double acquire = number_at(metrics, "acquire_" + kind + "_ns.mean");
    EXPECT_NEAR(phases(metrics, kind), acquire, 1e-6 * acquire);
    EXPECT_NEAR(number_at(metrics, "phases_ns." + kind + ".IA"), acquire, 1e-6 * acquire);
    EXPECT_EQ(number_at(metrics, "waited_share." + kind), 0);
    EXPECT_NEAR(phases(metrics, "release"), number_at(metrics, "release_ns.mean"), 1e-3);
    const bool has_shared_mode = point["label"] == "dslr" || point["label"] == "shiftlock";
    EXPECT_EQ(number_at(metrics, "shared_as_exclusive") > 0, shared && !has_shared_mode);
  }
}

constexpr const char* kBusy =
    "platform: {client_nodes: 2, clients_per_node: 3}\nlocks: {count: 3}\n"
    "workload: {read_ratio: 50%, think_time: 500ns}\n"
    "run: {warmup: 500us, duration: 15ms}\n"
    "sweep: {grid: {protocol.name: [cas, mcs, dslr, shiftlock]}}\n";

TEST_F(Counts, the_law_of_the_window_holds_to_the_picosecond) {
  for (const Json& point : non_empty(run(kBusy))) {
    const Json& law = point["repeats"][0]["metrics"]["window_law"];
    const auto value = [&](const char* name) { return law[name].get<std::int64_t>(); };
    EXPECT_EQ(value("clients"), 6);
    EXPECT_EQ(value("duration_ps"), 15'000'000'000);
    EXPECT_EQ(value("counted_lengths_ps"), value("clients") * value("duration_ps") +
                                               value("ages_at_start_ps") - value("ages_at_end_ps") -
                                               value("idle_ps"));
    EXPECT_EQ(value("counted_cycles"),
              at_path(point["repeats"][0]["metrics"], "cycle_ns.count").get<std::int64_t>());
  }
}

// Every acquisition either waited or got the lock with its first atomic.
TEST_F(Counts, phases_of_acquisitions_that_waited_exclude_the_first_atomic) {
  for (const Json& point : non_empty(run(kBusy))) {
    SCOPED_TRACE(point["label"].get<std::string>());
    const Json& metrics = point["repeats"][0]["metrics"];
    for (const std::string kind : {"read", "write"}) {
      const double share = number_at(metrics, "waited_share." + kind);
      EXPECT_GT(share, 0);
      EXPECT_LT(share, 1);
      for (const char* phase : {"RT", "NP", "WP", "WR", "WW"}) {
        const double all = number_at(metrics, "phases_ns." + kind + "." + phase);
        EXPECT_NEAR(share * number_at(metrics, "phases_waited_ns." + kind + "." + phase), all,
                    1e-6 * all);
      }
    }
  }
}

// A client that does not get the lock at once has made two attempts and a pause by then; its IA
// phase is the one atomic that follows.
TEST_F(Counts, failed_attempts_count_as_retries) {
  const std::string rest = std::string(kBusy).substr(0, std::string(kBusy).find("sweep:"));
  const Json points = run(rest + "protocol: {name: shiftlock, profile: artifact}\n");
  const Json& metrics = points[0]["repeats"][0]["metrics"];
  EXPECT_GT(number_at(metrics, "phases_waited_ns.write.RT"), 2 * 1800 + 1862);
  EXPECT_LT(number_at(metrics, "phases_waited_ns.write.IA"), 2 * 1800);
  EXPECT_GT(number_at(metrics, "phases_ns.read.IA"), 1800);
  EXPECT_EQ(number_at(metrics, "phases_ns.read.RT"), 0);
}

TEST_F(Counts, the_number_of_clients_is_goodput_times_the_mean_cycle) {
  for (const Json& point : non_empty(run(kBusy))) {
    const Json& metrics = point["metrics"];
    EXPECT_GT(number_at(metrics, "cycle_ns.count"), 6 * 1'000);
    const double clients =
        number_at(metrics, "goodput_ops_s") * number_at(metrics, "cycle_ns.mean") * 1e-9;
    EXPECT_NEAR(clients, 6, 0.06) << point["label"];
    EXPECT_DOUBLE_EQ(number_at(metrics, "engine.simulated_s"), 0.0155);
  }
}

}  // namespace
}  // namespace latchlab::cli_test

// The estimate of a run's cost before it runs: estimated verbs against posted verbs.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <string>

#include "tests/cli/program.h"

namespace latchlab::cli_test {
namespace {

class Estimate : public Command {
 protected:
  // Estimated verbs divided by posted verbs, over all points and repeats.
  double ratio_of(const std::string& scenario) {
    write("s.yaml", scenario);
    const Finished checked = latchlab({"check", "s.yaml", "--json"});
    EXPECT_EQ(checked.code, 0) << checked.err;
    const Finished ran =
        latchlab({"run", "s.yaml", "--json", "--out", "r" + std::to_string(++runs_)});
    EXPECT_EQ(ran.code, 0) << ran.err;
    const Json points = parse_json(ran.out)["points"];
    EXPECT_FALSE(points.empty());
    double posted = 0;
    for (const Json& point : points) posted += number_at(point["metrics"], "engine.verbs");
    return parse_json(checked.out)["estimate"]["verbs"].get<double>() / posted;
  }
  // 40 clients.
  static std::string scenario(const std::string& protocol, const std::string& rest) {
    return "schema: 1\nname: s\nplatform: {client_nodes: 4, clients_per_node: 10}\nprotocol: " +
           protocol + "\n" + rest;
  }
  int runs_ = 0;
};

const char* const kCold = "locks: {count: 1M}\nrun: {warmup: 200us, duration: 1ms}\n";
const char* const kHot = "locks: {count: 1}\nrun: {warmup: 200us, duration: 1ms}\n";

void expect_within_twice(double ratio, const std::string& what) {
  EXPECT_GT(ratio, 0.5) << what;
  EXPECT_LT(ratio, 2.0) << what;
}

TEST_F(Estimate, of_locks_without_contention_is_within_a_factor_of_two) {
  for (const char* lock :
       {"{name: cas}", "{name: mcs}", "{name: dslr}", "{name: cql}", "{name: rpc}"})
    expect_within_twice(ratio_of(scenario(lock, kCold)), lock);
}

TEST_F(Estimate, of_one_hot_lock_is_within_a_factor_of_two) {
  for (const char* lock : {"{name: cas, backoff: none}", "{name: mcs}", "{name: cql}",
                           "{name: shiftlock}", "{name: traditional}", "{name: dslr}"})
    expect_within_twice(
        ratio_of(scenario(lock, std::string(kHot) + "workload: {read_ratio: 0%}\n")), lock);
}

TEST_F(Estimate, of_skewed_locks_and_long_sections_is_within_a_factor_of_two) {
  const std::string skewed =
      "locks: {count: 1M}\nrun: {warmup: 200us, duration: 2ms}\n"
      "workload: {distribution: {kind: zipf, theta: 0.99}, read_ratio: 50%}\n";
  const std::string few = "locks: {count: 16}\n" + skewed.substr(skewed.find('\n') + 1);
  const std::string sections =
      "locks: {count: 100}\nrun: {warmup: 200us, duration: 2ms}\n"
      "workload: {critical_section: 20us, think_time: 50us}\n";
  for (const char* lock : {"{name: mcs}", "{name: shiftlock}", "{name: dslr}"}) {
    expect_within_twice(ratio_of(scenario(lock, skewed)), lock);
    expect_within_twice(ratio_of(scenario(lock, few)), lock);
    expect_within_twice(ratio_of(scenario(lock, sections)), lock);
  }
}

TEST_F(Estimate, of_clients_that_draw_a_server_and_then_its_lock_is_within_a_factor_of_two) {
  const std::string rest =
      "locks: {count: 16k, placement: partitioned}\nrun: {warmup: 200us, duration: 2ms}\n";
  const auto on_servers = [&](const std::string& lock, const std::string& more) {
    return "schema: 1\nname: s\nplatform: {servers: 16, client_nodes: 16, clients_per_node: 4, "
           "colocated: true}\nprotocol: " +
           lock + "\n" + rest + more;
  };
  // Each server has a hottest lock.
  for (const char* lock : {"{name: dslr}", "{name: mcs}"})
    expect_within_twice(ratio_of(on_servers(lock,
                                            "workload: {locality: 6.25%, distribution: {kind: "
                                            "power_law, alpha: 1.5}}\n")),
                        lock);
  // Only acquisitions on other nodes need verbs.
  expect_within_twice(ratio_of(on_servers("{name: alock}", "workload: {locality: 90%}\n")),
                      "alock");
}

TEST_F(Estimate, of_one_file_that_clients_write_apart_is_within_a_factor_of_two) {
  for (const char* lock : {"{name: citron}", "{name: maple_tree}", "{name: interval_tree}"})
    for (const char* files :
         {"{kind: bt_io, unit: 4KiB, reads: true}", "{kind: hard_write, unit: 4KiB, data: false}"})
      expect_within_twice(
          ratio_of(fmt::format("schema: 1\nname: s\nplatform: {{client_nodes: 4, "
                               "clients_per_node: 9}}\nlocks: {{count: 1}}\nprotocol: {}\n"
                               "run: {{warmup: 200us, duration: 2ms}}\n"
                               "workload: {{kind: file_io, files: {}}}\n",
                               lock, files)),
          fmt::format("{} {}", lock, files));
}

TEST_F(Estimate, covers_locks_that_share_a_slot_of_atomics) {
  for (const char* lock : {"{name: cas, backoff: none}", "{name: mcs}"})
    expect_within_twice(ratio_of(scenario(lock,
                                          "locks: {count: 10k, stride: 4KiB}\n"
                                          "run: {warmup: 200us, duration: 2ms}\n")),
                        lock);
}

TEST_F(Estimate, covers_tickets_that_clients_poll_with_reads) {
  expect_within_twice(ratio_of(scenario("{name: dslr, omega: 0us}",
                                        std::string(kHot) + "workload: {read_ratio: 0%}\n")),
                      "at once");
}

TEST_F(Estimate, covers_open_loop_arrivals) {
  expect_within_twice(ratio_of(scenario("{name: mcs}",
                                        "locks: {count: 1k}\nrun: {warmup: 200us, duration: 5ms}\n"
                                        "workload: {arrivals: {kind: poisson, rate: 200k}}\n")),
                      "arrivals");
}

TEST_F(Estimate, covers_leases_that_expire_because_a_release_is_skipped) {
  for (const char* lock : {"{name: shiftlock, lease: 1ms}", "{name: dslr, lease: 1ms}"})
    expect_within_twice(
        ratio_of(scenario(lock,
                          "locks: {count: 100}\nrun: {warmup: 3ms, duration: 10ms, repeats: 4}\n"
                          "workload: {read_ratio: 0%, critical_section: 2us}\n"
                          "faults: [{kind: skip_release, probability: 0.3%}]\n")),
        lock);
}

TEST_F(Estimate, of_readers_that_hold_together_is_within_a_factor_of_two) {
  const auto one = [](const char* reads) {
    return std::string(kHot) + "workload: {read_ratio: " + reads + "}\n";
  };
  // The lock's word limits the rate of readers, and the readers between two writers share one turn.
  expect_within_twice(ratio_of(scenario("{name: shiftlock}", one("100%"))), "shiftlock");
  expect_within_twice(ratio_of(scenario("{name: dslr}", one("80%"))), "dslr");
}

TEST_F(Estimate, counts_an_automatic_warm_up_as_more_than_half_a_window) {
  const auto verbs_of = [this](const char* warmup) {
    write("s.yaml", scenario("{name: mcs}", "locks: {count: 1k}\nrun: {warmup: " +
                                                std::string(warmup) + ", duration: 1ms}\n"));
    return parse_json(latchlab({"check", "s.yaml", "--json"}).out)["estimate"]["verbs"]
        .get<double>();
  };
  EXPECT_GT(verbs_of("auto") / verbs_of("0us"), 1.5);
}

TEST_F(Estimate, covers_a_warm_up_that_the_run_finds_itself) {
  expect_within_twice(
      ratio_of(scenario("{name: mcs}", "locks: {count: 1k}\nrun: {warmup: auto, duration: 1ms}\n")),
      "warm-up");
}

}  // namespace
}  // namespace latchlab::cli_test

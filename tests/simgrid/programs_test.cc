// Runs of transactions, of an object store and of an index.

#include "tests/simgrid/runs.h"

namespace latchlab::simtest {
namespace {

const std::string kCrowd = "platform: {client_nodes: 2, clients_per_node: 8}\n";
// Each transaction asks for the same two locks, and half of them for the second one first.
const std::string kCrossed =
    "locks: {count: 2}\nworkload: {locks_per_section: 2, order: as_asked, read_ratio: 0%";

TEST(Programs, run_transactions_and_measure_their_length) {
  const RepeatMetrics metrics =
      run(kCrowd +
          "locks: {count: 200}\nprotocol: {name: shiftlock}\n"
          "workload: {kind: transactions, transactions: {kind: smallbank, accounts: 100}, "
          "critical_section: {remote_ops: 1, bytes: 64B, time: 2us}}");
  EXPECT_EQ(metrics.safety.violations, 0U);
  ASSERT_TRUE(metrics.transactions.length.has_value());
  EXPECT_GT(metrics.transactions.length->count(), 100U);
  EXPECT_GT(*metrics.transactions.length->mean_ns(), 2000.0 + *metrics.acquire.mean_ns());
  EXPECT_LT(*metrics.transactions.length->mean_ns(), *metrics.cycle.mean_ns());
  EXPECT_NEAR(**metrics.transactions.commits_s, *metrics.goodput_ops_s,
              0.05 * *metrics.goodput_ops_s);
  EXPECT_EQ(**metrics.transactions.aborts_s, 0.0);
  EXPECT_FALSE(run("protocol: {name: shiftlock}").transactions.length.has_value());
}

// Work of 2 ms under leases of 1 ms cannot be done; a lock that knows the length of a transaction
// grants leases of several milliseconds.
TEST(Programs, commit_if_the_lease_is_long_enough) {
  const std::string rest =
      ", lease: 1ms}\nlocks: {count: 2000}\nplatform: {clients_per_node: 4}\n"
      "workload: {kind: transactions, transactions: {kind: smallbank, accounts: 1k}, "
      "critical_section: 2ms}";
  const RepeatMetrics fixed = run("protocol: {name: dslr" + rest);
  EXPECT_EQ(**fixed.transactions.commits_s, 0.0);
  EXPECT_GT(**fixed.transactions.aborts_s, 0.0);
  const RepeatMetrics slots = run("protocol: {name: dslr, max_slots: 16" + rest);
  EXPECT_GT(**slots.transactions.commits_s, 0.0);
  EXPECT_EQ(**slots.transactions.aborts_s, 0.0);
}

// Transactions whose locks are not released have committed before, or failed.
TEST(Programs, that_fail_without_a_release_are_aborts_or_commits) {
  const std::string rest =
      "protocol: {name: dslr, lease: 50us}\nlocks: {count: 2000}\n"
      "platform: {clients_per_node: 8}\n"
      "workload: {kind: transactions, transactions: {kind: smallbank, accounts: 1k}, on_abort: "
      "give_back}\nfaults: [{kind: skip_release, probability: 20%";
  const RepeatMetrics committing = run(rest + "}]");
  const RepeatMetrics failing = run(rest + ", commits: false}]");
  const auto share = [](const RepeatMetrics& metrics) {
    const double aborts = **metrics.transactions.aborts_s;
    EXPECT_DOUBLE_EQ(**metrics.transactions.abort_share,
                     aborts / (aborts + **metrics.transactions.commits_s));
    return **metrics.transactions.abort_share;
  };
  EXPECT_EQ(failing.cycle.count(), committing.cycle.count());
  EXPECT_NEAR(**failing.transactions.commits_s / **committing.transactions.commits_s, 0.8, 0.04);
  EXPECT_GT(share(failing), share(committing) + 0.05);
}

TEST(Programs, that_wait_for_each_other_continue_after_their_patience) {
  const std::string cas = kCrowd + "protocol: {name: cas}\n" + kCrossed;
  const RepeatOutcome stuck = outcome_of(point_of(cas + "}"));
  EXPECT_EQ(stuck.status, RepeatStatus::no_progress) << stuck.message;
  const RepeatMetrics patient = run(cas + ", patience: 50us, retry_pause: 2us}");
  EXPECT_EQ(patient.safety.violations, 0U);
  EXPECT_GT(patient.acquire.count(), 10 * stuck.metrics.acquire.count() + 20);
}

TEST(Programs, access_objects_and_tree_nodes_only_under_their_lock) {
  const RepeatMetrics store = run(kCrowd +
                                  "locks: {count: 100}\nprotocol: {name: dslr}\n"
                                  "workload: {kind: object_store, objects: 414B, read_ratio: 65%}");
  EXPECT_EQ(store.safety.violations, 0U);
  EXPECT_NEAR(*store.verbs_per_cycle.write, 0.35, 0.05);
  const RepeatMetrics index =
      run(kCrowd +
          "locks: {count: 111}\nprotocol: {name: cas}\n"
          "workload: {kind: index, index: {keys: 1000, leaf_keys: 10, fanout: 10, "
          "uncached_levels: 1}, read_ratio: 50%}");
  EXPECT_EQ(index.safety.violations, 0U);
  EXPECT_NEAR(*index.verbs_per_cycle.read, 2.0, 0.01);
  EXPECT_GT(*index.goodput_ops_s, 1.5 * static_cast<double>(index.acquire.count()) / 2e-3);
}

}  // namespace
}  // namespace latchlab::simtest

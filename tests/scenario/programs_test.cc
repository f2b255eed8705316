// What a workload can request of transactions, traces, object stores and indexes, and the messages
// if that is impossible.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/scenario/file_io.h"
#include "tests/scenario/fixture.h"

namespace latchlab::scenario_test {
namespace {

using ::testing::HasSubstr;

WorkloadSpec workload_of(const std::string& text) {
  return point_of(text).workload;
}

std::string refused(const std::string& text) {
  return problem(scenario(text));
}

TEST(Programs, are_the_same_when_they_are_read_again) {
  for (const char* keys :
       {"transactions, transactions: {kind: tatp, original: true, population: 386}",
        "transactions, transactions: {kind: tpcc_blocks}, patience: 10ms, order: as_asked",
        "transactions, transactions: {kind: tpcc_rows, scans: 0.1%, scan_time: 15ms}",
        "transactions, transactions: {kind: tpcc_rows, scanned: orders, intention_locks: true}",
        "transactions, transactions: {kind: tpcc_blocks, warehouses: 1, homes: common}",
        "transactions, transactions: {kind: smallbank, accounts: 1k}",
        "object_store, objects: {bytes: 414B}, read_ratio: 65%, distribution: zipf",
        "index, index: {keys: 100, leaf_keys: 10, fanout: 10}"})
    expect_round_trip(
        scenario("locks: {count: 700k}\nworkload: {kind: " + std::string(keys) + "}"));
}

TEST(Programs, may_hold_their_locks_for_a_time_between_reads_and_writes) {
  const WorkloadSpec both = workload_of(
      "workload: {kind: transactions, critical_section: {remote_ops: 1, bytes: 64B, time: 7us}}");
  EXPECT_EQ(both.remote_ops, 1U);
  EXPECT_EQ(both.critical_section, microseconds(7));
  EXPECT_EQ(workload_of("workload: {critical_section: {remote_ops: 1}}").critical_section,
            Duration{});
}

TEST(Programs, have_objects_of_the_length_that_they_read) {
  EXPECT_EQ(object_bytes_of(workload_of("workload: {kind: object_store, objects: 414B}"), 1), 416U);
  EXPECT_EQ(object_bytes_of(workload_of("locks: {count: 200k}\nworkload: {kind: index}"), 1),
            1024U);
  EXPECT_EQ(object_bytes_of(workload_of("workload: {kind: transactions, transactions: {kind: "
                                        "tpcc_rows, intention_locks: true}}"),
                            1),
            kTableWordBytes);
}

TEST(Programs, that_are_impossible_are_refused_with_a_message) {
  EXPECT_THAT(refused("workload: {kind: index}"),
              HasSubstr("workload.index has 158732 nodes, each with a lock, and locks.count is"));
  EXPECT_THAT(refused("locks: {count: 1M}\nworkload: {kind: index, index: {keys: 100, "
                      "uncached_levels: 2}}"),
              HasSubstr("the tree has 1 levels above its 2 leaves"));
  EXPECT_THAT(refused("workload: {kind: index, index: {entry_bytes: 12B}}"),
              HasSubstr("expected a multiple of 8B"));
  EXPECT_THAT(refused("workload: {kind: trace}"), HasSubstr("no file is named"));
  EXPECT_THAT(refused("workload: {kind: trace, trace: {file: nowhere.csv}}"),
              HasSubstr("there is no file 'nowhere.csv'"));
  EXPECT_THAT(refused("workload: {kind: transactions, transactions: {kind: tatp, accounts: 5}}"),
              HasSubstr("accounts"));
  EXPECT_THAT(refused("workload: {kind: transactions, critical_section: {remote_ops: 1}, "
                      "transactions: {kind: tpcc_rows, intention_locks: true}}"),
              HasSubstr("would change the words of tables"));
  EXPECT_THAT(refused("workload: {kind: object_store, critical_section: {remote_ops: 1}}"),
              HasSubstr("objects say themselves what is read and written"));
  EXPECT_THAT(refused("workload: {kind: index, patience: 1ms}"), HasSubstr("patience"));
}

}  // namespace
}  // namespace latchlab::scenario_test

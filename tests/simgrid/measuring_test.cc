// The metrics that the observer of one run computes from the events that it gets.

#include "core/run/measuring.h"

#include <gtest/gtest.h>

#include "core/protocols/registry.h"
#include "core/world/world.h"
#include "tests/conformance/simulation.h"
#include "tests/simgrid/runs.h"

namespace latchlab::simtest {
namespace {

// A client asks, is refused, does something else for a while, and asks again.
TEST(Measuring, does_not_count_the_time_between_a_refused_request_and_the_next) {
  const ProtocolEntry& entry = *find_protocol("cas");
  const auto protocol = entry.make(entry.small_params());
  World world(*protocol, WorldShape{});
  const auto backend = plain_simulation(world.plan());
  world.attach(*backend);
  MeasuringObserver observer(world, *backend, 0, Time{}, milliseconds(1), OnViolation::stop);
  observer.watch_clients();
  observer.window_opens();
  const ClientId client{0};
  const Want want{world.lock(LockId{0})};
  observer.cycle_begins(client);
  observer.acquire_begins(client, want);
  observer.acquire_aborted(client, want, AbortReason::unsupported);
  backend->run_until(Time{} + microseconds(500));
  observer.cycle_begins(client);
  observer.acquire_begins(client, want);
  backend->run_until(Time{} + microseconds(502));
  observer.acquired(client, Grant(want, LockMode::exclusive));
  const Histogram acquire = observer.share().acquire_write;
  EXPECT_EQ(acquire.count(), 1U);
  EXPECT_EQ(acquire.max().value_or(Duration{}).ps, microseconds(2).ps);
}

constexpr const char* kOneLock =
    "platform: {nic: connectx-4, client_nodes: 2, clients_per_node: 8}\nlocks: {count: 1}\n";

// A lock that hands over by messages: an atomic and, if it waits, a WRITE to acquire; an atomic and
// a READ to release, and further READs as long as an entry is missing. No other verb.
TEST(Measuring, counts_verbs_of_acquisitions_and_releases_apart_from_those_on_data) {
  const RepeatMetrics m = run(std::string(kOneLock) +
                              "workload: {read_ratio: 0%, critical_section: {remote_ops: 3}}\n"
                              "protocol: {name: cql}");
  EXPECT_EQ(m.verbs_per_acquire.read, 0.0);
  EXPECT_EQ(m.verbs_per_acquire.poll, 0.0);
  EXPECT_EQ(m.verbs_per_acquire.atomic, 1.0);
  EXPECT_EQ(m.verbs_per_acquire.write, 1.0);
  EXPECT_EQ(m.verbs_per_acquire.operation, 2.0);
  EXPECT_EQ(m.rereads_per_release, 0.0);
  EXPECT_NEAR(*m.verbs_per_cycle.write, 4, 0.02);
}

TEST(Measuring, counts_reads_that_a_release_repeats) {
  const RepeatMetrics m =
      run("platform: {nic: connectx-4, client_nodes: 2, clients_per_node: 8}\nlocks: {count: 8}\n"
          "workload: {read_ratio: 0%}\nprotocol: {name: cql}");
  EXPECT_GT(*m.rereads_per_release, 0.01);
  EXPECT_NEAR(*m.verbs_per_cycle.read, 1 + *m.rereads_per_release, 0.02);
}

TEST(Measuring, counts_polls_but_no_prefetch_as_an_operation_of_an_acquisition) {
  const std::string work = "workload: {read_ratio: 0%, critical_section: 1us}\n";
  const RepeatMetrics polls =
      run(kOneLock + work + "protocol: {name: dslr_plus, profile: declock_artifact}");
  EXPECT_GT(*polls.verbs_per_acquire.poll, 1);
  EXPECT_EQ(*polls.verbs_per_acquire.read, *polls.verbs_per_acquire.poll);
  EXPECT_DOUBLE_EQ(*polls.verbs_per_acquire.operation,
                   *polls.verbs_per_acquire.atomic + *polls.verbs_per_acquire.poll);
  const RepeatMetrics prefetches = run(kOneLock + work + "protocol: {name: declock}");
  EXPECT_GT(*prefetches.verbs_per_acquire.read, 0.5);
  EXPECT_EQ(prefetches.verbs_per_acquire.poll, 0.0);
  EXPECT_LT(*prefetches.verbs_per_acquire.operation, 2);
}

// Node 2 dies, which is known after 10 ms; a client of node 1 resets the lock after a timeout of
// 12 ms, which the duration of the reset leaves out.
TEST(Measuring, times_a_reset_without_the_timeout_before_it) {
  Point point = point_of(std::string(kOneLock) +
                         "workload: {read_ratio: 0%, critical_section: 2us}\n"
                         "protocol: {name: cql, timeout: 12ms}\n"
                         "faults: [{kind: node_crash, node: 2, at: 400us}]");
  point.run.duration = milliseconds(20);
  const RepeatMetrics m = outcome_of(point).metrics;
  EXPECT_GE(m.acquire.max().value_or(Duration{}), milliseconds(12));
  ASSERT_EQ(m.recoveries, m.recovery.count());
  ASSERT_GT(m.recovery.count(), 0U);
  EXPECT_GT(*m.recovery.min(), microseconds(4));
  EXPECT_LT(*m.recovery.max(), microseconds(100));
}

}  // namespace
}  // namespace latchlab::simtest

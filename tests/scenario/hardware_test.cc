// Keys of a scenario that hardware does not support are named.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/scenario/advice.h"
#include "tests/scenario/fixture.h"

namespace latchlab::scenario_test {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;
using testing::StartsWith;

// A point whose mutual exclusion is checked.
Point guarded_point() {
  Point point;
  point.run.guard = GuardMode::on;
  return point;
}

TEST(HardwareAdvice, a_plain_point_has_one_warning_that_its_nic_is_not_used) {
  const HardwareAdvice advice = hardware_advice(guarded_point());
  EXPECT_THAT(advice.errors, IsEmpty());
  EXPECT_THAT(advice.warnings, ElementsAre("platform.nic: the real NIC has its own rates and "
                                           "latencies; the value is not used"));
}

TEST(HardwareAdvice, keys_that_describe_a_simulation_are_reported_as_unused) {
  Point point = guarded_point();
  point.platform.topology.kind = TopologyKind::torus;
  point.platform.bulk.model = BulkModel::flows;
  point.platform.client_link_latency = microseconds(1);
  point.platform.clocks.drift_ppb = 1;
  point.platform.clocks.offset = nanoseconds(1);
  point.platform.clocks.nic_drift_ppb = 1;
  point.platform.qps = QpOwner::core;
  point.platform.cores = 4;
  point.platform.client_nodes_per_nic = 2;
  point.platform.server_cpu = {8, Duration{}};
  point.groups.emplace_back().name = "slow";
  point.groups.back().clocks = ClockSpec{};
  const HardwareAdvice advice = hardware_advice(point);
  EXPECT_THAT(advice.errors, IsEmpty());
  EXPECT_THAT(
      advice.warnings,
      ElementsAre(StartsWith("platform.nic:"), StartsWith("platform.topology:"),
                  StartsWith("platform.bulk:"), StartsWith("platform.client_link_latency:"),
                  "platform.clocks.drift: real clocks drift as they do; the value is not used",
                  StartsWith("platform.clocks.offset:"), StartsWith("platform.clocks.nic_drift:"),
                  "platform.qps: each client has QPs of its own; the value is not used",
                  StartsWith("platform.server_cpu.cores:"),
                  StartsWith("platform.server_cpu.call_service:"), StartsWith("platform.cores:"),
                  StartsWith("platform.client_nodes_per_nic:"),
                  "groups: nic and clocks of group slow: real nodes have their own; the values are "
                  "not used"));
}

TEST(HardwareAdvice, of_software_hardware_has_only_that_it_sleeps) {
  Point point = guarded_point();
  point.platform.software = "remus";
  EXPECT_THAT(hardware_advice(point).warnings,
              Contains("platform.software: it is Latchlab's own on real CPUs; the value is not "
                       "used"));
  point.platform.by_event = true;
  EXPECT_THAT(hardware_advice(point).warnings,
              Contains("platform.software: it is Latchlab's own on real CPUs; of remus it has that "
                       "clients sleep until a completion raises an event"));
}

TEST(HardwareAdvice, without_guard_words_mutual_exclusion_is_unchecked) {
  EXPECT_THAT(hardware_advice(Point{}).warnings,
              Contains(AllOf(StartsWith("run.guard: off: mutual exclusion is not checked"),
                             HasSubstr("set it to on"))));
  for (const GuardMode mode : {GuardMode::sampled, GuardMode::on}) {
    Point point;
    point.run.guard = mode;
    EXPECT_THAT(hardware_advice(point).warnings, Not(Contains(StartsWith("run.guard"))));
  }
}

TEST(HardwareAdvice, unsupported_faults_are_refused_by_kind) {
  Point point;
  for (const FaultKind kind :
       {FaultKind::skip_release, FaultKind::client_crash, FaultKind::process_crash,
        FaultKind::node_crash, FaultKind::link_down, FaultKind::pause, FaultKind::pause,
        FaultKind::slow_client, FaultKind::drift}) {
    FaultSpec fault;
    fault.kind = kind;
    point.faults.push_back(fault);
  }
  const HardwareAdvice advice = hardware_advice(point);
  ASSERT_THAT(advice.errors, SizeIs(5));
  EXPECT_THAT(advice.errors[0], StartsWith("faults: node_crash"));
  EXPECT_THAT(advice.errors[2], StartsWith("faults: pause"));
}

TEST(HardwareAdvice, a_qp_for_each_pair_of_clients_is_refused) {
  Point point = guarded_point();
  for (const auto& [owner, name] :
       {std::pair(QpOwner::pair, "pair"), {QpOwner::duplex, "duplex"}}) {
    point.platform.qps = owner;
    const HardwareAdvice advice = hardware_advice(point);
    EXPECT_THAT(advice.errors, ElementsAre(AllOf(StartsWith(std::string("platform.qps: ") + name),
                                                 HasSubstr("set it to client"))));
    EXPECT_THAT(advice.warnings, Not(Contains(StartsWith("platform.qps"))));
  }
}

TEST(HardwareAdvice, a_table_in_device_memory_is_left_to_the_device_to_refuse) {
  Point point;
  point.locks.device_memory = true;
  EXPECT_THAT(hardware_advice(point).errors, ElementsAre());
}

}  // namespace
}  // namespace latchlab::scenario_test

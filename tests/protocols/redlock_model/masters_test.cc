// Redlock with three masters in the simulator, some of which crash.

#include "tests/non_empty.h"
#include "tests/protocols/timed.h"

#if LATCHLAB_WITH_SIMGRID

namespace latchlab::testing {
namespace {

struct Told {
  std::uint64_t granted = 0;
  std::vector<AbortReason> reasons;
};

Task<void> acquire_often(World& world, ClientId me, Told& told) {
  LockClient& client = world.client(me);
  const Want want(world.lock(LockId{0}));
  for (int i = 0; i < 100; ++i) {
    const AcquireResult result = co_await client.acquire(want, {});
    const Grant* const grant = std::get_if<Grant>(&result);
    if (grant == nullptr) {
      told.reasons.push_back(std::get_if<Aborted>(&result)->reason);
      continue;
    }
    ++told.granted;
    const Grant held = *grant;
    co_await world.verbs(me).sleep(microseconds(1));
    co_await client.release(held);
  }
}

// Two clients use one lock, which is on node 1; the masters are nodes 1 to 3.
Told when_these_die(const std::vector<NodeId>& victims) {
  const ProtocolEntry& entry = *find_protocol("redlock_model");
  const auto protocol = entry.make(entry.info.resolve("redlock"));
  WorldShape shape;
  shape.servers = 3;
  shape.client_nodes = 2;
  World world(*protocol, shape);
  SimgridOptions options = plain_options();
  options.nic.ack_timeout =
      milliseconds(67);  // that of a real RNIC: longer than the lifetime of a key
  const std::unique_ptr<Backend> owned = make_simgrid(world.plan(), options);
  Backend* const backend = owned.get();
  world.attach(*backend);
  for (const NodeId node : victims)
    backend->at(Time{} + microseconds(200),
                [backend, node] { backend->hardware_faults()->crash_node(node); });
  Told told;
  for (std::uint32_t i = 0; i < shape.clients(); ++i)
    backend->spawn(world.verbs(ClientId{i}), acquire_often(world, ClientId{i}, told), Time{});
  EXPECT_EQ(backend->run_until(end_of_run(Time{} + seconds(10))), RunEnd::finished);
  return told;
}

TEST(timed, redlock_model_survives_failures_of_a_minority_of_its_masters) {
  const Told told = when_these_die({NodeId{2}});
  EXPECT_EQ(told.granted, 200U);
}
TEST(timed, redlock_model_survives_a_failure_of_the_lock_s_server_among_three_masters) {
  const Told told = when_these_die({NodeId{1}});
  EXPECT_EQ(told.granted, 200U);
}
TEST(timed, redlock_model_reports_that_a_majority_of_masters_has_failed) {
  const Told told = when_these_die({NodeId{1}, NodeId{3}});
  EXPECT_GT(told.granted, 0U);
  EXPECT_EQ(told.granted + told.reasons.size(), 200U);
  EXPECT_THAT(non_empty(told.reasons), ::testing::Each(AbortReason::server_failed));
}

}  // namespace
}  // namespace latchlab::testing

#endif

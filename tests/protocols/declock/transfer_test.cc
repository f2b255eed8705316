// DecLock in the simulator, where the order of requests is known: which client acquires the lock
// when, by transfer policy, and how clocks are synchronised.

#if LATCHLAB_WITH_SIMGRID

#include <gmock/gmock.h>

#include "core/base/paths.h"
#include "tests/conformance/simulation.h"
#include "tests/modes.h"
#include "tests/protocols/promises.h"

namespace latchlab::declock_tests {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Not;
using testing::number;
using testing::text;

struct Ask {
  std::uint32_t client = 0;
  std::int64_t at = 0;  // microseconds
  LockMode mode = LockMode::exclusive;
};

Task<void> take_turn(World& world, Ask ask, std::vector<std::uint32_t>& order) {
  const ClientId me{ask.client};
  const Want want{world.lock(LockId{0}), ask.mode};
  const AcquireResult result = co_await world.client(me).acquire(want, {});
  order.push_back(ask.client);
  co_await world.verbs(me).sleep(microseconds(100));
  const Grant held = std::get<Grant>(result);
  co_await world.client(me).release(held);
}

// How far the clocks of nodes differ, whether a third node crashes at once, and whether the server
// is unreachable for a while.
struct Clocks {
  Duration sync = {};
  Duration offset = {};
  std::int64_t drift_ppb = 0;
  bool third_dies = false;
  bool server_away = false;
};

// Clients 0 to 3 are on one node, 4 to 7 on another; each holds the lock for 100 us. Returns the
// order in which they acquire it.
std::vector<std::uint32_t> order_of(const std::vector<Ask>& asks, ParamValues params,
                                    Clocks clocks = {}) {
  const ProtocolEntry& entry = *find_protocol("declock");
  ParamSet set = entry.info.resolve("repaired");
  set.set("clock_sync", clocks.sync);
  for (const auto& [name, value] : params) set.set(name, value);
  const auto lock = entry.make(set);
  WorldShape shape;
  shape.client_nodes = clocks.third_dies ? 3 : 2;
  shape.clients_per_node = 4;
  World world(*lock, shape);
  SimgridOptions options = plain_options();
  options.clocks = {};
  options.clocks.offset = clocks.offset;
  options.clocks.drift_ppb = clocks.drift_ppb;
  const auto backend = make_simgrid(world.plan(), options);
  world.attach(*backend);
  std::vector<std::uint32_t> order;
  for (const Ask& ask : asks)
    backend->spawn(world.verbs(ClientId{ask.client}), take_turn(world, ask, order),
                   Time{} + microseconds(ask.at));
  if (clocks.third_dies)
    backend->at(Time{} + microseconds(50),
                [&] { backend->hardware_faults()->crash_node(world.node_of(ClientId{8})); });
  const NodeId server = world.lock(LockId{0}).entry.node;
  for (const bool up : {false, true})
    if (clocks.server_away)
      backend->at(Time{} + milliseconds(up ? 5 : 2), [&backend, server, up] {
        backend->hardware_faults()->set_link(server, kNoNode, up);
      });
  EXPECT_EQ(backend->run_until(testing::end_of_run(kNever)), RunEnd::finished);
  return order;
}

// The first node asks at 0, 10 and 40, the other one at 20.
const std::vector<Ask> kOneBetween = {{0, 0}, {1, 10}, {4, 20}, {2, 40}};

TEST(timed, declock_serves_in_the_order_in_which_clients_ask) {
  EXPECT_THAT(order_of(kOneBetween, {}), ElementsAre(0, 1, 4, 2));
}
TEST(timed, declock_serves_other_nodes_first_if_they_are_preferred) {
  EXPECT_THAT(order_of(kOneBetween, {{"transfer", text("remote_prefer")}}),
              ElementsAre(0, 4, 1, 2));
}
TEST(timed, declock_serves_clients_of_its_node_first_if_they_are_preferred) {
  EXPECT_THAT(order_of(kOneBetween, {{"transfer", text("local_prefer")}}), ElementsAre(0, 1, 2, 4));
}
TEST(timed, declock_serves_local_bound_clients_of_a_node_in_a_row) {
  EXPECT_THAT(
      order_of(kOneBetween, {{"transfer", text("local_bound")}, {"local_bound", number(2)}}),
      ElementsAre(0, 1, 4, 2));
}

// No client of the first node waits when the other node asks; a client that arrives later looks.
TEST(timed, declock_looks_for_other_nodes_while_a_client_waits) {
  const std::vector<Ask> late = {{0, 0}, {4, 20}, {1, 40}};
  EXPECT_THAT(order_of(late, {}), ElementsAre(0, 4, 1));
}
TEST(timed, declock_knows_nothing_of_other_nodes_that_it_does_not_look_for) {
  const std::vector<Ask> late = {{0, 0}, {4, 20}, {1, 40}};
  EXPECT_THAT(order_of(late, {{"prefetch", text("never")}}), ElementsAre(0, 1, 4));
}

// The notification of client 0 says: 1 asked at 40, after 4 and before 5.
const std::vector<Ask> kTold = {{0, 0}, {4, 20}, {1, 40}, {5, 30}};

TEST(timed, declock_serves_clients_of_its_node_that_asked_before_other_nodes) {
  EXPECT_THAT(order_of(kTold, {}), ElementsAre(0, 4, 5, 1));
}

// Timestamps wrap at 63 us. The second node asks at 60; a client of the first node 10 us later, at
// 6.
TEST(timed, declock_serves_in_order_when_timestamps_wrap) {
  const std::vector<Ask> wrap = {{0, 0}, {1, 50}, {4, 60}, {2, 70}};
  EXPECT_THAT(order_of(wrap, {{"time_bits", number(6)}}), ElementsAre(0, 1, 4, 2));
}

// ---- modes: a writer holds the lock, and writers and readers of its node wait. In between the
// node releases the lock, and then shares it with readers of the other node ----

const std::vector<Ask> kMixed = {{0, 0}, {1, 10}, {2, 20, kS}, {3, 30}, {4, 40, kS}};

TEST(timed, declock_serves_readers_and_writers_in_order_if_fairness_is_task_fair) {
  EXPECT_THAT(order_of(kMixed, {}), ElementsAre(0, 1, 4, 2, 3));
}
// While the lock may stay at the node, its earlier writer comes first.
TEST(timed, declock_keeps_the_lock_for_an_earlier_writer_if_phases_alternate) {
  EXPECT_THAT(order_of(kMixed, {{"fairness", text("phase_fair")}}), ElementsAre(0, 1, 4, 2, 3));
}
TEST(timed, declock_serves_any_reader_after_a_writer_if_readers_come_first) {
  EXPECT_THAT(order_of(kMixed, {{"fairness", text("phase_fair")},
                                {"readers_first", text("after_writers")}}),
              ElementsAre(0, 4, 2, 1, 3));
}

// A writer of the other node asks early, so that the node has to release the CQL lock.
const std::vector<Ask> kGivenUp = {{0, 0}, {4, 5}, {1, 10}, {2, 20, kS}};

TEST(timed, declock_lets_the_first_client_reacquire_the_lock_if_fairness_is_task_fair) {
  EXPECT_THAT(order_of(kGivenUp, {}), ElementsAre(0, 4, 1, 2));
}
TEST(timed, declock_lets_a_reader_reacquire_the_lock_if_phases_alternate) {
  EXPECT_THAT(order_of(kGivenUp, {{"fairness", text("phase_fair")}}), ElementsAre(0, 4, 2, 1));
}

// ---- clocks ----

// Three nodes, the last of which crashes after 50 us if `dies`. Returns the paths taken.
testing::Labels after_clocks(const char* counter, bool dies) {
  testing::RunSetup setup;
  setup.protocol = "declock";
  setup.profile = "repaired";
  setup.client_nodes = 3;
  setup.clients_per_node = 1;
  setup.params = {{"clock_sync", microseconds(20)}, {"clock_counter", text(counter)}};
  setup.make = plain_simulation;
  setup.operations = 100;
  setup.hold = microseconds(1);
  testing::CaseRun run(setup, 1);
  if (dies)
    run.backend().at(Time{} + microseconds(50), [&] {
      run.backend().hardware_faults()->crash_node(run.world().node_of(ClientId{2}));
    });
  paths::forget();
  paths::record(true);
  const testing::Outcome outcome = run.go();
  paths::record(false);
  EXPECT_EQ(outcome.safety.violations, 0U) << outcome.violation;
  return testing::labels("declock", true);
}

// As kOneBetween, after many synchronisations and between two of them; a crashed node is known as
// such by then.
const std::vector<Ask> kLater = {{0, 20'000}, {1, 20'010}, {4, 20'020}, {2, 20'040}};

TEST(timed, declock_serves_in_order_though_clocks_do_not_agree) {
  EXPECT_THAT(order_of(kLater, {}, {.sync = microseconds(300), .offset = milliseconds(1)}),
              ElementsAre(0, 1, 4, 2));
}
// The crashed node's clocks were right when it crashed, and drift apart afterwards.
TEST(timed, declock_serves_in_order_after_a_node_has_crashed) {
  EXPECT_THAT(order_of(kLater, {},
                       {.sync = microseconds(300), .drift_ppb = 20'000'000, .third_dies = true}),
              ElementsAre(0, 1, 4, 2));
}

TEST(timed, declock_serves_in_order_after_the_server_was_unreachable) {
  EXPECT_THAT(order_of(kLater, {},
                       {.sync = microseconds(300), .drift_ppb = 20'000'000, .server_away = true}),
              ElementsAre(0, 1, 4, 2));
}

TEST(timed, declock_synchronises_clocks) {
  const testing::Labels seen = after_clocks("living", false);
  EXPECT_THAT(seen, Contains("clocks are synchronised"));
  EXPECT_THAT(seen, Not(Contains("clocks are synchronised without the dead")));
}
TEST(timed, declock_synchronises_clocks_as_printed) {
  EXPECT_THAT(after_clocks("reset", false), Contains("clocks are synchronised"));
}
TEST(timed, declock_synchronises_clocks_of_the_nodes_that_are_alive) {
  EXPECT_THAT(after_clocks("living", true), Contains("clocks are synchronised without the dead"));
}

}  // namespace
}  // namespace latchlab::declock_tests

#endif

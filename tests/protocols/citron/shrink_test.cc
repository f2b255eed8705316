// A client that holds the whole object cuts the tree down and lets it grow again, while another
// client locks ranges on both sides of the cut and knows the old tree.

#include <vector>

#include "core/protocols/citron/client.h"
#include "tests/protocols/harness.h"

#if LATCHLAB_WITH_SIMGRID
#include "tests/conformance/simulation.h"

namespace latchlab::citron_tests {
namespace {

constexpr std::uint64_t kUnits = 2048;  // more than any tree here has

struct Occupancy {
  std::vector<int> inside = std::vector<int>(kUnits);  // by unit: clients that hold it
  int met = 0;                                         // the most in one unit at once
  int ranges = 0;
  bool cut = false;
};

Task<Grant> taken(LockClient& client, Want want, Occupancy& seen) {
  for (;;) {
    const AcquireResult result = co_await client.acquire(want, {});
    const Grant* const grant = std::get_if<Grant>(&result);
    if (grant == nullptr) continue;
    const Extent& units = grant->extent;
    for (std::uint64_t i = units.first; i < kUnits && i - units.first < units.count; ++i)
      seen.met += ++seen.inside[i] > 1 ? 1 : 0;
    ++seen.ranges;
    co_return *grant;
  }
}

Task<void> left(LockClient& client, Grant grant, Occupancy& seen) {
  const Extent& units = grant.extent;
  for (std::uint64_t i = units.first; i < kUnits && i - units.first < units.count; ++i)
    --seen.inside[i];
  const ReleaseResult released = co_await client.release(grant);
  EXPECT_EQ(released, ReleaseResult::released);
}

Want of(World& world, Extent units) {
  return Want(world.lock(LockId{0}), LockMode::exclusive, units, GrantId{});
}

Task<void> grow_and_cut(World& world, Occupancy& seen) {
  const ClientId me{0};
  auto& client = static_cast<citron::Client&>(world.client(me));
  const LockRef lock = world.lock(LockId{0});
  for (int round = 0; round < 10; ++round) {
    while (client.tree_of(lock).units() < 1024) {
      const Grant beyond = co_await taken(client, of(world, {700, 10}), seen);
      co_await world.verbs(me).sleep(microseconds(3));
      co_await left(client, beyond, seen);
    }
    const Grant whole = co_await taken(client, of(world, Extent{}), seen);
    const bool cut = co_await client.scale_down(lock, 256);
    EXPECT_TRUE(cut);
    EXPECT_EQ(client.tree_of(lock).units(), 256U);
    co_await left(client, whole, seen);
    seen.cut = true;
  }
}

Task<void> go_across(World& world, Occupancy& seen) {
  const ClientId me{1};
  Verbs& verbs = world.verbs(me);
  for (int i = 0; i < 400; ++i) {
    const std::uint64_t firsts[] = {100, 230, 690};
    const Extent units{firsts[i % 3], 60};
    const Grant grant = co_await taken(world.client(me), of(world, units), seen);
    co_await verbs.sleep(nanoseconds(500));
    co_await left(world.client(me), grant, seen);
  }
}

TEST(timed, citron_is_sound_while_its_tree_is_cut_down) {
  const ProtocolEntry& entry = *find_protocol("citron");
  ParamSet set = entry.small_params();
  set.set("scale_up_poll", microseconds(200));
  const auto lock = entry.make(set);
  WorldShape shape;
  shape.client_nodes = 2;
  shape.clients_per_node = 1;
  World world(*lock, shape);
  const auto backend = make_simgrid(world.plan(), plain_options());
  world.attach(*backend);
  Occupancy seen;
  backend->spawn(world.verbs(ClientId{0}), grow_and_cut(world, seen), Time{});
  backend->spawn(world.verbs(ClientId{1}), go_across(world, seen), Time{});
  EXPECT_EQ(backend->run_until(testing::end_of_run(kNever)), RunEnd::finished);
  EXPECT_TRUE(seen.cut);
  EXPECT_EQ(seen.met, 0);
  EXPECT_GE(seen.ranges, 420);
}

}  // namespace
}  // namespace latchlab::citron_tests
#endif

// Where RMA-RW's tree counts its readers.

#include <map>

#include "core/protocols/rma_rw/tree.h"
#include "core/protocols/rma_rw/words.h"
#include "tests/modes.h"
#include "tests/protocols/promises.h"
#include "tests/protocols/rma_rw/scene.h"

namespace latchlab::testing {
namespace {

using rma_rw_tests::Bill;
using rma_rw_tests::pairs;
using rma_rw_tests::Scene;

TEST(rma_rw_tree, counts_readers_at_the_first_client_of_each_group) {
  for (const std::int64_t each : {1, 2, 4}) {
    std::vector<Bill> bills(4);
    const auto body = [&](Scene& scene, ClientId id) {
      return pairs(scene, id, kS, 3, &bills[id.value]);
    };
    Scene scene(rma_rw_tests::kRepairedTree, {{"clients_per_counter", number(each)}},
                {body, body, body, body}, 1, 1, {2, {}});
    ASSERT_EQ(scene.run(), RunEnd::finished);
    rma_rw::Options options;
    options.clients_per_counter = static_cast<std::uint64_t>(each);
    const rma_rw::Tree tree(options, scene.world(), scene.world().client_node(0));
    ASSERT_EQ(tree.counters(), 4U / options.clients_per_counter);
    for (std::uint64_t i = 0; i < tree.counters(); ++i) {
      const RemoteAddr at = tree.counter(scene.lock(), i);
      const auto first = static_cast<std::uint32_t>(i * options.clients_per_counter);
      EXPECT_EQ(at.node, scene.world().node_of(ClientId{first}));
      const rma_rw::Counters seen = rma_rw::unpack_counters(scene.peek(at));
      EXPECT_EQ(seen.arrive, 3 * options.clients_per_counter);
      EXPECT_EQ(seen.depart, seen.arrive);
    }
  }
}

TEST(rma_rw_tree, has_room_for_every_counter_with_every_placement_of_clients) {
  const ProtocolEntry& entry = *find_protocol("rma_rw");
  for (const std::int64_t each : {1, 2, 3, 7}) {
    ParamSet params = entry.info.resolve(rma_rw_tests::kRepairedTree);
    params.set("clients_per_counter", number(each));
    const auto protocol = entry.make(params);
    WorldShape shape;
    shape.client_nodes = 4;
    shape.groups.resize(2);
    shape.groups[0].nodes = 3;
    shape.groups[0].clients_per_node = 1;
    shape.groups[1].nodes = 1;
    shape.groups[1].clients_per_node = 9;
    shape.locks.count = 2;
    const World world(*protocol, shape);
    rma_rw::Options options;
    options.clients_per_counter = static_cast<std::uint64_t>(each);
    const rma_rw::Tree tree(options, world, world.client_node(0));
    std::map<std::uint64_t, int> taken;
    for (std::uint64_t id = 0; id < 2; ++id) {
      const LockRef lock = world.lock(LockId{id});
      for (std::uint64_t i = 0; i < tree.counters(); ++i) {
        const RemoteAddr at = tree.counter(lock, i);
        EXPECT_TRUE(world.belongs(at, 8));
        EXPECT_EQ(taken[at.packed()]++, 0);
      }
      for (std::uint32_t node = 0; node < 4; ++node) {
        const rma_rw::Tree own(options, world, world.client_node(node));
        EXPECT_EQ(taken[own.tail(lock, 0).packed()]++, 0);
        EXPECT_EQ(taken[own.place(lock, 0, own.element(0)).packed()]++, 0);
      }
    }
  }
}

// Each counter has a threshold of its own.
TEST(rma_rw_tree, admits_as_many_readers_as_counters_times_the_threshold) {
  LATCHLAB_NEEDS_EXPLORER("asks about many orders");
  RunSetup setup;
  setup.protocol = "rma_rw";
  setup.params = {{"form", text("tree")},
                  {"notes", text("words")},
                  {"reader_threshold", number(1)},
                  {"clients_per_counter", number(3)}};
  setup.shared_percent = 100;
  setup.clients_per_node = 3;
  EXPECT_EQ(most_inside(setup), 2U);
}

}  // namespace
}  // namespace latchlab::testing

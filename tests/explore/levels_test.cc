// Which nodes a protocol learns are close together.

#include "core/world/levels.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/world/world.h"

namespace latchlab {
namespace {

using Groups = std::vector<std::uint32_t>;

TEST(Levels, of_a_star_are_single_nodes_and_all_nodes) {
  const std::vector<Level> levels = levels_of(TopologySpec{}, {0, 1, 2});
  ASSERT_EQ(levels.size(), 2U);
  EXPECT_EQ(levels[0].group_of, (Groups{0, 1, 2}));
  EXPECT_EQ(levels[0].groups, 3U);
  EXPECT_EQ(levels[1].group_of, (Groups{0, 0, 0}));
  EXPECT_EQ(levels[1].groups, 1U);
}

TEST(Levels, of_a_fat_tree_are_those_of_its_switches) {
  TopologySpec tree;
  tree.kind = TopologyKind::fat_tree;
  tree.down = {2, 2, 2};
  const std::vector<Level> levels = levels_of(tree, {0, 1, 2, 3, 4, 5});
  ASSERT_EQ(levels.size(), 4U);
  EXPECT_EQ(levels[1].group_of, (Groups{0, 0, 1, 1, 2, 2}));  // leaf switches
  EXPECT_EQ(levels[2].group_of, (Groups{0, 0, 0, 0, 1, 1}));
  EXPECT_EQ(levels[2].groups, 2U);
  EXPECT_EQ(levels[3].groups, 1U);
}

TEST(Levels, nodes_that_share_an_rnic_are_near_each_other) {
  TopologySpec tree;
  tree.kind = TopologyKind::fat_tree;
  tree.down = {2, 2};
  const std::vector<Level> levels = levels_of(tree, {0, 1, 1, 1, 2});
  ASSERT_EQ(levels.size(), 4U);
  EXPECT_EQ(levels[0].group_of, (Groups{0, 1, 2, 3, 4}));
  EXPECT_EQ(levels[1].group_of, (Groups{0, 1, 1, 1, 2}));
  EXPECT_EQ(levels[2].group_of, (Groups{0, 0, 0, 0, 1}));
  EXPECT_EQ(levels[3].groups, 1U);
}

TEST(Levels, of_a_protocol_begin_with_the_servers_and_group_nodes_that_share_an_rnic) {
  WorldShape shape;
  shape.servers = 1;
  shape.client_nodes = 5;
  shape.client_nodes_per_nic = 2;
  shape.topology.kind = TopologyKind::fat_tree;
  shape.topology.down = {2, 2};
  const std::vector<Level> levels = shape_for_protocols(shape).levels;
  ASSERT_EQ(levels.size(), 4U);
  EXPECT_EQ(levels[1].group_of, (Groups{0, 1, 1, 2, 2, 3}));
  EXPECT_EQ(levels[1].groups, 4U);
  EXPECT_EQ(levels[2].group_of, (Groups{0, 0, 0, 1, 1, 1}));
}

TEST(Levels, of_a_dragonfly_are_routers_chassis_and_groups) {
  TopologySpec dragonfly;
  dragonfly.kind = TopologyKind::dragonfly;
  dragonfly.groups = 2;
  dragonfly.chassis = 2;
  dragonfly.routers = 2;
  dragonfly.hosts = 1;
  const std::vector<Level> levels = levels_of(dragonfly, {0, 1, 2, 3, 4, 5, 6, 7});
  ASSERT_EQ(levels.size(), 5U);
  EXPECT_EQ(levels[1].group_of, levels[0].group_of);  // one host on a router
  EXPECT_EQ(levels[2].group_of, (Groups{0, 0, 1, 1, 2, 2, 3, 3}));
  EXPECT_EQ(levels[3].group_of, (Groups{0, 0, 0, 0, 1, 1, 1, 1}));
  EXPECT_EQ(levels[4].groups, 1U);
}

}  // namespace
}  // namespace latchlab

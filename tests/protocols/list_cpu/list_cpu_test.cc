// The list of ranges.

#include "core/protocols/list_cpu/list_cpu.h"

#include "tests/protocols/promises.h"
#include "tests/protocols/range_server/ranges.h"

namespace latchlab::list_cpu {
namespace {

using range_server::client;
using range_server::held;

TEST(list_cpu, agrees_with_a_plain_list) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed)
    range_server::expect_holds_what_a_list_does<RangeList>(
        seed, 500, seed % 3 == 0 ? 40 : 4,
        [](const RangeList& list, const auto& there) { ASSERT_GE(list.nodes(), there.size()); });
}

TEST(list_cpu, takes_a_step_for_each_node_before_the_range) {
  RangeList list;
  EXPECT_FALSE(list.try_insert(held(10, 19, 1)));
  EXPECT_EQ(list.take_steps(), 1U) << "its own";
  EXPECT_FALSE(list.try_insert(held(30, 39, 2)));
  EXPECT_EQ(list.take_steps(), 2U);
  EXPECT_FALSE(list.try_insert(held(50, 59, 3)));
  EXPECT_EQ(list.take_steps(), 3U);
  EXPECT_FALSE(list.try_insert(held(0, 9, 4)));
  EXPECT_EQ(list.take_steps(), 2U) << "the first one, which is beyond, and its own";
  EXPECT_EQ(list.try_insert(held(35, 55, 5)), client(2)) << "the first that it meets";
  EXPECT_EQ(list.take_steps(), 3U);
}

TEST(list_cpu, leaves_released_nodes_to_later_walks) {
  RangeList list;
  for (std::uint32_t i = 0; i < 4; ++i) EXPECT_FALSE(list.try_insert(held(10 * i, 10 * i + 9, i)));
  list.take_steps();
  EXPECT_TRUE(list.erase(held(0, 9, 0)));
  EXPECT_TRUE(list.erase(held(30, 39, 3)));
  EXPECT_EQ(list.take_steps(), 2U) << "a mark each, wherever they are";
  EXPECT_EQ(list.nodes(), 4U);
  EXPECT_FALSE(list.try_insert(held(0, 5, 5)));
  EXPECT_EQ(list.take_steps(), 3U) << "what is marked, the next one, and its own";
  EXPECT_EQ(list.nodes(), 4U) << "no client has come to the last one";
  EXPECT_FALSE(list.try_insert(held(30, 39, 6)));
  EXPECT_EQ(list.nodes(), 4U);
}

TEST(list_cpu, knows_which_client_holds_a_range) {
  RangeList list;
  EXPECT_FALSE(list.try_insert(held(0, 9, 1)));
  EXPECT_FALSE(list.erase(held(0, 9, 2)));
  EXPECT_TRUE(list.erase(held(0, 9, 1)));
  EXPECT_FALSE(list.erase(held(0, 9, 1)));
}

TEST(list_cpu, unlinks_and_retries_under_contention) {
  testing::expect_reached(testing::crowd("list_cpu"),
                          {"a walk unlinks a range that has been released",
                           "a range that tries again meets another holder"});
}

}  // namespace
}  // namespace latchlab::list_cpu

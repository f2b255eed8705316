// Links, and what a client knows about its nodes.

#include <gtest/gtest.h>

#include "core/protocols/list_rdma/client.h"

namespace latchlab::list_rdma_tests {
namespace {

using list_rdma::Link;
using list_rdma::Mine;
using list_rdma::Nodes;

constexpr NodeId kFirst{1};
constexpr NodeId kSecond{2};
constexpr RemoteAddr kList{kFirst, 64};
constexpr RemoteAddr kOther{kFirst, 128};

TEST(list_rdma_link, unpacks_to_what_was_packed) {
  const std::uint32_t most = (1U << list_rdma::kGenerationBits) - 1;
  const auto last = static_cast<std::uint32_t>(list_rdma::kMostNodes);
  for (const Link& link :
       {Link{}, Link{true, {}, 0}, Link{false, {last, 0}, 0}, Link{false, {0, most}, 0},
        Link{false, {}, most}, Link{true, {last, most}, most}, Link{true, {5, 6}, 7}})
    EXPECT_EQ(Link::of(link.packed()), link);
  EXPECT_EQ((Link{true, {last, most}, most}.packed()), ~0ULL);
  EXPECT_EQ(Link{}.packed(), 0U);
}

TEST(list_rdma_link, is_marked_by_an_addition) {
  const Link link{false, {5, 6}, 7};
  EXPECT_EQ(Link::of(link.packed() + list_rdma::kMark), (Link{true, {5, 6}, 7}));
}

// Client 3, with two nodes on each of two servers.
Nodes two_nodes(std::uint32_t generation_bits = 2) {
  return {3, 2, 2, generation_bits};
}

TEST(list_rdma_nodes, have_numbers_of_their_own_on_each_server) {
  Nodes nodes = two_nodes();
  EXPECT_EQ(nodes.take(kFirst)->ref.index, 7U);
  EXPECT_EQ(nodes.take(kFirst)->ref.index, 8U);
  EXPECT_FALSE(nodes.take(kFirst).has_value());
  EXPECT_EQ(nodes.take(kSecond)->ref.index, 7U);
}

TEST(list_rdma_nodes, have_a_new_generation_at_each_use) {
  Nodes nodes = two_nodes();
  std::vector<std::uint32_t> generations;
  for (int i = 0; i < 5; ++i) {
    const Mine mine = *nodes.take(kFirst);
    generations.push_back(mine.ref.generation);
    nodes.free(mine.slot);
  }
  EXPECT_EQ(generations, (std::vector<std::uint32_t>{1, 2, 3, 0, 1}));
  Nodes plain = two_nodes(0);
  EXPECT_EQ(plain.take(kFirst)->ref.generation, 0U);
}

TEST(list_rdma_nodes, stay_reserved_for_their_list_after_a_release) {
  Nodes nodes = two_nodes();
  const Mine one = *nodes.take(kFirst);
  const Mine two = *nodes.take(kFirst);
  EXPECT_FALSE(nodes.with_released(kFirst).has_value());
  nodes.released(one.slot, kList, 10);
  EXPECT_EQ(nodes.with_released(kFirst), kList);
  EXPECT_FALSE(nodes.with_released(kSecond).has_value());
  EXPECT_FALSE(nodes.has_free(kFirst));
  nodes.all_gone(kList, 9);  // it may be behind
  nodes.all_gone(kOther, ~0ULL);
  EXPECT_FALSE(nodes.has_free(kFirst));
  nodes.all_gone(kList, 10);
  EXPECT_TRUE(nodes.has_free(kFirst));
  EXPECT_EQ(nodes.take(kFirst)->slot, one.slot);
  nodes.all_gone(kList, ~0ULL);  // a node that is held is not meant
  EXPECT_FALSE(nodes.take(kFirst).has_value());
  nodes.lost(two.slot);
  nodes.all_gone(kList, ~0ULL);
  EXPECT_FALSE(nodes.has_free(kFirst));
}

TEST(list_rdma_nodes, are_free_after_they_have_been_unlinked) {
  Nodes nodes = two_nodes();
  const Mine one = *nodes.take(kSecond);
  const Mine two = *nodes.take(kSecond);
  nodes.released(one.slot, {kSecond, 64}, 10);
  nodes.released(two.slot, {kSecond, 64}, 20);
  for (const std::uint32_t foreign : {1U, 6U, 9U}) nodes.taken_out(kSecond, foreign);
  EXPECT_FALSE(nodes.has_free(kSecond));
  nodes.taken_out(kSecond, two.ref.index);
  EXPECT_EQ(nodes.take(kSecond)->slot, two.slot);
  EXPECT_FALSE(nodes.has_free(kSecond));
}

}  // namespace
}  // namespace latchlab::list_rdma_tests

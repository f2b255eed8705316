// What RangeTree::sound() says of trees built by hand: one for each way to break an invariant.

#include <utility>

#include "core/protocols/maple_tree/b_tree.h"
#include "tests/protocols/range_server/ranges.h"

namespace latchlab::maple_tree {

// A tree written by a test. Leaves have ranges [10i, 10i + 9], with ascending i from 10 on.
struct MadeTree {
  using Node = RangeTree::Node;
  using Owner = RangeTree::Owner;

  Owner leaf(std::size_t ranges) {
    auto node = std::make_unique<Node>();
    for (std::size_t i = 0; i < ranges; ++i, first += 10)
      node->held.push_back(range_server::held(first, first + 9, static_cast<std::uint32_t>(first)));
    return node;
  }
  static Owner inner(std::vector<Owner> children) {
    auto node = std::make_unique<Node>();
    for (const Owner& each : children) node->lows.push_back(each->low());
    node->children = std::move(children);
    return node;
  }
  // A tree of half-full leaves.
  Owner inner(std::size_t leaves) {
    std::vector<Owner> children;
    for (std::size_t i = 0; i < leaves; ++i) children.push_back(leaf(4));
    return inner(std::move(children));
  }
  static Owner inner(Owner left, Owner right) {
    std::vector<Owner> both;
    both.push_back(std::move(left));
    both.push_back(std::move(right));
    return inner(std::move(both));
  }
  static bool sound(Owner root) {
    RangeTree tree;
    tree.root_ = std::move(root);
    return tree.sound();
  }
  // Two half-full leaves of four ranges each, after this change to their root.
  template <class Change>
  static bool sound_after(Change change) {
    MadeTree made;
    Owner root = made.inner(2);
    change(*root);
    return sound(std::move(root));
  }

  std::uint64_t first = 100;
};

namespace {

TEST(maple_tree_sound, may_be_one_leaf_up_to_its_capacity) {
  for (const std::size_t ranges : {0U, 1U, 8U}) {
    EXPECT_TRUE(MadeTree::sound(MadeTree().leaf(ranges))) << ranges;
  }
  EXPECT_FALSE(MadeTree::sound(MadeTree().leaf(9)));
}

TEST(maple_tree_sound, may_be_a_root_with_two_children_up_to_its_capacity) {
  for (const std::size_t leaves : {2U, 16U}) {
    EXPECT_TRUE(MadeTree::sound(MadeTree().inner(leaves))) << leaves;
  }
  for (const std::size_t leaves : {1U, 17U}) {
    EXPECT_FALSE(MadeTree::sound(MadeTree().inner(leaves))) << leaves;
  }
}

TEST(maple_tree_sound, has_nodes_that_are_at_least_half_full) {
  for (const std::size_t few : {1U, 3U}) {
    MadeTree left;
    MadeTree right;
    MadeTree::Owner one = left.leaf(few);
    EXPECT_FALSE(MadeTree::sound(MadeTree::inner(std::move(one), left.leaf(4)))) << few;
    MadeTree::Owner other = right.leaf(4);
    EXPECT_FALSE(MadeTree::sound(MadeTree::inner(std::move(other), right.leaf(few)))) << few;
  }
  for (const std::size_t leaves : {7U, 8U, 16U}) {
    MadeTree made;
    MadeTree::Owner left = made.inner(8);
    const bool enough = leaves >= 8;
    EXPECT_EQ(MadeTree::sound(MadeTree::inner(std::move(left), made.inner(leaves))), enough)
        << leaves;
  }
}

TEST(maple_tree_sound, has_leaves_that_are_equally_deep) {
  MadeTree deep_right;
  MadeTree::Owner leaf = deep_right.leaf(8);
  EXPECT_FALSE(MadeTree::sound(MadeTree::inner(std::move(leaf), deep_right.inner(8))));
  MadeTree deep_left;
  MadeTree::Owner inner = deep_left.inner(8);
  EXPECT_FALSE(MadeTree::sound(MadeTree::inner(std::move(inner), deep_left.leaf(8))));
}

TEST(maple_tree_sound, has_ranges_in_leaves_and_lows_above_them) {
  using Node = MadeTree::Node;
  EXPECT_TRUE(MadeTree::sound_after([](Node&) {}));
  EXPECT_FALSE(
      MadeTree::sound_after([](Node& root) { root.held.push_back(range_server::held(0, 0, 1)); }));
  EXPECT_FALSE(MadeTree::sound_after([](Node& root) { root.children[1]->lows.push_back(140); }));
}

TEST(maple_tree_sound, knows_the_first_unit_below_each_child) {
  using Node = MadeTree::Node;
  EXPECT_FALSE(MadeTree::sound_after([](Node& root) { root.lows.push_back(180); }));
  for (const std::size_t child : {0U, 1U}) {
    EXPECT_FALSE(MadeTree::sound_after([child](Node& root) { ++root.lows[child]; })) << child;
  }
}

TEST(maple_tree_sound, has_ranges_that_ascend_and_have_no_unit_in_common) {
  using Node = MadeTree::Node;
  for (std::size_t range = 0; range < 7; ++range) {  // its last unit becomes that of the next one
    const auto meets_the_next = [range](Node& root) {
      ++root.children[range / 4]->held[range % 4].span.last;
    };
    EXPECT_FALSE(MadeTree::sound_after(meets_the_next)) << range;
  }
  EXPECT_FALSE(MadeTree::sound_after(
      [](Node& root) { std::swap(root.children[0]->held[1], root.children[0]->held[2]); }));
}

}  // namespace
}  // namespace latchlab::maple_tree

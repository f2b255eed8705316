// Requests that are paused before they undo a notification or a bit: by then other clients treat
// them as crashed. Each case runs with the repair and without it.

#include "tests/protocols/citron/scene.h"

#if LATCHLAB_WITH_SIMGRID

namespace latchlab::citron_tests {
namespace {

using ::testing::Contains;
using testing::number;
using testing::text;

constexpr Extent kAll{0, 1024};

void stands_still(Scene& scene, std::uint32_t client, Duration after, Duration length) {
  scene.backend->at(Time{} + after, [&, client, length] {
    scene.backend->cpu_faults()->pause(ClientId{client}, length);
  });
}

// Another client holds bits of the leaf. Client 0 has notified the root of its try when it is
// paused, for longer than client 1, at the root, waits for it.
citron::Node root_after_a_late_try(const char* undo) {
  Scene scene({{"lease", kLease}, {"undo", text(undo)}});
  Seen late, above;
  scene.puts(2, 1);
  scene.asks(0, kLow, {}, {}, late);
  stands_still(scene, 0, microseconds(3), kLease * 4);
  scene.asks(1, kNode, microseconds(10), microseconds(10), above);
  scene.puts(2, 0, kLease * 3);
  scene.run();
  EXPECT_TRUE(late.acquired);
  EXPECT_GT(late.took, kLease * 4);
  EXPECT_TRUE(above.acquired);
  EXPECT_EQ(scene.client(1).recoveries(), 1U);
  EXPECT_THAT(scene.taken, Contains("requests of the dead are counted as over"));
  return scene.inner(1);
}
TEST(timed, citron_undo_of_a_late_try_at_a_leaf_leaves_counts_alone) {
  const citron::Node root = root_after_a_late_try("fenced");
  EXPECT_EQ(root.d_cnt, root.d_max);
  EXPECT_EQ(root.d_max, 2U);  // of both tries
}
TEST(timed, citron_undo_of_a_late_try_at_a_leaf_without_the_repair_counts_it_twice) {
  const citron::Node root = root_after_a_late_try("always");
  EXPECT_EQ(root.d_cnt, root.d_max + 1);
}

// Client 0's turn at node 2 has passed when it occupies that node and notifies the root; then it is
// paused.
citron::Node root_after_a_late_turn(const char* undo) {
  Scene scene({{"units", number(1024)},
               {"t_wait", microseconds(10)},
               {"lease", kLease},
               {"undo", text(undo)}});
  Seen late, above;
  scene.puts(2, Scene::kFormat.pack({.t_cnt = 1, .t_max = 1}), microseconds(2));
  scene.asks(0, kNode, {}, {}, late);
  stands_still(scene, 0, microseconds(3), kLease * 6);
  scene.asks(1, kAll, microseconds(10), microseconds(10), above);
  scene.run();
  EXPECT_FALSE(late.acquired);
  EXPECT_EQ(late.reason, AbortReason::recovered);
  EXPECT_TRUE(above.acquired);
  EXPECT_EQ(scene.client(1).recoveries(), 1U);
  EXPECT_THAT(scene.taken, Contains("a turn has gone before its node is occupied"));
  return scene.inner(1);
}
TEST(timed, citron_undo_of_a_late_turn_leaves_counts_alone) {
  const citron::Node root = root_after_a_late_turn("fenced");
  EXPECT_EQ(root.d_max, 1U);
  EXPECT_EQ(root.d_cnt, 1U);
}
TEST(timed, citron_undo_of_a_late_turn_without_the_repair_counts_it_twice) {
  const citron::Node root = root_after_a_late_turn("always");
  EXPECT_EQ(root.d_max, 1U);
  EXPECT_EQ(root.d_cnt, 2U);
}

// Client 0 has set the bits of a leaf and is paused, for less than a lease, before it notifies the
// root. Then it is too late and clears the bits. Meanwhile client 1 treats them as bits of a
// crashed client. Clients 2 and 3 want them.
struct Two {
  Seen first, second;
};
Two after_suspected_bits(const char* suspects) {
  Scene scene({{"batch_occupy", false},
               {"t_wait", microseconds(10)},
               {"lease", kLease},
               {"suspects", text(suspects)}},
              4);
  Seen slow, doubts;
  Two two;
  scene.asks(0, kLow, {}, {}, slow);
  stands_still(scene, 0, microseconds(3), microseconds(60));
  scene.asks(1, kLow, microseconds(5), {}, doubts);
  scene.asks(2, kLow, microseconds(45), microseconds(60), two.first);
  scene.asks(3, kLow, microseconds(80), microseconds(10), two.second);
  scene.run();
  EXPECT_FALSE(slow.acquired);
  EXPECT_EQ(slow.reason, AbortReason::too_many);
  EXPECT_THAT(scene.taken, Contains("a leaf is given up for its parent"));
  EXPECT_TRUE(two.first.acquired);
  EXPECT_TRUE(two.second.acquired);
  return two;
}
// When the second client is granted the leaf, in terms of the first one's times.
bool overlap(const Two& two) {
  const Time first = Time{} + microseconds(45) + two.first.took;
  const Time second = Time{} + microseconds(80) + two.second.took;
  return first < second + microseconds(10) && second < first + microseconds(60);
}
TEST(timed, citron_undo_of_bits_comes_before_they_are_cleared_for_a_crashed_client) {
  EXPECT_FALSE(overlap(after_suspected_bits("outwaited")));
}
TEST(timed, citron_undo_of_bits_that_were_cleared_at_once_removes_another_client_s_bits) {
  EXPECT_TRUE(overlap(after_suspected_bits("cleared")));
}

}  // namespace
}  // namespace latchlab::citron_tests

#endif

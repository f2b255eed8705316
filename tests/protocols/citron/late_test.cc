// Requests that are too late or whose turn has passed: they do not touch what other clients hold by
// then.

#include "tests/protocols/citron/scene.h"

#if LATCHLAB_WITH_SIMGRID

namespace latchlab::citron_tests {
namespace {

using ::testing::Contains;
using testing::number;

const ParamValues kRecovers = {{"lease", kLease}};

ParamValues recovers(const ParamValues& more) {
  ParamValues params = kRecovers;
  params.insert(params.end(), more.begin(), more.end());
  return params;
}
std::uint64_t packed(const citron::Node& node) {
  return Scene::kFormat.pack(node);
}

// Other clients take the two tickets ahead, and this client's own ticket, for those of crashed
// clients.
TEST(timed, citron_late_gives_up_a_ticket_that_has_been_passed_over) {
  Scene scene(kRecovers, 1);
  Seen seen;
  scene.puts(1, packed({.t_max = 1}));
  scene.asks(0, kNode, microseconds(1), {}, seen);
  scene.puts(1, packed({.t_cnt = 2, .t_max = 2}), microseconds(20));
  scene.run();
  EXPECT_FALSE(seen.acquired);
  EXPECT_EQ(seen.reason, AbortReason::recovered);
  EXPECT_LT(seen.took, kLease);
  EXPECT_EQ(scene.inner(1), (citron::Node{.t_cnt = 2, .t_max = 2})) << scene.entry();
  EXPECT_THAT(scene.taken, Contains("a ticket has been passed over"));
}

// Client 0, whose ticket is called, waits for a client at an ancestor for longer than client 1
// behind it waits at the node: client 1 takes over its turn.
TEST(timed, citron_late_gives_up_a_turn_that_is_gone_before_its_node_is_occupied) {
  Scene scene(recovers({{"units", number(1024)}}));
  Seen first, second;
  scene.puts(1, packed({.occ = 1, .t_max = 1}));
  scene.asks(0, kNode, microseconds(1), {}, first);
  scene.asks(1, kNode, microseconds(5), microseconds(30), second);
  scene.puts(1, packed({.t_cnt = 1, .t_max = 1}), kLease * 2 + microseconds(60));
  scene.run();
  EXPECT_FALSE(first.acquired);
  EXPECT_EQ(first.reason, AbortReason::recovered);
  EXPECT_TRUE(second.acquired);
  EXPECT_EQ(scene.client(1).recoveries(), 1U);
  EXPECT_TRUE(scene.is_free()) << scene.entry();
  EXPECT_THAT(scene.taken, Contains("a turn has gone before its node is occupied"));
  // Occ, and all bits of four leaves set and cleared: the client has no turn that it could pass on.
  EXPECT_EQ(scene.verbs(0).tally().of(VerbKind::masked_cas), 1U + 4 + 4);
}

// The bits of a leaf stay set, because they may belong to another client by then. They are cleared
// once a client that cannot own them has held the node above.
TEST(timed, citron_late_leaves_bits_of_a_leaf_to_the_next_client_that_wants_them) {
  Scene scene(kRecovers);
  Seen late, next;
  scene.asks(0, kLow, {}, kLease + microseconds(10), late);
  scene.asks(1, kLow, kLease + microseconds(50), {}, next);
  std::uint64_t left = 0;
  scene.backend->at(Time{} + kLease + microseconds(40), [&] { left = scene.word(2); });
  scene.run();
  EXPECT_EQ(late.released, ReleaseResult::suppressed);
  EXPECT_EQ(left, 0x3FFU);
  EXPECT_TRUE(next.acquired);
  EXPECT_EQ(scene.client(1).recoveries(), 2U);  // its notification, and its bits
  EXPECT_TRUE(scene.is_free()) << scene.entry();
  EXPECT_THAT(scene.taken, Contains("a late release is suppressed"));
  EXPECT_THAT(scene.taken, Contains("bits of a dead client are cleared"));
}

// The second of two leaves is acquired when the time of the first one is over.
TEST(timed, citron_late_does_not_use_a_leaf_that_is_acquired_too_late) {
  Scene scene(recovers({{"nodes", number(2)}, {"leaf_tries", number(1'000'000)}}), 1);
  Seen seen;
  scene.puts(3, 1);
  scene.asks(0, {60, 10}, {}, {}, seen);
  scene.puts(3, 0, kLease + microseconds(20));
  scene.run();
  EXPECT_FALSE(seen.acquired);
  EXPECT_EQ(seen.reason, AbortReason::recovered);
  EXPECT_EQ(scene.word(2), 0xFULL << 60U) << scene.entry();  // left to other clients
  EXPECT_EQ(scene.word(3), 0U) << scene.entry();
  EXPECT_THAT(scene.taken, Contains("a range is granted too late to be used"));
  EXPECT_THAT(scene.taken, Contains("a request whose lease is over is left to other clients"));
}

// ---- a node in place of a leaf ----

// The second leaf of a range cannot be acquired: its parent replaces it, beside the first leaf.
TEST(timed, citron_late_keeps_one_leaf_if_the_other_is_replaced_by_its_parent) {
  Scene scene({{"units", number(1024)}, {"nodes", number(2)}, {"t_wait", microseconds(10)}}, 1);
  Seen seen;
  scene.puts(10, 1);  // a bit of the leaf of 256 to 319
  scene.asks(0, {250, 10}, {}, microseconds(50), seen);
  std::uint64_t leaf = 0;
  citron::Node parent;
  scene.backend->at(Time{} + microseconds(50), [&] {
    leaf = scene.word(9);
    parent = scene.inner(3);
  });
  scene.run();
  EXPECT_TRUE(seen.acquired);
  EXPECT_EQ(leaf, 0x3FULL << 58U);  // 250 to 255
  EXPECT_EQ(parent.occ, 1U);
  EXPECT_EQ(scene.word(9), 0U);
  EXPECT_THAT(scene.taken, Contains("a leaf is given up for its parent"));
}

// ---- paused clients ----

// The verbs that a request posts at the end of its time have a quarter of a lease to land. Other
// clients add that quarter before they treat it as crashed.
constexpr Duration kTrips = microseconds(20);

// Line 11, at height 1, for a ticket that is never used.
TEST(timed, citron_late_leaves_a_quarter_of_a_lease_to_the_client_whose_turn_it_is) {
  Scene scene(kRecovers, 1);
  Seen seen;
  scene.puts(1, packed({.occ = 1, .t_max = 1}));
  scene.asks(0, kNode, {}, {}, seen);
  scene.run();
  EXPECT_TRUE(seen.acquired);
  EXPECT_GE(seen.took, kLease * 2 + kLease / 4);
  EXPECT_LT(seen.took, kLease * 2 + kLease / 4 + kTrips);
  EXPECT_THAT(scene.taken, Contains("a node is taken over from the dead"));
}
// The client waits once for each of the two tickets ahead: the client with the nearer one may be
// about to take over.
TEST(timed, citron_late_waits_once_for_each_ticket_ahead) {
  constexpr Duration kEach = kLease * 2 + kLease / 4;
  Scene scene(kRecovers, 1);
  Seen seen;
  scene.puts(1, packed({.occ = 1, .t_max = 2}));
  scene.asks(0, kNode, {}, {}, seen);
  scene.run();
  EXPECT_TRUE(seen.acquired);
  EXPECT_GE(seen.took, kEach * 2);
  EXPECT_LT(seen.took, kEach * 2 + kTrips);
  EXPECT_THAT(scene.taken,
              Contains("a ticket behind other tickets waits for them to recover a node"));
}
// Line 18, and line 11 at the node above, at height 2: three leases each.
TEST(timed, citron_late_leaves_a_quarter_of_a_lease_to_a_client_at_an_ancestor) {
  Scene scene(recovers({{"units", number(1024)}, {"t_wait", microseconds(10)}}), 1);
  Seen seen;
  scene.puts(1, packed({.occ = 1, .t_max = 1}));
  scene.asks(0, kLow, {}, {}, seen);
  scene.run();
  EXPECT_TRUE(seen.acquired);
  EXPECT_GE(seen.took, (kLease * 3 + kLease / 4) * 2 + microseconds(10));
  EXPECT_LT(seen.took, (kLease * 3 + kLease / 4) * 2 + kTrips * 2);
  EXPECT_THAT(scene.taken, Contains("an ancestor that stands still is locked instead"));
}
// Line 36: a client below, for one lease.
TEST(timed, citron_late_leaves_a_quarter_of_a_lease_to_a_client_at_a_descendant) {
  Scene scene(recovers({{"lock_children", false}, {"t_wait", microseconds(10)}}), 1);
  Seen seen;
  scene.puts(1, packed({.d_max = 1}));
  scene.asks(0, kNode, {}, {}, seen);
  scene.run();
  EXPECT_TRUE(seen.acquired);
  EXPECT_GE(seen.took, kLease + kLease / 4 + microseconds(10));
  EXPECT_LT(seen.took, kLease + kLease / 4 + microseconds(10) + kTrips);
  EXPECT_THAT(scene.taken, Contains("requests of the dead are counted as over"));
}

// A client at a node above leaves also took the bits of those leaves (3.8), and is treated as
// crashed. The next client at that node waits for no client at the leaves and leaves the bits set.
// A client that wants one of the leaves clears the bits of that leaf.
TEST(timed, citron_late_leaves_bits_of_a_node_to_the_next_client_that_wants_a_leaf) {
  Scene scene(kRecovers, 3);
  Seen late, node, leaf;
  scene.asks(0, kNode, {}, kLease * 2, late);
  scene.asks(1, kNode, kLease, {}, node);
  scene.asks(2, kLow, kLease * 4, {}, leaf);
  std::uint64_t left = 0;
  scene.backend->at(Time{} + kLease * 4, [&] { left = scene.word(2); });
  scene.run();
  EXPECT_EQ(late.released, ReleaseResult::suppressed);
  EXPECT_TRUE(node.acquired);
  EXPECT_EQ(left, ~0ULL);
  EXPECT_TRUE(leaf.acquired);
  EXPECT_EQ(scene.word(2), 0U);
  EXPECT_EQ(scene.word(3), ~0ULL) << scene.entry();  // no client has wanted that leaf
}

// A grant expires after a lease, however long other clients wait at its node.
TEST(timed, citron_late_changes_nothing_after_its_grant_has_expired) {
  Scene scene(kRecovers, 1);
  Seen seen;
  scene.asks(0, kNode, {}, kLease + kLease / 2, seen);
  scene.run();
  EXPECT_EQ(seen.released, ReleaseResult::suppressed);
  EXPECT_EQ(scene.inner(1), (citron::Node{.occ = 1, .t_max = 1})) << scene.entry();
  EXPECT_EQ(scene.word(2), ~0ULL) << scene.entry();
}

// ---- T_wait behind a client at an ancestor (`reread`) ----

// Client 1 wants a leaf below a node that client 0 holds for longer than T_wait.
Seen behind_a_node(const char* reread) {
  Scene scene({{"reread", testing::text(reread)}, {"lock_children", false}});
  Seen above, below;
  scene.asks(0, kNode, {}, microseconds(60), above);
  scene.asks(1, kLow, microseconds(10), {}, below);
  scene.run();
  EXPECT_TRUE(above.acquired);
  EXPECT_GT(below.took, microseconds(60));
  return below;
}
TEST(timed, citron_late_is_in_time_behind_an_ancestor_if_it_reads_all_nodes_again) {
  EXPECT_TRUE(behind_a_node("all").acquired);
}
TEST(timed, citron_late_is_never_in_time_behind_an_ancestor_if_it_reads_ancestors_alone) {
  const Seen below = behind_a_node("above");
  EXPECT_FALSE(below.acquired);
  EXPECT_EQ(below.reason, AbortReason::too_many);
}

}  // namespace
}  // namespace latchlab::citron_tests

#endif

// DecLock's node part, call by call: which client is next, by mode, by request times, and by what
// is known of other nodes.

#include "tests/modes.h"
#include "tests/protocols/declock/visits.h"

namespace latchlab::declock_tests {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using enum LocalQueues::Joined;
using enum LocalQueues::Left;

TEST(DecLockNode, makes_the_first_client_the_leader_and_lets_later_ones_wait) {
  Visits node;
  EXPECT_EQ(node.join(0, kX, 10).how, leads);
  EXPECT_FALSE(node.join(1, kX, 20).held);
  node.took(kX);
  const Joined third = node.join(2, kX, 30);
  EXPECT_EQ(third.how, waits);
  EXPECT_TRUE(third.held);
  EXPECT_EQ(third.since, 30U);
}

// ---- transfer policies: clients of the node wait since 20 and 40, another node since 30 ----

TEST(DecLockNode, hands_over_to_clients_that_asked_before_other_nodes) {
  EXPECT_THAT(successors({{"transfer", text("timestamp")}}), ElementsAre(1));
}
TEST(DecLockNode, hands_nothing_over_while_preferred_other_nodes_wait) {
  EXPECT_THAT(successors({{"transfer", text("remote_prefer")}}), IsEmpty());
}
TEST(DecLockNode, hands_over_to_all_clients_of_the_node_if_they_are_preferred) {
  EXPECT_THAT(successors({{"transfer", text("local_prefer")}}), ElementsAre(1, 2));
}
// The client that acquired the lock from another node counts as one of them.
TEST(DecLockNode, grants_the_lock_to_local_bound_clients) {
  for (std::int64_t most = 1; most <= 3; ++most)
    EXPECT_EQ(successors({{"transfer", text("local_bound")}, {"local_bound", number(most)}}).size(),
              static_cast<std::size_t>(most - 1));
}
TEST(DecLockNode, counts_only_handovers_if_handovers_are_bounded) {
  for (std::int64_t most = 1; most <= 2; ++most)
    EXPECT_EQ(successors({{"transfer", text("local_bound")},
                          {"bound_counts", text("handovers")},
                          {"local_bound", number(most)}})
                  .size(),
              static_cast<std::size_t>(most));
}
TEST(DecLockNode, hands_over_to_all_clients_of_the_node_if_no_other_node_is_known_to_wait) {
  for (const char* transfer : {"timestamp", "remote_prefer"})
    EXPECT_THAT(successors({{"transfer", text(transfer)}}, none_waits()), ElementsAre(1, 2));
}
TEST(DecLockNode, prefers_its_own_client_if_two_nodes_asked_at_the_same_time) {
  EXPECT_THAT(successors({}, since(20)), ElementsAre(1));
}

// ---- what is known of other nodes ----

TEST(DecLockNode, uses_the_earliest_request_reported_to_it) {
  Visits node;
  node.join(0, kX, 10);
  node.took(kX, since(50));
  node.remote_waits(0, 15);
  node.remote_waits(0, 60);
  node.join(1, kX, 20);
  EXPECT_EQ(node.leave().how, must_free);
}

TEST(DecLockNode, forgets_other_nodes_requests_when_it_releases_the_lock) {
  Visits node;
  node.join(0, kX, 10);
  node.took(kX, since(12));
  node.join(1, kX, 20);
  node.join(2, kX, 40);
  EXPECT_EQ(node.leave().how, must_free);
  EXPECT_EQ(node.freed(), 1U);
  node.took(kX);
  EXPECT_EQ(node.leave().how, handed_on);
}

TEST(DecLockNode, ignores_what_was_seen_before_the_node_reacquired_the_lock) {
  Visits node;
  node.join(0, kX, 10);
  node.took(kX, since(12));
  node.join(1, kX, 20);
  node.join(2, kX, 40);
  node.leave();
  node.freed();
  node.remote_waits(0, 12);  // the node does not have the lock
  node.took(kX);
  node.remote_waits(0, 12);
  EXPECT_EQ(node.leave().how, handed_on);
  node.remote_waits(1, 12);
  node.join(3, kX, 50);
  EXPECT_EQ(node.leave().how, must_free);
}

// 60 is before 3 when times count to 63.
TEST(DecLockNode, compares_timestamps_that_wrap) {
  EXPECT_EQ(next_after_a_wrap(), must_free);
}

// ---- modes ----

TEST(DecLockNode, hands_nothing_over_to_a_neighbour_of_another_mode) {
  for (const LockMode first : {kX, kS}) {
    Visits node({{"transfer", text("local_prefer")}});
    node.join(0, first, 10);
    node.took(first);
    node.join(1, first == kX ? kS : kX, 20);
    const Left left = node.leave();
    EXPECT_EQ(left.how, must_free);
    EXPECT_EQ(left.global.mode, first);
    EXPECT_EQ(left.global.words[0], kResets);
  }
}

TEST(DecLockNode, grants_readers_that_came_before_the_first_writer) {
  Visits node;
  for (std::uint32_t client = 0; client < 5; ++client)
    node.join(client, client == 3 ? kX : kS, 10 + client);
  EXPECT_THAT(node.took(kS), ElementsAre(ClientId{1}, ClientId{2}));
  EXPECT_EQ(node.leave().how, others_stay);
  EXPECT_EQ(node.leave().how, others_stay);
  EXPECT_EQ(node.leave().how, must_free);
  EXPECT_EQ(node.freed(), 3U);
}

TEST(DecLockNode, grants_readers_that_asked_before_a_writer_of_another_node) {
  Visits node;
  for (std::uint32_t client = 0; client < 4; ++client) node.join(client, kS, 10 * client);
  EXPECT_THAT(node.took(kS, since(20)), ElementsAre(ClientId{1}, ClientId{2}));
  EXPECT_EQ(node.join(4, kS, 40).how, waits);
}

TEST(DecLockNode, grants_late_readers_until_a_client_waits) {
  Visits node;
  node.join(0, kS, 10);
  EXPECT_THAT(node.took(kS), IsEmpty());
  EXPECT_EQ(node.join(1, kS, 20).how, enters);
  EXPECT_EQ(node.join(2, kX, 30).how, waits);
  EXPECT_EQ(node.join(3, kS, 40).how, waits);
}

// ---- fairness: a reader arrived after a writer ----

std::uint32_t next_of(const char* fairness, LockMode holder, const char* readers_first) {
  Visits node({{"fairness", text(fairness)}, {"readers_first", text(readers_first)}});
  node.join(0, holder, 10);
  node.took(holder, since(11));
  node.join(1, kX, 20);
  node.join(2, kS, 30);
  EXPECT_EQ(node.leave().how, must_free);
  return node.freed();
}

TEST(DecLockNode, serves_in_order_of_arrival_if_fairness_is_task_fair) {
  EXPECT_EQ(next_of("task_fair", kX, "reacquiring"), 1U);
  EXPECT_EQ(next_of("task_fair", kX, "after_writers"), 1U);
  EXPECT_EQ(next_of("task_fair", kS, "always"), 1U);
}
TEST(DecLockNode, serves_readers_after_writers_if_phases_alternate) {
  EXPECT_EQ(next_of("phase_fair", kX, "reacquiring"), 2U);
  EXPECT_EQ(next_of("phase_fair", kS, "reacquiring"), 1U);
  EXPECT_EQ(next_of("phase_fair", kX, "after_writers"), 2U);
  EXPECT_EQ(next_of("phase_fair", kS, "after_writers"), 1U);
  EXPECT_EQ(next_of("phase_fair", kS, "always"), 2U);
}

// A writer holds the lock, and no other node waits, so that the lock may stay at the node. Then a
// writer waits, and a reader.
TEST(DecLockNode, hands_the_lock_to_an_earlier_writer_within_the_node_although_phases_alternate) {
  for (const char* first : {"reacquiring", "after_writers"}) {
    Visits node({{"fairness", text("phase_fair")}, {"readers_first", text(first)}});
    node.join(0, kX, 10);
    node.took(kX);
    node.join(1, kX, 20);
    node.join(2, kS, 30);
    if (first == std::string("after_writers")) {
      EXPECT_EQ(node.leave().how, must_free) << "the reader comes first, in another mode";
      EXPECT_EQ(node.freed(), 2U);
      continue;
    }
    const Left left = node.leave();
    EXPECT_EQ(left.how, handed_on);
    EXPECT_THAT(left.enter, ElementsAre(ClientId{1}));
    EXPECT_EQ(node.leave().how, must_free);
    EXPECT_EQ(node.freed(), 2U);
  }
}

// A phase includes all waiting readers, also those behind a writer.
TEST(DecLockNode, grants_all_readers_together_if_phases_alternate) {
  Visits node({{"fairness", text("phase_fair")}});
  for (std::uint32_t client = 0; client < 6; ++client)
    node.join(client, client % 2 == 0 ? kS : kX, 10 * client);
  EXPECT_THAT(node.took(kS, since(5)), ElementsAre(ClientId{2}, ClientId{4}));
}

// Readers come first even after readers: the next reader admits the other readers too.
TEST(DecLockNode, hands_over_to_readers_together) {
  Visits node({{"fairness", text("phase_fair")}, {"readers_first", text("always")}});
  node.join(0, kS, 10);
  node.took(kS);
  node.join(1, kX, 20);
  node.join(2, kS, 30);
  node.join(3, kS, 40);
  const Left left = node.leave();
  EXPECT_EQ(left.how, handed_on);
  EXPECT_THAT(left.enter, ElementsAre(ClientId{2}, ClientId{3}));
}

// ---- resets ----

TEST(DecLockNode, hands_nothing_over_while_a_reset_waits_for_the_node) {
  EXPECT_THAT(successors({}, none_waits(), true), IsEmpty());
}
TEST(DecLockNode, hands_over_beside_a_reset_as_printed) {
  EXPECT_THAT(successors({{"reset_ends_transfers", false}}, none_waits(), true), ElementsAre(1, 2));
}
TEST(DecLockNode, grants_no_late_reader_while_a_reset_waits_for_the_node) {
  for (const bool repaired : {true, false}) {
    Visits node({{"reset_ends_transfers", repaired}});
    node.join(0, kS, 10);
    node.took(kS);
    node.is_asked();
    EXPECT_EQ(node.join(1, kS, 20).how, repaired ? waits : enters);
  }
}

// ---- the clock ----

TEST(DecLockClock, counts_units_since_nodes_have_agreed) {
  Visits node({{"time_bits", number(4)}, {"time_unit", microseconds(1)}});
  EXPECT_EQ(node.join_at(0, Time{} + nanoseconds(7'999)).since, 7U);
  EXPECT_EQ(node.join_at(1, Time{} + microseconds(17)).since, 1U);
  node.node().synchronised(Time{} + microseconds(100));
  EXPECT_EQ(node.join_at(2, Time{} + microseconds(103)).since, 3U);
}

// ---- servers that fail ----

TEST(DecLockNode, hands_nothing_over_when_the_server_has_failed) {
  EXPECT_EQ(next_when_outlived(), must_free);
}
TEST(DecLockNode, grants_no_late_reader_after_the_server_has_failed) {
  Visits node;
  node.join(0, kS, 10);
  EXPECT_FALSE(node.outlives(2));  // it has nothing yet
  node.took(kS);
  EXPECT_FALSE(node.outlives(0));
  EXPECT_EQ(node.join(1, kS, 20).how, enters);
  EXPECT_TRUE(node.outlives(1));
  EXPECT_EQ(node.join(2, kS, 30).how, waits);
}
TEST(DecLockNode, continues_normally_with_the_lock_after_a_restart) {
  Visits node({{"transfer", text("local_prefer")}});
  node.join(0, kX, 10);
  node.took(kX);
  node.join(1, kX, 20);
  EXPECT_TRUE(node.outlives(2));
  EXPECT_EQ(node.leave().how, must_free);
  EXPECT_EQ(node.freed(), 1U);
  node.join(2, kX, 30);
  node.took(kX);
  EXPECT_FALSE(node.outlives(0));
  EXPECT_EQ(node.leave().how, handed_on);
}

}  // namespace
}  // namespace latchlab::declock_tests

// DecLock's node part, call by call: readers that arrive while readers of their node hold the lock.

#include "tests/modes.h"
#include "tests/protocols/declock/visits.h"

namespace latchlab::declock_tests {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using enum LocalQueues::Joined;
using enum LocalQueues::Left;

// ---- late readers: another node has waited since 30 ----

LocalQueues::Joined late_reader(const ParamValues& params, std::int64_t at,
                                const char* profile = "repaired") {
  Visits node(params, profile);
  node.join(0, kS, 10);
  EXPECT_THAT(node.took(kS, since(30)), IsEmpty());
  return node.join(1, kS, at).how;
}

TEST(DecLockNode, grants_late_readers_that_asked_before_other_nodes) {
  for (const char* profile : {"repaired", "artifact"})
    for (const char* fairness : {"task_fair", "phase_fair"}) {
      const ParamValues params = {{"fairness", text(fairness)}};
      EXPECT_EQ(late_reader(params, 20, profile), enters) << profile << ", " << fairness;
      EXPECT_EQ(late_reader(params, 40, profile), waits) << profile << ", " << fairness;
    }
}
TEST(DecLockNode, grants_no_late_reader_while_preferred_other_nodes_wait) {
  EXPECT_EQ(late_reader({{"transfer", text("remote_prefer")}}, 20), waits);
}
TEST(DecLockNode, grants_any_late_reader_if_its_own_node_is_preferred) {
  EXPECT_EQ(late_reader({{"transfer", text("local_prefer")}}, 40), enters);
}
TEST(DecLockNode, grants_any_late_reader_as_printed) {
  EXPECT_EQ(late_reader({}, 40, "paper"), enters);
  EXPECT_EQ(late_reader({{"late_readers", text("all")}}, 40), enters);
}
TEST(DecLockNode, counts_late_readers_where_holders_are_bounded) {
  for (const char* counts : {"holders", "handovers"}) {
    Visits node({{"transfer", text("local_bound")},
                 {"local_bound", number(2)},
                 {"bound_counts", text(counts)}});
    node.join(0, kS, 10);
    node.took(kS);
    EXPECT_EQ(node.join(1, kS, 20).how, enters);
    EXPECT_EQ(node.join(2, kS, 20).how, counts == std::string("holders") ? waits : enters);
  }
}
TEST(DecLockNode, grants_no_more_readers_than_local_bound) {
  Visits node({{"transfer", text("local_bound")}, {"local_bound", number(3)}});
  for (std::uint32_t client = 0; client < 5; ++client) node.join(client, kS, 10);
  EXPECT_THAT(node.took(kS), ElementsAre(ClientId{1}, ClientId{2}));
}

// ---- late readers that look first ----

TEST(DecLockNode, lets_one_late_reader_look_after_so_many_late_readers) {
  Visits node({{"look_after", number(2)}});
  node.join(0, kS, 10);
  node.took(kS);
  for (std::uint32_t round = 0; round < 2; ++round) {
    for (std::uint32_t client = 1; client <= 2; ++client) {
      const Joined free = node.join(client, kS, 20);
      EXPECT_FALSE(free.looks);
      EXPECT_EQ(free.how, enters);
    }
    const Joined looks = node.join(3, kS, 20);
    EXPECT_TRUE(looks.looks);
    EXPECT_EQ(node.join_after_look(3, looks, none_waits()).how, enters);
    for (int i = 0; i < 3; ++i) EXPECT_EQ(node.leave().how, others_stay);
  }
}

TEST(DecLockNode, uses_what_a_late_reader_has_seen) {
  Visits node({{"look_after", number(0)}});
  node.join(0, kS, 10);
  node.took(kS);
  const Joined first = node.join(1, kS, 20);
  EXPECT_EQ(node.join_after_look(1, first, since(25)).how, enters) << "it asked before";
  const Joined second = node.join(2, kS, 30);
  EXPECT_FALSE(second.looks) << "its node knows of an earlier one";
  EXPECT_EQ(second.how, waits);
  EXPECT_EQ(node.join(3, kS, 22).how, waits) << "behind a reader that waits";
}

TEST(DecLockNode, keeps_a_late_reader_waiting_that_sees_an_earlier_one) {
  Visits node({{"look_after", number(0)}});
  node.join(0, kS, 10);
  node.took(kS);
  const Joined looks = node.join(1, kS, 20);
  EXPECT_EQ(node.join_after_look(1, looks, since(15)).how, waits);
}

// All other clients have released meanwhile, and the node has reacquired the lock.
TEST(DecLockNode, ignores_what_a_late_reader_saw_before_the_node_reacquired_the_lock) {
  Visits node({{"look_after", number(0)}});
  node.join(0, kS, 10);
  node.took(kS);
  const Joined looks = node.join(1, kS, 20);
  EXPECT_TRUE(looks.looks);
  EXPECT_EQ(node.leave().how, must_free);
  node.freed();
  EXPECT_EQ(node.join(2, kS, 30).how, leads);
  node.took(kS);
  EXPECT_EQ(node.join_after_look(1, looks, since(15)).how, enters);
}

TEST(DecLockNode, makes_a_late_reader_the_leader_if_no_client_is_left_after_its_look) {
  Visits node({{"look_after", number(0)}});
  node.join(0, kS, 10);
  node.took(kS);
  const Joined looks = node.join(1, kS, 20);
  EXPECT_EQ(node.leave().how, must_free);
  node.freed();
  const Joined joined = node.join_after_look(1, looks, none_waits());
  EXPECT_EQ(joined.how, leads);
  EXPECT_EQ(joined.since, 20U);
}

TEST(DecLockNode, looks_at_the_queue_for_late_readers_only_if_other_nodes_matter) {
  for (const char* transfer : {"local_prefer", "local_bound"}) {
    Visits node({{"look_after", number(0)}, {"transfer", text(transfer)}});
    node.join(0, kS, 10);
    node.took(kS);
    EXPECT_FALSE(node.join(1, kS, 20).looks) << transfer;
  }
  for (const char* profile : {"paper", "artifact"}) {
    Visits node({{"look_after", number(0)}}, profile);
    node.join(0, kS, 10);
    node.took(kS);
    EXPECT_FALSE(node.join(1, kS, 20).looks) << profile;
  }
}

}  // namespace
}  // namespace latchlab::declock_tests

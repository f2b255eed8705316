// What clients of an ALock make of a server that fails, and of the locks of others.

#include "tests/protocols/alock/cohorts.h"
#include "tests/protocols/served.h"

#if LATCHLAB_WITH_SIMGRID

namespace latchlab::testing {
namespace {

struct Failure {
  std::vector<AbortReason> reasons;
  Outcome outcome;
};

// Lock 0 lies on the server that dies when the only client has posted so many verbs; lock 1 on
// another one. Both are asked for in turn, this often.
Failure when_the_server_dies(std::uint64_t verbs, std::uint64_t rounds, const ParamValues& sets) {
  Failure failure;
  RunSetup setup;
  setup.protocol = "alock";
  setup.params = sets;
  setup.client_nodes = setup.clients_per_node = 1;
  setup.servers = setup.locks = 2;
  setup.make = plain_simulation;
  setup.wrap = [&failure](LockClient& inner) {
    return std::make_unique<Resigned>(inner, failure.reasons);
  };
  setup.section = [rounds](ClientId, std::uint64_t count, const World& world, Section& section) {
    section.wants.push_back(Want{world.lock(LockId{count % 2})});
    section.options.deadline = Time{};  // who resigns does not try again
    return count < 2 * rounds;
  };
  CaseRun run(setup, 1);
  const NodeId server = run.world().lock(LockId{0}).entry.node;
  bool dead = false;
  for (int i = 0; i < 400; ++i) {
    run.backend().at(Time{} + nanoseconds(100) * i, [&] {
      if (dead || run.world().verbs(ClientId{0}).tally().one_sided() < verbs) return;
      run.backend().hardware_faults()->crash_node(server);
      dead = true;
    });
  }
  failure.outcome = run.go();
  EXPECT_TRUE(dead);
  EXPECT_EQ(failure.outcome.end, RunEnd::finished);
  return failure;
}

// While this verb is under way: it is the last one that the server is asked.
Failure expect_told(const char* victim, std::uint64_t verb) {
  Failure failure =
      when_the_server_dies(verb, 3, {{"victim", text(victim)}, {"max_held", number(2)}});
  EXPECT_EQ(failure.reasons, std::vector<AbortReason>(3, AbortReason::server_failed));
  EXPECT_EQ(failure.outcome.acquired, 3U) << "of the other server's lock";
  return failure;
}

TEST(timed, alock_tells_that_the_server_fails_its_cas) {
  const Failure failure = expect_told("write", 1);
  EXPECT_EQ(failure.outcome.tally.one_sided(), 1U + 3 * 4);
}
TEST(timed, alock_tells_that_the_server_fails_its_victim) {
  const Failure failure = expect_told("write", 2);
  EXPECT_EQ(failure.outcome.tally.one_sided(), 2U + 3 * 4);
}
TEST(timed, alock_tells_that_the_server_fails_its_look) {
  const Failure failure = expect_told("write", 3);
  EXPECT_EQ(failure.outcome.tally.one_sided(), 3U + 3 * 4);
}
TEST(timed, alock_tells_that_the_server_fails_its_victim_and_its_look_at_once) {
  const Failure failure = expect_told("batched", 2);
  EXPECT_EQ(failure.outcome.tally.one_sided(), 3U + 3 * 4);
}
TEST(timed, alock_tells_that_the_server_fails_its_swap_of_the_victim) {
  const Failure failure = expect_told("cas_loop", 2);
  EXPECT_EQ(failure.outcome.tally.reads(), 3U);
}

TEST(timed, alock_asks_a_server_that_has_failed_a_release_no_more) {
  const Failure failure = when_the_server_dies(4, 3, {{"max_held", number(2)}});
  EXPECT_EQ(failure.reasons.size(), 2U);
  EXPECT_EQ(failure.outcome.acquired, 4U);
  EXPECT_EQ(failure.outcome.tally.one_sided(), 4U + 3 * 4);
}

// Its only request may be in the tail that has died.
TEST(timed, alock_acquires_nothing_more_when_all_requests_have_stayed_behind) {
  const Failure failure = when_the_server_dies(0, 3, {{"max_held", number(1)}});
  EXPECT_EQ(failure.outcome.acquired, 0U);
  EXPECT_EQ(failure.reasons.size(), 6U);
}

}  // namespace
}  // namespace latchlab::testing

#endif

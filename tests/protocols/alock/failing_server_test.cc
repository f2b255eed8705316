// What clients of an ALock do when a server fails, and how they go on using locks of other servers.

#include "tests/protocols/alock/cohorts.h"
#include "tests/protocols/served.h"

#if LATCHLAB_WITH_SIMGRID

namespace latchlab::testing {
namespace {

struct Failure {
  std::vector<AbortReason> reasons;
  Outcome outcome;
  Labels paths;
};

// Lock 0 is on a server that crashes when the only client has posted `verbs` verbs; lock 1 is on
// another server. The client asks for both in turn, `rounds` times.
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
    section.options.deadline = Time{};  // a client that resigned does not retry
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
  paths::forget();
  paths::record(true);
  failure.outcome = run.go();
  paths::record(false);
  failure.paths = labels("alock", true);
  EXPECT_TRUE(dead);
  EXPECT_EQ(failure.outcome.end, RunEnd::finished);
  return failure;
}

// The server crashes while this verb is under way. It is the last one sent to that server except
// READs, of which there is one whenever its lock is wanted again. `verbs`: of all rounds, including
// those for the other server's lock.
struct Dies {
  const char* during;
  const char* victim;
  std::uint64_t verb;
  std::uint64_t verbs;
};

class AlockServer : public ::testing::TestWithParam<Dies> {};
INSTANTIATE_TEST_SUITE_P(
    timed, AlockServer,
    ::testing::Values(Dies{"a_cas", "write", 1, 1 + 2 + 3 * 4},
                      Dies{"a_victim", "write", 2, 2 + 2 + 3 * 4},
                      Dies{"a_look", "write", 3, 3 + 2 + 3 * 4},
                      Dies{"a_victim_and_a_look_at_once", "batched", 2, 3 + 2 + 3 * 4},
                      Dies{"a_swap_of_the_victim", "cas_loop", 2, 2 + 2 + 4 + 2 * 5}),
    [](const auto& made) { return std::string(made.param.during); });

TEST_P(AlockServer, is_reported_when_it_fails) {
  const Dies& dies = GetParam();
  const Failure failure =
      when_the_server_dies(dies.verb, 3, {{"victim", text(dies.victim)}, {"max_held", number(2)}});
  EXPECT_EQ(failure.reasons, std::vector<AbortReason>(3, AbortReason::server_failed));
  EXPECT_EQ(failure.outcome.acquired, 3U) << "of the other server's lock";
  EXPECT_EQ(failure.outcome.tally.one_sided(), dies.verbs);
  EXPECT_THAT(failure.paths, ::testing::IsSupersetOf({"the server fails an acquisition",
                                                      "a server has failed before"}));
}

TEST(timed, alock_only_reads_where_a_release_has_failed) {
  const Failure failure = when_the_server_dies(4, 3, {{"max_held", number(2)}});
  EXPECT_EQ(failure.reasons.size(), 2U);
  EXPECT_EQ(failure.outcome.acquired, 4U);
  EXPECT_EQ(failure.outcome.tally.one_sided(), 4U + 2 + 3 * 4);
  EXPECT_THAT(failure.paths, ::testing::IsSupersetOf(
                                 {"the server fails a release", "a server has failed before"}));
}

// The only request object of the client may still be in the tail on the failed server.
TEST(timed, alock_acquires_no_further_lock_if_all_its_requests_may_still_be_queued) {
  const Failure failure = when_the_server_dies(0, 3, {{"max_held", number(1)}});
  EXPECT_EQ(failure.outcome.acquired, 0U);
  EXPECT_EQ(failure.reasons.size(), 6U);
}

// No client gives up, and each retry takes time. The run therefore ends at its end time and does
// not loop forever at one instant.
TEST(timed, alock_lets_time_pass_between_tries_at_a_failed_server) {
  RunSetup setup = alock_tests::cohorts(1, 1);
  setup.colocated = false;
  setup.make = plain_simulation;
  setup.operations = 1'000'000'000;
  CaseRun run(setup, 1);
  const NodeId server = run.world().lock(LockId{0}).entry.node;
  run.backend().at(Time{} + microseconds(100),
                   [&] { run.backend().hardware_faults()->crash_node(server); });
  std::uint64_t tries = 0;
  run.backend().at(Time{} + seconds(1),
                   [&] { tries = run.world().verbs(ClientId{0}).tally().reads(); });
  EXPECT_EQ(run.go().end, RunEnd::reached);
  EXPECT_GT(tries, 100U);
}

}  // namespace
}  // namespace latchlab::testing

#endif

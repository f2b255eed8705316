#pragma once
// The common tests of locks that their server's CPU manages.

#include <array>
#include <functional>

#include "tests/non_empty.h"
#include "tests/protocols/promises.h"
#include "tests/protocols/timed.h"

namespace latchlab::testing {

inline RunSetup mixed(const char* protocol) {
  RunSetup setup;
  setup.protocol = protocol;
  setup.shared_percent = 50;
  return setup;
}

// An acquisition and a release are one call each and no verb, for a lone client that reads or
// writes.
inline void expect_two_calls_when_free(const char* protocol, const ParamValues& params = {}) {
  for (const std::uint32_t shared_percent : {0, 100}) {
    RunSetup setup = mixed(protocol);
    setup.params = params;
    setup.client_nodes = setup.clients_per_node = 1;
    setup.shared_percent = shared_percent;
    const Outcome outcome = run(setup, 1);
    EXPECT_EQ(outcome.end, RunEnd::finished);
    EXPECT_EQ(outcome.tally.calls, 2 * outcome.acquired);
    EXPECT_EQ(outcome.tally.one_sided() + outcome.tally.sends, 0U);
    EXPECT_EQ(outcome.entry, "free");
  }
}

// The table knows the holder whether the entry shows it or not.
inline void expect_sound_unseen(const char* protocol) {
  RunSetup setup = mixed(protocol);
  setup.params = {{"show", false}};
  expect_sound(setup, 100);
  EXPECT_EQ(run(setup, 1).words, std::vector<std::uint64_t>{0});
}

struct Calls {
  std::array<std::uint64_t, 2> for_a_pair = {2, 2};  // acquire and release: at least, at most
  std::uint64_t to_give_up = 1;                      // an acquisition
};

// The deadlines have already passed: a client that cannot acquire the lock at once gives up, at
// every point of its acquisition.
inline void expect_deadlines_kept(RunSetup setup, const Calls& calls) {
  setup.impatient = true;
  if (on_hardware()) setup.hold = milliseconds(2);  // the clients of the one run meet
  std::uint64_t given_up = 0;
  std::uint64_t acquired = 0;
  for (std::uint64_t seed = 1; seed <= seeds(100); ++seed) {
    const Outcome outcome = run(setup, seed);
    given_up += outcome.aborted;
    acquired += outcome.acquired;
    ASSERT_TRUE(outcome.safe()) << "seed " << seed;
    ASSERT_EQ(outcome.end, RunEnd::finished);
    ASSERT_EQ(outcome.entry, "free") << "seed " << seed;
    ASSERT_EQ(outcome.acquired + outcome.aborted, 12U);
    const std::uint64_t in_vain = calls.to_give_up * outcome.aborted;
    ASSERT_GE(outcome.tally.calls, calls.for_a_pair[0] * outcome.acquired + in_vain);
    ASSERT_LE(outcome.tally.calls, calls.for_a_pair[1] * outcome.acquired + in_vain);
  }
  EXPECT_GT(given_up, 0U);
  EXPECT_GT(acquired, 0U);
}

#if LATCHLAB_WITH_SIMGRID
// Records why acquisitions fail, and makes the client give up.
class Resigned final : public LockClient {
 public:
  Resigned(LockClient& inner, std::vector<AbortReason>& reasons)
      : inner_(inner), reasons_(reasons) {}
  Task<AcquireResult> acquire(Want want, AcquireOptions options) override {
    const AcquireResult result = co_await inner_.acquire(want, options);
    const Aborted* const aborted = std::get_if<Aborted>(&result);
    if (aborted == nullptr) co_return result;
    reasons_.push_back(aborted->reason);
    co_return Aborted{AbortReason::deadline};
  }
  Task<ReleaseResult> release(Grant grant) override { return inner_.release(grant); }

 private:
  LockClient& inner_;
  std::vector<AbortReason>& reasons_;
};

// Clients acquire what they want, repeatedly, until the node of lock 0's server crashes. Each
// client is at some step then, and must finish. Returns the labels of the paths taken.
inline Labels expect_end_when_the_server_dies(
    RunSetup setup, Duration date,
    const std::function<Want(ClientId, std::uint64_t count, const World&)>& wanted) {
  std::vector<AbortReason> reasons;
  bool dead = false;
  setup.wrap = [&reasons](LockClient& inner) { return std::make_unique<Resigned>(inner, reasons); };
  setup.section = [&dead, &wanted](ClientId client, std::uint64_t count, const World& world,
                                   Section& section) {
    section.wants.push_back(wanted(client, count, world));
    section.options.deadline = Time{};  // a client that resigned does not retry
    return !dead;
  };
  CaseRun run(setup, 1);
  const NodeId server = run.world().lock(LockId{0}).entry.node;
  run.backend().at(Time{} + date, [&run, &dead, server] {
    run.backend().hardware_faults()->crash_node(server);
    dead = true;
  });
  paths::forget();
  paths::record(true);
  const Outcome outcome = run.go();
  paths::record(false);
  EXPECT_EQ(outcome.end, RunEnd::finished);
  EXPECT_EQ(outcome.safety.violations, 0U) << outcome.violation;
  EXPECT_THAT(reasons, ::testing::Contains(AbortReason::server_failed));
  return labels(setup.protocol, true);
}

// The server's node crashes during the run: later acquisitions fail and report it.
inline void expect_failure_of_the_server_told(const char* protocol) {
  RunSetup setup = timed(protocol, "");
  std::vector<AbortReason> reasons;
  setup.wrap = [&reasons](LockClient& inner) { return std::make_unique<Resigned>(inner, reasons); };
  setup.section = [](ClientId, std::uint64_t count, const World& world, Section& section) {
    section.wants.push_back(Want{world.lock(LockId{0})});
    section.work.hold = nanoseconds(100);
    return count < 100;
  };
  setup.make = [](const WorldPlan& plan) {
    std::unique_ptr<Backend> world = plain_simulation(plan);
    Backend* const backend = world.get();
    NodeId server;
    for (std::size_t i = 0; i < plan.nodes.size(); ++i)
      if (plan.nodes[i].server) server = NodeId{static_cast<std::uint16_t>(i + 1)};
    backend->at(Time{} + microseconds(100),
                [backend, server] { backend->hardware_faults()->crash_node(server); });
    return world;
  };
  const Outcome outcome = run(setup, 1);
  EXPECT_GT(outcome.acquired, 0U);
  EXPECT_TRUE(outcome.safe());
  EXPECT_EQ(outcome.end, RunEnd::finished);
  ASSERT_EQ(outcome.acquired + outcome.aborted, 800U);
  EXPECT_EQ(reasons.size(), outcome.aborted);
  EXPECT_THAT(non_empty(reasons), ::testing::Each(AbortReason::server_failed));
}
#endif

}  // namespace latchlab::testing

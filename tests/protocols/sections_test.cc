// Sections of the client loop: several locks, upgrades and aborts, with correct locks and with a
// test lock that misbehaves.

#include "tests/protocols/sections.h"

namespace latchlab::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

void all_three(ClientId, const World& world, Section& section) {
  for (const std::uint64_t lock : {0, 1, 2}) want(world, section, lock);
  section.work.hold = nanoseconds(20);
}

TEST(Sections, take_their_locks_in_order_and_release_them_in_reverse_order) {
  const Outcome outcome = run(alone(repeated("cas", 1, all_three)), 1);
  EXPECT_EQ(outcome.end, RunEnd::finished);
  EXPECT_THAT(outcome.log,
              ElementsAre("0 asks for 0", "0 takes 0", "0 asks for 1", "0 takes 1", "0 asks for 2",
                          "0 takes 2", "0 leaves 2", "0 leaves 1", "0 leaves 0"));
}

class SeveralHeld : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Protocols, SeveralHeld,
                         ::testing::Values("cas", "mcs", "dslr", "shiftlock", kReferenceLock),
                         [](const auto& made) { return std::string(made.param); });

TEST_P(SeveralHeld, exclude_each_other_and_are_guarded_lock_by_lock) {
  RunSetup setup = repeated(GetParam(), 3, all_three);
  setup.guard = GuardMode::on;
  for (std::uint64_t seed = 1; seed <= seeds(50); ++seed) {
    const Outcome outcome = run(setup, seed);
    ASSERT_EQ(outcome.end, RunEnd::finished) << "seed " << seed;
    EXPECT_TRUE(outcome.safe()) << outcome.violation;
    EXPECT_EQ(outcome.acquired, 4U * 3 * 3);
    EXPECT_EQ(outcome.guard.checks, outcome.acquired);
    EXPECT_THAT(outcome.guard.conflicts, IsEmpty());
    EXPECT_EQ(outcome.guard_word, 0U);
    EXPECT_THAT(outcome.left, IsEmpty());
  }
}

// The first lock is free, the second one is never granted in time.
RunSetup impatient_for_two(OnAbort on_abort) {
  return repeated("cas", 2, [=](ClientId client, const World& world, Section& section) {
    want(world, section, client.value == 0 ? 0 : 2);
    want(world, section, 1);
    section.on_abort = on_abort;
    section.work.hold = nanoseconds(50);
    section.options.deadline = Time{1};
  });
}

TEST(Sections, that_miss_their_deadline_release_what_they_hold_and_end) {
  LATCHLAB_NEEDS_EXPLORER("chosen orders");
  RunSetup setup = impatient_for_two(OnAbort::retry);
  setup.clients_per_node = 1;
  std::uint64_t gave_back = 0;
  for (std::uint64_t seed = 1; seed <= seeds(50); ++seed) {
    const Outcome outcome = run(setup, seed);
    ASSERT_EQ(outcome.end, RunEnd::finished);
    EXPECT_TRUE(outcome.safe()) << outcome.violation;
    for (std::size_t i = 0; i + 1 < outcome.log.size(); ++i) {
      if (outcome.log[i] != "0 is refused 1") continue;
      ++gave_back;
      std::vector<std::string> then;
      for (std::size_t j = i + 1; j < outcome.log.size(); ++j)
        if (outcome.log[j][0] == '0') then.push_back(outcome.log[j]);
      then.push_back("0 asks for 0");  // the next section, unless this was the last
      EXPECT_EQ(then[0], "0 leaves 0");
      EXPECT_EQ(then[1], "0 asks for 0");
    }
  }
  EXPECT_GT(gave_back, 0U);
}

// A lock that is refused a few times, for a temporary reason.
class Refusing final : public LockClient {
 public:
  Refusing(LockClient& inner, LockId refused, int acquisitions, int upgrades)
      : inner_(inner), refused_(refused), acquisitions_(acquisitions), upgrades_(upgrades) {}
  Task<AcquireResult> acquire(Want want, AcquireOptions options) override {
    if (want.lock.id == refused_ && acquisitions_-- > 0) co_return Aborted{AbortReason::too_many};
    co_return co_await inner_.acquire(want, options);
  }
  Task<ReleaseResult> release(Grant grant) override { return inner_.release(grant); }
  Task<AcquireResult> upgrade(Grant grant, AcquireOptions options) override {
    if (grant.lock.id == refused_ && upgrades_-- > 0) co_return Aborted{AbortReason::too_many};
    co_return co_await inner_.upgrade(grant, options);
  }

 private:
  LockClient& inner_;
  LockId refused_;
  int acquisitions_, upgrades_;  // how many more are refused
};

std::vector<std::string> refused_twice(RunSetup setup) {
  setup.wrap = [](LockClient& inner) -> std::unique_ptr<LockClient> {
    return std::make_unique<Refusing>(inner, LockId{1}, 2, 0);
  };
  const Outcome outcome = run(alone(setup), 1);
  EXPECT_EQ(outcome.end, RunEnd::finished);
  EXPECT_TRUE(outcome.safe());
  EXPECT_EQ(outcome.aborted, 2U);
  return outcome.log;
}

RunSetup two_wants(OnAbort on_abort) {
  return repeated("cas", 1, [=](ClientId, const World& world, Section& section) {
    want(world, section, 0);
    want(world, section, 1);
    section.on_abort = on_abort;
    section.pause = nanoseconds(10);
  });
}

TEST(Sections, retry_the_refused_lock_and_keep_the_other_locks) {
  EXPECT_THAT(
      refused_twice(two_wants(OnAbort::retry)),
      ElementsAre("0 asks for 0", "0 takes 0", "0 asks for 1", "0 is refused 1", "0 asks for 1",
                  "0 is refused 1", "0 asks for 1", "0 takes 1", "0 leaves 1", "0 leaves 0"));
}

TEST(Sections, release_everything_and_start_over_if_configured) {
  const std::vector<std::string> log = refused_twice(two_wants(OnAbort::give_back));
  const std::vector<std::string> round = {"0 asks for 0", "0 takes 0", "0 asks for 1",
                                          "0 is refused 1", "0 leaves 0"};
  ASSERT_EQ(log.size(), 2 * round.size() + 6);
  for (std::size_t i = 0; i < 2 * round.size(); ++i) EXPECT_EQ(log[i], round[i % round.size()]);
}

RunSetup upgrading(OnAbort on_abort) {
  return repeated(kReferenceLock, 1, [=](ClientId, const World& world, Section& section) {
    want(world, section, 0, LockMode::shared);
    want(world, section, 1, LockMode::update);
    want(world, section, 2, LockMode::update);
    section.upgrades = 1;
    section.on_abort = on_abort;
    section.work.hold = nanoseconds(20);
  });
}

TEST(Sections, upgrade_the_first_update_locks_when_all_are_held) {
  const Outcome outcome = run(alone(upgrading(OnAbort::retry)), 1);
  EXPECT_THAT(outcome.log,
              ElementsAre("0 asks for 0", "0 takes 0", "0 asks for 1", "0 takes 1", "0 asks for 2",
                          "0 takes 2", "0 upgrades 1", "0 leaves 2", "0 leaves 1", "0 leaves 0"));
}

TEST(Sections, release_everything_after_a_refused_upgrade) {
  RunSetup setup = upgrading(OnAbort::give_back);
  setup.wrap = [](LockClient& inner) -> std::unique_ptr<LockClient> {
    return std::make_unique<Refusing>(inner, LockId{1}, 0, 2);
  };
  const Outcome outcome = run(alone(setup), 1);
  EXPECT_EQ(outcome.end, RunEnd::finished);
  EXPECT_EQ(outcome.aborted, 2U);
  EXPECT_EQ(outcome.upgraded, 1U);
  const auto refused = std::find(outcome.log.begin(), outcome.log.end(), "0 cannot upgrade 1");
  ASSERT_GE(outcome.log.end() - refused, 5);
  EXPECT_THAT(std::vector(refused + 1, refused + 5),
              ElementsAre("0 leaves 2", "0 leaves 1", "0 leaves 0", "0 asks for 0"));
}

TEST(Sections, of_an_open_loop_do_not_begin_before_they_arrive) {
  std::optional<Time> arrival;  // of both: the second one comes when the client is not free
  const Outcome outcome =
      run(alone(repeated("cas", 2,
                         [&arrival](ClientId client, const World& world, Section& section) {
                           const Time now = world.verbs(client).now();
                           if (!arrival) arrival = now + microseconds(3);
                           EXPECT_TRUE(section.wants.empty());
                           want(world, section, now < *arrival ? 1 : 2);
                           section.arrived = arrival;
                         })),
          1);
  EXPECT_EQ(outcome.end, RunEnd::finished);
  EXPECT_THAT(outcome.log,
              ElementsAre("0 begins section 0", "0 asks for 1", "0 takes 1", "0 leaves 1",
                          "0 begins section 0", "0 asks for 2", "0 takes 2", "0 leaves 2"));
}

}  // namespace
}  // namespace latchlab::testing

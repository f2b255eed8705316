// The random backoff of dslr grows with consecutive failures on a lock (DSLR A.3).

#include "tests/conformance/simulation.h"
#include "tests/protocols/dslr/backoffs.h"

namespace latchlab::dslr_tests {
namespace {

TEST(dslr_backoff, grows_with_failures_on_its_own_lock_alone) {
  LATCHLAB_NEEDS_EXPLORER("where sleeps alone take time");
  Duration longest;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Backoffs seen = backoffs(seed);
    EXPECT_LE(seen.on_another, kFirstBackoff) << "seed " << seed;
    longest = std::max(longest, seen.after_failures);
  }
  EXPECT_GT(longest, kFirstBackoff * 100);
}

#if LATCHLAB_WITH_SIMGRID

// Client 1 holds both locks. Client 0 fails twelve times on one of them and once on the other.
Task<void> keep_both(World& world) {
  for (std::uint64_t lock = 0; lock < 2; ++lock)
    co_await world.client(ClientId{1}).acquire(Want{world.lock(LockId{lock})}, {});
}
Task<void> fail_on_both(World& world, Duration& on_another) {
  Verbs& verbs = world.verbs(ClientId{0});
  co_await verbs.sleep(microseconds(100));
  for (int i = 0; i < 13; ++i) {
    const Time begin = verbs.now();
    const Want want{world.lock(LockId{i < 12 ? 1U : 0U})};
    const AcquireResult result = co_await world.client(ClientId{0}).acquire(want, {});
    EXPECT_TRUE(std::holds_alternative<Aborted>(result));
    on_another = verbs.now() - begin;
  }
}

class BackoffByLock : public ::testing::TestWithParam<std::pair<const char*, ParamValues>> {};

TEST_P(BackoffByLock, timed_is_short_on_another_lock) {
  const ProtocolEntry& entry = *find_protocol(GetParam().first);
  ParamSet params = entry.info.resolve(entry.info.profiles.front().name);
  params.set(GetParam().second);
  params.set("backoff_first", milliseconds(1));
  params.set("backoff_bound", seconds(10));
  const auto protocol = entry.make(params);
  WorldShape shape;
  shape.client_nodes = 2;
  shape.locks.count = 2;
  World world(*protocol, shape);
  const auto backend = plain_simulation(world.plan());
  world.attach(*backend);
  Duration on_another;
  backend->spawn(world.verbs(ClientId{1}), keep_both(world), Time{});
  backend->spawn(world.verbs(ClientId{0}), fail_on_both(world, on_another), Time{});
  EXPECT_EQ(backend->run_until(Time{} + seconds(3000)), RunEnd::finished);
  EXPECT_LE(on_another, milliseconds(1) + microseconds(300));
}

INSTANTIATE_TEST_SUITE_P(
    timed, BackoffByLock,
    ::testing::Values(std::pair{"retry_on_fail", ParamValues{{"timeout_tries", number(2)}}},
                      std::pair{"drtm",
                                ParamValues{{"timeout_tries", number(2)}, {"lease", seconds(50)}}},
                      std::pair{"traditional", ParamValues{{"timeout", microseconds(100)}}}),
    [](const auto& tested) { return std::string(tested.param.first); });

#endif

}  // namespace
}  // namespace latchlab::dslr_tests

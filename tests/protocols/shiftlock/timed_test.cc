// ShiftLock in the simulator: leases expire while other clients continue.

#if LATCHLAB_WITH_SIMGRID
#include "tests/conformance/simulation.h"
#include "tests/protocols/shiftlock/bench.h"

namespace latchlab::shiftlock_tests {
namespace {

std::vector<Script> crowd(const Script& writer, const Script& reader) {
  return {writer, writer, writer, writer, reader, reader, reader, reader};
}

ParamSet short_leases() {
  ParamSet params = params_of("repaired");
  params.set("lease", microseconds(100));
  params.set("max_consecutive_writers", std::int64_t{2});
  return params;
}

TEST(ShiftlockTimed, contending_clients_exclude_each_other_within_the_limit) {
  Bench bench(short_leases(),
              crowd(times(200, writes(microseconds(1))), times(200, reads(microseconds(2)))), 1, 1,
              plain_simulation);
  ASSERT_EQ(bench.run(), RunEnd::finished);
  EXPECT_EQ(bench.safety().violations, 0u) << bench.monitor().describe_violation();
  EXPECT_EQ(bench.finished_cycles(), 1600u);
  EXPECT_LE(bench.longest_chain(), 2u);
  EXPECT_EQ(bench.recoveries(), 0u);
  EXPECT_EQ(bench.entry().relcnt, 1600u);
}

TEST(ShiftlockTimed, each_crash_and_each_forgotten_lock_is_recovered) {
  Script writer = times(40, writes(microseconds(1)));
  writer[20].skip_release = true;
  Bench bench(short_leases(), crowd(writer, times(40, reads(microseconds(2)))), 2, 1,
              plain_simulation);
  bench.crash_after(ClientId{0}, 20'000);
  bench.crash_after(ClientId{7}, 30'000);
  ASSERT_EQ(bench.run(), RunEnd::finished);
  EXPECT_EQ(bench.safety().violations, 0u) << bench.monitor().describe_violation();
  EXPECT_EQ(bench.safety().late_effects, 0u);
  EXPECT_GE(bench.recoveries(), 3u);
}

TEST(ShiftlockTimed, a_hold_past_its_lease_is_suppressed_and_harms_no_client) {
  std::vector<Script> scripts =
      crowd(times(400, writes(microseconds(1))), times(400, reads(microseconds(2))));
  scripts[0] = {};
  Bench bench(short_leases(), scripts, 3, 1, plain_simulation);
  bench.body = [](Bench& me, ClientId client) {
    return hold_until(me, client, LockMode::exclusive, Time{} + milliseconds(1));
  };
  ASSERT_EQ(bench.run(), RunEnd::finished);
  EXPECT_EQ(bench.safety().violations, 0u) << bench.monitor().describe_violation();
  EXPECT_GT(bench.safety().expired_holds, 0u);
  EXPECT_EQ(bench.safety().late_effects, 0u);
  EXPECT_EQ(bench.entry().readers, 0u);
}

}  // namespace
}  // namespace latchlab::shiftlock_tests
#endif

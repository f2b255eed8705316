// What a waiting ShiftLock client does after each look at the entry and each answer to its request
// for recovery. The test itself writes the effects of the lock's other users into the entry.

#include "tests/protocols/shiftlock/waiting.h"

#include "core/base/paths.h"
#if LATCHLAB_WITH_SIMGRID
#include "tests/conformance/simulation.h"
#endif

namespace latchlab::shiftlock_tests {
namespace {

// ---- a look at Epoch and RelCnt ----

TEST(ShiftlockWaiting, a_new_epoch_without_a_release_is_a_torn_pair_and_grants_no_reader) {
  LATCHLAB_NEEDS_EXPLORER("chosen dates");
  Bench bench(params_of("repaired"), {{}}, 1);
  Waited seen;
  const auto torn = [] {
    return paths::all("shiftlock: a waiting reader sees a torn pair").front().reached;
  };
  paths::forget();
  paths::record(true);
  wait_in(bench, seen, [&](Backend& backend) {
    backend.at(Time{} + milliseconds(100), [&] {
      EXPECT_FALSE(torn());
      change(bench, shiftlock::kEpochBit, 0);
    });
    backend.at(Time{} + milliseconds(200), [&] { count_a_release(bench); });
  });
  paths::record(false);
  EXPECT_TRUE(torn());
  EXPECT_GE(seen.took, milliseconds(199));
  EXPECT_EQ(seen.tally.atomics(), kReaderAtomics);
}

TEST(ShiftlockWaiting, a_new_epoch_after_a_recovery_grants_no_reader) {
  LATCHLAB_NEEDS_EXPLORER("chosen dates");
  Bench bench(params_of("repaired"), {{}}, 1);
  Waited seen;
  wait_in(bench, seen, [&](Backend& backend) {
    backend.at(Time{} + milliseconds(100), [&] {
      recover(bench);
      change(bench, shiftlock::kEpochBit, 1);
    });
  });
  EXPECT_EQ(seen.tally.atomics(), 2 * kReaderAtomics);  // it joined again
}

// ---- requests for recovery ----

// FAA, then era, RelCnt, request; rejected, and the same once more; FAA.
TEST(ShiftlockWaiting, after_a_rejected_request_a_client_waits_one_more_lease) {
  LATCHLAB_NEEDS_EXPLORER("waits for leases");
  for (const LockMode mode : {LockMode::shared, LockMode::exclusive}) {
    Bench bench(params_of("repaired"), {{}}, 1);
    Waited seen;
    seen.mode = mode;
    seen.before = [](Bench& me, std::uint64_t n) {
      if (n == 4) begin_an_era(me);
    };
    wait_in(bench, seen);
    EXPECT_EQ(seen.tally.calls, 2U);
    EXPECT_EQ(seen.recoveries, 1U);
    EXPECT_EQ(seen.tally.atomics(), 2U);
    EXPECT_GE(seen.took, seconds(4));
    EXPECT_LT(seen.took, seconds(5));
  }
}

TEST(ShiftlockWaiting, a_lock_that_changes_after_a_rejected_request_gets_three_more_leases) {
  LATCHLAB_NEEDS_EXPLORER("waits for leases");
  Bench bench(params_of("repaired"), {{}}, 1);
  Waited seen;
  seen.before = [](Bench& me, std::uint64_t n) {
    if (n != 4) return;
    begin_an_era(me);
    count_a_release(me);
  };
  wait_in(bench, seen);
  EXPECT_EQ(seen.tally.calls, 2U);
  EXPECT_GE(seen.took, seconds(7));
  EXPECT_LT(seen.took, seconds(8));
}

TEST(ShiftlockWaiting, a_client_sends_no_request_if_another_client_recovered_first) {
  LATCHLAB_NEEDS_EXPLORER("waits for leases");
  Bench bench(params_of("repaired"), {{}}, 1);
  Waited seen;
  seen.before = [](Bench& me, std::uint64_t n) {
    if (n == 3) recover(me);
  };
  wait_in(bench, seen);
  EXPECT_EQ(seen.tally.calls, 0U);
  EXPECT_EQ(seen.tally.atomics(), 2 * kReaderAtomics);
}

// ---- a client that resets by itself ----

// FAA, then RelCnt and reset.
Waited resets(void (*others)(Bench&), std::uint64_t before) {
  ParamSet params = params_of("repaired");
  params.set("recovered_by", std::string("client"));
  Bench bench(params, {{}}, 1);
  Waited seen;
  seen.before = [&](Bench& me, std::uint64_t n) {
    if (n == before) others(me);
  };
  wait_in(bench, seen);
  EXPECT_EQ(seen.tally.calls, 0U);
  return seen;
}

TEST(ShiftlockWaiting, a_client_does_not_reset_a_lock_that_has_changed) {
  LATCHLAB_NEEDS_EXPLORER("waits for leases");
  const Waited first = resets(recover, 2);  // found by the look before
  EXPECT_EQ(first.tally.atomics(), 2 * kReaderAtomics);
  const Waited second = resets(recover, 3);  // found by the reset itself
  EXPECT_EQ(second.tally.atomics(), 2 * kReaderAtomics + 1);
  EXPECT_LT(second.took, seconds(4));
  EXPECT_EQ(first.recoveries + second.recoveries, 0U);
  const Waited third = resets(count_a_release, 3);
  EXPECT_EQ(third.recoveries, 1U);
  EXPECT_EQ(third.tally.atomics(), 2 * kReaderAtomics + 2);
  EXPECT_GE(third.took, seconds(7));
}

// ---- pauses ----

Task<void> acquire_alone(Bench& bench, Duration& took) {
  const Time begin = bench.verbs(0).now();
  const Want want{bench.lock(), LockMode::exclusive};
  (void)co_await bench.world().client(ClientId{0}).acquire(want, {});
  took = bench.verbs(0).now() - begin;
}

TEST(ShiftlockWaiting, the_first_trivial_try_comes_at_once) {
  LATCHLAB_NEEDS_EXPLORER("looks at the clock");
  ParamSet params = params_of("artifact");
  params.set("trivial_pause", milliseconds(10));
  Duration took;
  Bench bench(params, {{}}, 1);
  bench.body = [&took](Bench& me, ClientId) { return acquire_alone(me, took); };
  EXPECT_EQ(bench.run(), RunEnd::finished);
  EXPECT_LT(took, milliseconds(10));
}

// ---- pauses of the artifact ----

#if LATCHLAB_WITH_SIMGRID
// As in the artifact: the reader is granted the lock during its first pause.
TEST(ShiftlockTimed, a_reader_that_pauses_first_looks_once) {
  ParamSet params = params_of("repaired");
  params.set("poll_pause", microseconds(100));
  params.set("reader_pause_first", true);
  Bench bench(params, {{}}, 1, 1, plain_simulation);
  Waited seen;
  wait_in(bench, seen, [&](Backend& backend) {
    backend.at(Time{} + microseconds(50), [&] { change(bench, shiftlock::kEpochBit, 1); });
  });
  EXPECT_EQ(seen.tally.reads(), 1U);
}
#endif

}  // namespace
}  // namespace latchlab::shiftlock_tests

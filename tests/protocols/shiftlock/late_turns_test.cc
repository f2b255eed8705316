// ShiftLock clients that learn late that their turn has come: two leases or more after RelCnt
// changed, so that the lock may be recovered while they hold it.

#if LATCHLAB_WITH_SIMGRID
#include "tests/conformance/simulation.h"
#include "tests/protocols/shiftlock/waiting.h"

namespace latchlab::shiftlock_tests {
namespace {

constexpr Duration kLease = microseconds(100);

ParamSet with_leases(const char* late_turn) {
  ParamSet params = params_of("repaired");
  params.set("lease", kLease);
  params.set("late_turn", std::string(late_turn));
  return params;
}

// Readers are granted the lock after they have waited for so long. Returns their READs except
// probes.
std::uint64_t last_looks(Duration let_in_after, Waited& seen, const ParamSet& params) {
  Bench bench(params, {{}}, 1, 1, plain_simulation);
  wait_in(bench, seen, [&](Backend& backend) {
    backend.at(Time{} + let_in_after, [&] { change(bench, shiftlock::kEpochBit, 1); });
  });
  return seen.tally.reads() - seen.tally.probe_reads;
}
constexpr Duration kSoon = kLease + kLease / 2;
constexpr Duration kLater = kLease * 2 + kLease / 2;

TEST(ShiftlockTimed, a_reader_that_is_granted_between_two_looks_enters_at_once) {
  Waited seen;
  EXPECT_EQ(last_looks(kLater, seen, with_leases("renew")), 0U);
  EXPECT_EQ(seen.tally.atomics(), kReaderAtomics);
}
TEST(ShiftlockTimed, as_printed_a_reader_that_saw_the_lock_move_within_two_leases_enters_at_once) {
  Waited seen;
  EXPECT_EQ(last_looks(kSoon, seen, with_leases("trust")), 0U);
  EXPECT_EQ(seen.tally.atomics(), kReaderAtomics);
}
TEST(ShiftlockTimed, as_printed_a_reader_that_saw_an_unchanged_lock_looks_once_more) {
  Waited seen;
  EXPECT_EQ(last_looks(kLater, seen, with_leases("trust")), 1U);
  EXPECT_EQ(seen.tally.atomics(), kReaderAtomics);
}
TEST(ShiftlockTimed, a_reader_without_recovery_enters_at_once_however_late) {
  ParamSet params = with_leases("trust");
  params.set("recovery", false);
  Waited seen;
  EXPECT_EQ(last_looks(kLater, seen, params), 0U);
}
TEST(ShiftlockTimed, a_last_look_that_finds_a_recovery_grants_no_reader) {
  Waited seen;
  seen.before = [](Bench& me, std::uint64_t n) {
    if (n == 2) recover(me);
  };
  EXPECT_EQ(last_looks(kLater, seen, with_leases("trust")), 1U);
  EXPECT_EQ(seen.tally.atomics(), 2 * kReaderAtomics);
}
TEST(ShiftlockTimed, a_last_look_that_fails_grants_no_reader) {
  Waited seen;
  seen.fails = 2;
  EXPECT_EQ(last_looks(kLater, seen, with_leases("trust")), 1U);
}

// The reader is paused for longer than two leases; meanwhile a writer that releases grants it the
// lock.
ActorTally let_in_while_it_stood_still(bool recovered) {
  Waited seen;
  Bench bench(with_leases("renew"), {{}}, 1, 1, plain_simulation);
  wait_in(bench, seen, [&](Backend& backend) {
    backend.at(Time{} + kLease / 2,
               [&] { bench.backend().cpu_faults()->pause(ClientId{0}, kLater + kLease); });
    backend.at(Time{} + kLease, [&] {
      change(bench, shiftlock::tail_bits(bench.entry().tail) | shiftlock::kEpochBit, 1);
      if (recovered) recover(bench);
    });
  });
  return seen.tally;
}
TEST(ShiftlockTimed, a_reader_whose_turn_may_be_over_leaves_and_joins_again) {
  const ActorTally tally = let_in_while_it_stood_still(false);
  EXPECT_EQ(tally.atomics(), 2 * kReaderAtomics + 1);
  EXPECT_EQ(tally.mismatched, 0U);
}
TEST(ShiftlockTimed, a_reader_that_was_paused_during_a_recovery_joins_again) {
  EXPECT_EQ(let_in_while_it_stood_still(true).atomics(), 2 * kReaderAtomics);
}

// Client 0 acts as a predecessor: it hands the lock over so long after it has counted its release.
// Client 1 is the successor.
struct Handed {
  Duration after = {};
  bool recovered = false;  // just before the message arrives
  std::uint64_t atomics = 0;
  std::uint64_t mismatched = 0;
  Duration valid = {};  // of the grant, from when it is given
};

Task<void> hand_over_late(Bench& bench, const Handed& handed) {
  Verbs& verbs = bench.verbs(0);
  const EndpointAddr self = verbs.open_endpoint(8);
  co_await verbs.issue(bench.format().join_queue(bench.lock().entry, self));
  const WaitOutcome woke = co_await verbs.receive(self, {}, kNever);
  co_await verbs.issue(bench.format().count_release(bench.lock().entry));
  const std::uint64_t relcnt = bench.entry().relcnt;
  co_await verbs.sleep(handed.after);
  if (handed.recovered) recover(bench);
  const Message handover = shiftlock::pack(shiftlock::kHandover, LockId{0}, woke.message.generation,
                                           {self, relcnt, 1, 0});
  (void)co_await verbs.send(shiftlock::unpack(woke.message).sender, handover);
}

Task<void> be_handed(Bench& bench, Handed& handed) {
  Verbs& verbs = bench.verbs(1);
  while (bench.entry().tail.null()) co_await verbs.sleep(microseconds(1));
  const Want want{bench.lock(), LockMode::exclusive};
  const AcquireResult got = co_await bench.world().client(ClientId{1}).acquire(want, {});
  const Grant grant = *std::get_if<Grant>(&got);
  handed.valid = grant.valid_until - verbs.now();
  handed.atomics = verbs.tally().atomics();
  handed.mismatched = verbs.tally().mismatched;
  const ReleaseResult released = co_await bench.world().client(ClientId{1}).release(grant);
  EXPECT_EQ(released, ReleaseResult::released);
}

Handed handed_over(Duration after, bool recovered, const char* late_turn) {
  Handed handed;
  handed.after = after;
  handed.recovered = recovered;
  Bench bench(with_leases(late_turn), {{}, {}}, 1, 1, plain_simulation);
  bench.body = [&](Bench& me, ClientId client) {
    return client.value == 0 ? hand_over_late(me, handed) : be_handed(me, handed);
  };
  EXPECT_EQ(bench.run(), RunEnd::finished);
  EXPECT_TRUE(bench.entry().tail.null());
  return handed;
}

TEST(ShiftlockTimed, a_handover_within_half_a_lease_costs_no_verb) {
  const Handed handed = handed_over(kLease / 2, false, "renew");
  EXPECT_EQ(handed.atomics, 1U);
  EXPECT_GT(handed.valid, Duration{});
}
TEST(ShiftlockTimed, a_writer_moves_relcnt_before_it_takes_a_handover_that_is_late) {
  const Handed handed = handed_over(kLater, false, "renew");
  EXPECT_EQ(handed.atomics, 2U);
  EXPECT_EQ(handed.mismatched, 0U);
  EXPECT_GT(handed.valid, kLease / 2);
}
TEST(ShiftlockTimed, a_handover_that_comes_with_a_recovery_is_not_taken) {
  const Handed handed = handed_over(kLater, true, "renew");
  EXPECT_EQ(handed.mismatched, 1U);
  EXPECT_EQ(handed.atomics, 3U);  // it joins again
}
TEST(ShiftlockTimed, as_printed_a_handover_is_taken_however_late) {
  EXPECT_EQ(handed_over(kLater, false, "trust").atomics, 1U);
}

}  // namespace
}  // namespace latchlab::shiftlock_tests
#endif

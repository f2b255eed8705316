// What a ShiftLock client that waits makes of each look at the entry, and of each answer to its
// request for recovery. The lock's other users are what the test writes into the entry.

#include "core/base/paths.h"
#include "tests/protocols/faulty.h"
#include "tests/protocols/shiftlock/bench.h"
#if LATCHLAB_WITH_SIMGRID
#include "tests/conformance/simulation.h"
#endif

namespace latchlab::shiftlock_tests {
namespace {

using ::latchlab::testing::FaultyClient;

// Before the n-th verb or call, from 1, that is no probe.
using Hook = std::function<void(Bench&, std::uint64_t n)>;

struct Waited {
  LockMode mode = LockMode::shared;
  Hook before = [](Bench&, std::uint64_t) {};
  std::uint64_t fails = 0;  // this one
  bool granted = false;
  std::uint64_t recoveries = 0;
  Duration took;
  ActorTally tally;
};

// Behind a writer that has died.
Task<void> wait_behind_the_dead(Bench& bench, Waited& seen) {
  Verbs& verbs = bench.verbs(0);
  const EndpointAddr dead = verbs.open_endpoint(8);
  const Verb queued = bench.format().join_queue(bench.lock().entry, dead);
  co_await verbs.issue(queued);
  verbs.tally() = {};
  std::uint64_t count = 0;
  FaultyClient client(bench.world(), ClientId{0}, [&](const Operation& op) {
    if (op.kind != OpKind::verb && op.kind != OpKind::call) return std::optional<VerbStatus>();
    seen.before(bench, ++count);
    return count == seen.fails ? std::optional(VerbStatus::peer_failed) : std::nullopt;
  });
  const Want want{bench.lock(), seen.mode};
  const Time begin = verbs.now();
  const AcquireResult got = co_await client->acquire(want, {});
  seen.granted = std::get_if<Grant>(&got) != nullptr;
  seen.recoveries = client->recoveries();
  seen.took = verbs.now() - begin;
  seen.tally = verbs.tally();
}

// `at`: before the run, with what is to happen at which date.
void wait_in(Bench& bench, Waited& seen, const std::function<void(Backend&)>& at = {}) {
  bench.body = [&seen](Bench& me, ClientId) { return wait_behind_the_dead(me, seen); };
  if (at) at(bench.backend());
  EXPECT_EQ(bench.run(), RunEnd::finished);
  EXPECT_EQ(seen.granted, seen.fails == 0);
}

// ---- what others do ----

void change(Bench& bench, std::uint64_t lo, std::uint64_t hi) {
  Backend& backend = bench.backend();
  const RemoteAddr entry = bench.lock().entry;
  backend.poke(entry, backend.peek(entry) ^ lo);
  backend.poke(entry + 8, backend.peek(entry + 8) + hi);
}
void count_a_release(Bench& bench) {
  change(bench, 0, 1);
}
// One recovery more; readers and writers are out. Another client has had the lock since.
void recover(Bench& bench) {
  const RemoteAddr entry = bench.lock().entry;
  const std::uint64_t relcnt = bench.entry().relcnt;
  bench.backend().poke(entry, bench.backend().peek(entry) & shiftlock::kEpochBit);
  bench.backend().poke(entry + 8, bench.format().plus(bench.format().recovered(relcnt), 1));
}
void begin_an_era(Bench& bench) {
  const RemoteAddr era = bench.world().server_words(bench.lock().entry.node);
  bench.backend().poke(era, bench.backend().peek(era) + 1);
}

constexpr std::uint64_t kReaderAtomics = 1;  // to join

// ---- a look at Epoch and RelCnt ----

TEST(ShiftlockWaiting, a_new_epoch_without_a_release_is_a_torn_pair_and_lets_no_reader_in) {
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

TEST(ShiftlockWaiting, a_new_epoch_after_a_recovery_lets_no_reader_in) {
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

// FAA, then era, RelCnt, request; rejected, and so once more; FAA.
TEST(ShiftlockWaiting, after_a_rejected_request_a_client_waits_for_one_lease_more) {
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

TEST(ShiftlockWaiting, a_lock_that_moves_after_a_rejected_request_has_three_leases_again) {
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

TEST(ShiftlockWaiting, a_client_asks_for_nothing_when_somebody_else_was_faster) {
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

TEST(ShiftlockWaiting, a_client_that_resets_leaves_alone_what_has_moved) {
  LATCHLAB_NEEDS_EXPLORER("waits for leases");
  const Waited first = resets(recover, 2);  // seen by the look before
  EXPECT_EQ(first.tally.atomics(), 2 * kReaderAtomics);
  const Waited second = resets(recover, 3);  // by the reset itself
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

// ---- turns that are late ----

#if LATCHLAB_WITH_SIMGRID
constexpr Duration kLease = microseconds(100);

ParamSet with_leases(const char* late_turn) {
  ParamSet params = params_of("repaired");
  params.set("lease", kLease);
  params.set("late_turn", std::string(late_turn));
  return params;
}

// Readers are let in when the wait has gone on for so long. READs that are no probes.
std::uint64_t last_looks(Duration let_in_after, Waited& seen, const ParamSet& params) {
  Bench bench(params, {{}}, 1, 1, plain_simulation);
  wait_in(bench, seen, [&](Backend& backend) {
    backend.at(Time{} + let_in_after, [&] { change(bench, shiftlock::kEpochBit, 1); });
  });
  return seen.tally.reads() - seen.tally.probe_reads;
}
constexpr Duration kSoon = kLease + kLease / 2;
constexpr Duration kLater = kLease * 2 + kLease / 2;

TEST(ShiftlockTimed, a_reader_that_is_let_in_between_two_looks_enters_at_once) {
  Waited seen;
  EXPECT_EQ(last_looks(kLater, seen, with_leases("renew")), 0U);
  EXPECT_EQ(seen.tally.atomics(), kReaderAtomics);
}
TEST(ShiftlockTimed, as_printed_a_reader_that_saw_the_lock_move_within_two_leases_enters_at_once) {
  Waited seen;
  EXPECT_EQ(last_looks(kSoon, seen, with_leases("trust")), 0U);
  EXPECT_EQ(seen.tally.atomics(), kReaderAtomics);
}
TEST(ShiftlockTimed, as_printed_a_reader_that_saw_the_lock_stand_still_looks_once_more) {
  Waited seen;
  EXPECT_EQ(last_looks(kLater, seen, with_leases("trust")), 1U);
  EXPECT_EQ(seen.tally.atomics(), kReaderAtomics);
}
TEST(ShiftlockTimed, a_reader_without_recovery_enters_at_once_whenever_it_is) {
  ParamSet params = with_leases("trust");
  params.set("recovery", false);
  Waited seen;
  EXPECT_EQ(last_looks(kLater, seen, params), 0U);
}
TEST(ShiftlockTimed, a_last_look_that_finds_a_recovery_lets_no_reader_in) {
  Waited seen;
  seen.before = [](Bench& me, std::uint64_t n) {
    if (n == 2) recover(me);
  };
  EXPECT_EQ(last_looks(kLater, seen, with_leases("trust")), 1U);
  EXPECT_EQ(seen.tally.atomics(), 2 * kReaderAtomics);
}
TEST(ShiftlockTimed, a_last_look_that_fails_lets_no_reader_in) {
  Waited seen;
  seen.fails = 2;
  EXPECT_EQ(last_looks(kLater, seen, with_leases("trust")), 1U);
}

// It stands still for longer than two leases, and is let in meanwhile, by a writer that leaves.
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
TEST(ShiftlockTimed, a_reader_that_stood_still_through_a_recovery_joins_again) {
  EXPECT_EQ(let_in_while_it_stood_still(true).atomics(), 2 * kReaderAtomics);
}

// Client 0 stands for a predecessor: it hands the lock over so long after it has counted its
// release. Client 1 is the follower.
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

// As in the artifact: it is let in during its first pause.
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

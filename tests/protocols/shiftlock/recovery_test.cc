// ShiftLock with failures: recovery after the crash of a holder or waiter, eras, fences.

#include "tests/protocols/shiftlock/bench.h"

namespace latchlab::shiftlock_tests {
namespace {

std::vector<Script> pairs_of(int writers, int readers, int rounds) {
  std::vector<Script> scripts;
  for (int i = 0; i < writers; ++i) scripts.push_back(times(rounds, writes()));
  for (int i = 0; i < readers; ++i) scripts.push_back(times(rounds, reads()));
  return scripts;
}

// The victim, client 0, crashes when it is granted the lock; the other clients continue. On
// hardware it may be the last one to be granted the lock, so that no client waits behind it: then
// the run is repeated.
void holder_dies(LockMode mode) {
  std::uint64_t recoveries = 0;
  const std::uint64_t most = latchlab::on_hardware() ? 20 : seeds(100);
  for (std::uint64_t seed = 1; seed <= most; ++seed) {
    if (latchlab::on_hardware() && recoveries > 0) break;
    std::vector<Script> scripts = pairs_of(3, 2, 2);
    scripts[0] = {mode == LockMode::shared ? reads() : writes()};
    Bench bench(params_of("repaired"), scripts, seed);
    bench.on_grant = [&](ClientId client, const Grant&) {
      if (client.value == 0) bench.crash(client);
    };
    ASSERT_EQ(bench.run(), RunEnd::finished) << "seed " << seed;
    ASSERT_EQ(bench.safety().violations, 0u) << bench.monitor().describe_violation();
    ASSERT_EQ(bench.finished_cycles(), 8u);
    recoveries += bench.recoveries();
  }
  EXPECT_GT(recoveries, 0u);
}

TEST(ShiftlockRecovery, the_lock_continues_after_a_writer_crashes_while_holding_it) {
  holder_dies(LockMode::exclusive);
}

TEST(ShiftlockRecovery, the_lock_continues_after_a_reader_crashes_while_holding_it) {
  holder_dies(LockMode::shared);
}

TEST(ShiftlockRecovery, the_lock_continues_after_a_crash_at_any_step) {
  LATCHLAB_NEEDS_EXPLORER("deaths after a number of steps");
  std::uint64_t recoveries = 0;
  for (std::uint64_t seed = 1; seed <= seeds(400); ++seed) {
    Bench bench(params_of("repaired"), pairs_of(4, 2, 2), seed);
    bench.crash_after(ClientId{seed % 2 == 0 ? 0u : 5u}, static_cast<std::int64_t>(seed % 97) + 1);
    bench.crash_after(ClientId{1}, static_cast<std::int64_t>(seed % 61) + 20);
    ASSERT_EQ(bench.run(), RunEnd::finished) << "seed " << seed;
    ASSERT_EQ(bench.safety().violations, 0u) << bench.monitor().describe_violation();
    recoveries += bench.recoveries();
  }
  EXPECT_GT(recoveries, 50u);
}

// A client that stays alive without releasing its lock, as a fault of the workload.
TEST(ShiftlockRecovery, forgotten_locks_come_back_to_the_client_that_forgot_them) {
  for (std::uint64_t seed = 1; seed <= seeds(100); ++seed) {
    std::vector<Script> scripts = pairs_of(3, 1, 4);
    for (Script& script : scripts) script[seed % 3].skip_release = true;
    Bench bench(params_of("repaired"), scripts, seed);
    ASSERT_EQ(bench.run(), RunEnd::finished) << "seed " << seed;
    ASSERT_EQ(bench.safety().violations, 0u) << bench.monitor().describe_violation();
  }
}

Task<void> ask_three_times(Bench& me, std::vector<std::uint64_t>& answers) {
  Verbs& verbs = me.verbs(0);
  const RemoteAddr entry = me.lock().entry;
  // A writer that crashed left its tail here.
  co_await verbs.issue(me.format().join_queue(entry, EndpointAddr{NodeId{9}, 9}));
  Request request;
  request.type = shiftlock::kRecover;
  request.words = {entry.packed(), 0, 0, 0};
  const Reply first = co_await verbs.call(entry.node, request);
  answers.push_back(first.words[0]);
  co_await verbs.issue(me.format().join_queue(entry, EndpointAddr{NodeId{9}, 9}));
  const Reply second = co_await verbs.call(entry.node, request);
  answers.push_back(second.words[0]);
  request.words[1] = 1;  // the era is right, but the lock has been used since
  const Reply third = co_await verbs.call(entry.node, request);
  answers.push_back(third.words[0]);
}

// Two clients know the same era; the second request arrives when the first is done (Figure 2c).
TEST(ShiftlockRecovery, a_second_request_of_one_era_is_rejected) {
  Bench bench(params_of("repaired"), {{}}, 1);
  std::vector<std::uint64_t> answers;
  bench.body = [&answers](Bench& me, ClientId) { return ask_three_times(me, answers); };
  ASSERT_EQ(bench.run(), RunEnd::finished);
  EXPECT_EQ(answers, (std::vector<std::uint64_t>{1, 0, 0}));
  EXPECT_FALSE(bench.entry().tail.null());
  EXPECT_EQ(bench.entry().relcnt, bench.format().recovered(0));
}

TEST(ShiftlockRecovery, a_reset_by_the_server_s_own_reading_resets_a_lock_in_use) {
  Bench bench(params_of("paper"), {{}}, 1);
  bench.body = [](Bench& me, ClientId) -> Task<void> {
    const RemoteAddr entry = me.lock().entry;
    co_await me.verbs(0).issue(me.format().count_release(entry));
    co_await me.verbs(0).issue(me.format().join_queue(entry, EndpointAddr{NodeId{9}, 9}));
    Request request;
    request.type = shiftlock::kRecover;
    request.words = {entry.packed(), 0, 0, 0};  // read when RelCnt was 0
    co_await me.verbs(0).call(entry.node, request);
  };
  ASSERT_EQ(bench.run(), RunEnd::finished);
  EXPECT_TRUE(bench.entry().tail.null());
}

struct LateReleases {
  std::uint64_t expired_holds = 0;
  std::uint64_t late_effects = 0;
  std::uint64_t violations = 0;
  std::uint64_t phantoms = 0;  // runs that leave more readers counted than there are clients
};

LateReleases late_releases(const ParamSet& params, LockMode mode, std::uint64_t runs) {
  LateReleases found;
  for (std::uint64_t seed = 1; seed <= runs; ++seed) {
    Bench bench(params, {{}, times(2, writes()), times(2, reads()), times(2, writes())}, seed);
    bench.body = [mode](Bench& me, ClientId client) {
      return hold_until(me, client, mode, kLeasesLater);
    };
    EXPECT_EQ(bench.run(), RunEnd::finished) << "seed " << seed;
    found.expired_holds += bench.safety().expired_holds;
    found.late_effects += bench.safety().late_effects;
    found.violations += bench.safety().violations;
    if (bench.entry().readers > 4) ++found.phantoms;
  }
  return found;
}

TEST(ShiftlockRecovery, releases_after_expiry_are_suppressed) {
  LATCHLAB_NEEDS_EXPLORER("waits for many leases");
  for (const LockMode mode : {LockMode::exclusive, LockMode::shared}) {
    const LateReleases found = late_releases(params_of("repaired"), mode, 200);
    EXPECT_GT(found.expired_holds, 0u);
    EXPECT_EQ(found.late_effects, 0u);
    EXPECT_EQ(found.violations, 0u);
    EXPECT_EQ(found.phantoms, 0u);
  }
}

TEST(ShiftlockRecovery, without_a_fence_a_late_reader_leaves_a_count_of_readers_that_do_not_exist) {
  LATCHLAB_NEEDS_EXPLORER("waits for many leases");
  ParamSet params = params_of("repaired");
  params.set("release_fence", std::string("none"));
  const LateReleases found = late_releases(params, LockMode::shared, 200);
  EXPECT_GT(found.late_effects, 0u);
  EXPECT_GT(found.phantoms, 0u);
}

// Clients 0 and 1 queue as writers; client 0 exceeds its lease, and client 1 has the lock
// recovered. When client 0 finally releases, the other clients use the lock again.
Task<void> come_back_later(Bench& bench, ClientId client) {
  const LockMode mode = client.value < 3 ? LockMode::exclusive : LockMode::shared;
  if (client.value == 0) {
    co_await hold_until(bench, client, mode, kLeasesLater);
    co_return;
  }
  if (client.value == 1) co_await hold_until(bench, client, mode, Time{});
  co_await sleep_until(bench.world().verbs(client), kLeasesLater);
  for (int i = 0; i < 2; ++i) co_await hold_until(bench, client, mode, Time{});
}

std::uint64_t violations_of_a_late_writer(const ParamSet& params, std::uint64_t runs) {
  std::uint64_t violations = 0;
  for (std::uint64_t seed = 1; seed <= runs; ++seed) {
    Bench bench(params, {{}, {}, {}, {}, {}}, seed);
    bench.body = come_back_later;
    (void)bench.run();
    violations += bench.safety().violations;
  }
  return violations;
}

TEST(ShiftlockRecovery, a_late_writer_does_no_harm_behind_its_fence) {
  LATCHLAB_NEEDS_EXPLORER("waits for many leases");
  EXPECT_EQ(violations_of_a_late_writer(params_of("repaired"), 1000), 0u);
}

TEST(ShiftlockRecovery, without_a_fence_a_late_writer_grants_a_writer_beside_a_reader) {
  LATCHLAB_NEEDS_EXPLORER("waits for many leases");
  ParamSet params = params_of("repaired");
  params.set("release_fence", std::string("none"));
  EXPECT_GT(violations_of_a_late_writer(params, 1000), 0u);
}

TEST(ShiftlockRecovery, narrow_counters_recover_too) {
  LATCHLAB_NEEDS_EXPLORER("deaths after a number of steps");
  ParamSet params = params_of("repaired");
  params.set("relcnt_bits", std::int64_t{6});
  params.set("recovery_bits", std::int64_t{3});
  params.set("rdrcnt_bits", std::int64_t{3});
  params.set("max_consecutive_writers", std::int64_t{1});
  for (std::uint64_t seed = 1; seed <= seeds(300); ++seed) {
    Bench bench(params, pairs_of(4, 2, 2), seed);
    bench.crash_after(ClientId{0}, static_cast<std::int64_t>(seed % 97) + 1);
    bench.crash_after(ClientId{5}, static_cast<std::int64_t>(seed % 61) + 1);
    ASSERT_EQ(bench.run(), RunEnd::finished) << "seed " << seed;
    ASSERT_EQ(bench.safety().violations, 0u) << bench.monitor().describe_violation();
  }
}

// A writer's verbs after a recovery that it has not noticed change nothing in the entry.
TEST(ShiftlockRecovery, a_fenced_writer_misses_a_recovered_lock) {
  const shiftlock::EntryFormat format;
  const EndpointAddr self{NodeId{2}, 1};
  const RemoteAddr at{NodeId{1}, 4096};
  const Words before{shiftlock::tail_bits(self), 7};
  const Words after = after_atomic(format.reset(at, 7, true), before);
  EXPECT_EQ(after, (Words{0, format.recovered(7)}));
  const Words again = after_atomic(format.join_queue(at, self), after);
  EXPECT_EQ(after_atomic(format.leave_queue(at, self, 0, 7, true), again), again);
  EXPECT_EQ(after_atomic(format.count_release_if(at, 7), again), again);
  EXPECT_EQ(after_atomic(format.change_mode_if(at, 0, 7, true, true), again), again);
}

// Epoch is 1 when the holder crashes: waiting readers would take a reset to 0 for their turn.
std::uint64_t violations_after_reset(const ParamSet& params, std::uint64_t runs) {
  std::uint64_t violations = 0;
  for (std::uint64_t seed = 1; seed <= runs; ++seed) {
    std::vector<Script> scripts = pairs_of(3, 3, 2);
    scripts[0] = {writes(), writes()};
    Bench bench(params, scripts, seed);
    int grants = 0;
    bench.on_grant = [&](ClientId client, const Grant&) {
      if (client.value == 0 && ++grants == static_cast<int>(seed % 2) + 1) bench.crash(client);
    };
    (void)bench.run();
    violations += bench.safety().violations;
  }
  return violations;
}

TEST(ShiftlockRecovery, a_reset_grants_no_waiting_reader) {
  LATCHLAB_NEEDS_EXPLORER("searches for an order");
  EXPECT_EQ(violations_after_reset(params_of("repaired"), 600), 0u);
}

TEST(ShiftlockRecovery, a_reset_as_printed_grants_waiting_readers) {
  LATCHLAB_NEEDS_EXPLORER("searches for an order");
  ParamSet params = params_of("repaired");
  params.set("reset_epoch", std::string("zero"));
  params.set("admission", std::string("epoch_first"));
  EXPECT_GT(violations_after_reset(params, 600), 0u);
}

TEST(ShiftlockRecovery, keeping_the_epoch_alone_is_not_enough) {
  LATCHLAB_NEEDS_EXPLORER("searches for an order");
  ParamSet params = params_of("repaired");
  params.set("admission", std::string("epoch_first"));
  EXPECT_GT(violations_after_reset(params, 600), 0u);
}

}  // namespace
}  // namespace latchlab::shiftlock_tests

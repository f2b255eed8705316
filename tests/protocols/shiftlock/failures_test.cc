// ShiftLock when verbs and calls fail: waiting clients are told, and a release that failed has
// ended.

#include "tests/protocols/faulty.h"
#include "tests/protocols/shiftlock/bench.h"

namespace latchlab::shiftlock_tests {
namespace {

using ::latchlab::testing::FaultyClient;

constexpr std::uint64_t kAll = ~0ULL;

// A client's verbs and calls except probes, counted from 1: `count` of them fail, from the `first`
// on.
struct Faults {
  std::uint64_t first = 0;
  std::uint64_t count = 1;
  std::uint64_t asked = 0;

  FaultDecision decision() {
    return [this](const Operation& op) -> std::optional<VerbStatus> {
      const bool counted = op.kind == OpKind::verb || op.kind == OpKind::call;
      if (!counted) return std::nullopt;
      ++asked;
      if (asked < first || asked - first >= count) return std::nullopt;
      return VerbStatus::peer_failed;
    };
  }
};

// Acquires behind a crashed writer or, with `free`, a free lock.
Task<void> acquire(Bench& bench, LockMode mode, bool free, Faults& faults, std::string& ended) {
  Verbs& verbs = bench.verbs(0);
  const EndpointAddr dead = verbs.open_endpoint(8);
  const Verb queued = bench.format().join_queue(bench.lock().entry, dead);
  if (!free) co_await verbs.issue(queued);
  FaultyClient client(bench.world(), ClientId{0}, faults.decision());
  const Want want{bench.lock(), mode};
  const AcquireResult got = co_await client->acquire(want, {});
  const Aborted* const aborted = std::get_if<Aborted>(&got);
  ended = aborted == nullptr                              ? "granted"
          : aborted->reason == AbortReason::server_failed ? "the server failed"
                                                          : "aborted";
}

std::string acquired(const ParamSet& params, LockMode mode, bool free, Faults faults) {
  std::string ended;
  Bench bench(params, {{}}, 1);
  bench.body = [&](Bench& me, ClientId) { return acquire(me, mode, free, faults, ended); };
  EXPECT_EQ(bench.run(), RunEnd::finished);
  return ended;
}

void expect_each_failure_told(const ParamSet& params, LockMode mode, std::uint64_t verbs) {
  for (std::uint64_t first = 1; first <= verbs; ++first)
    EXPECT_EQ(acquired(params, mode, false, {first, 1}), "the server failed") << first;
  EXPECT_EQ(acquired(params, mode, false, {verbs + 1, 1}), "granted");
}

// The atomic; three leases later the era, RelCnt and the request; and the atomic again.
TEST(ShiftlockFailures, each_failure_during_a_recovery_is_reported) {
  LATCHLAB_NEEDS_EXPLORER("waits for leases");
  for (const LockMode mode : {LockMode::exclusive, LockMode::shared})
    expect_each_failure_told(params_of("repaired"), mode, 5);
}

// The atomic; RelCnt and the reset; and the atomic again.
TEST(ShiftlockFailures, each_failure_during_a_client_s_own_reset_is_reported) {
  LATCHLAB_NEEDS_EXPLORER("waits for leases");
  ParamSet params = params_of("repaired");
  params.set("recovered_by", std::string("client"));
  for (const LockMode mode : {LockMode::exclusive, LockMode::shared})
    expect_each_failure_told(params, mode, 4);
}

TEST(ShiftlockFailures, a_trivial_try_that_fails_takes_nothing) {
  const ParamSet params = params_of("artifact");
  EXPECT_EQ(acquired(params, LockMode::exclusive, true, {1, kAll}), "the server failed");
  EXPECT_EQ(acquired(params, LockMode::exclusive, true, {2, kAll}), "granted");
}

// ---- releases ----

struct Released {
  ReleaseResult result = ReleaseResult::released;
  bool told_successor = false;
};

// The atomic of the release fails; a client may have queued behind the holder.
Task<void> release_in_vain(Bench& bench, LockMode mode, bool followed, Released& seen) {
  Verbs& verbs = bench.verbs(0);
  bool down = false;
  FaultyClient client(bench.world(), ClientId{0}, [&down](const Operation& op) {
    const bool fails = down && op.kind == OpKind::verb;
    return fails ? std::optional<VerbStatus>(VerbStatus::peer_failed) : std::nullopt;
  });
  const Want want{bench.lock(), mode};
  const AcquireResult got = co_await client->acquire(want, {});
  const Grant grant = *std::get_if<Grant>(&got);
  const EndpointAddr holder = bench.entry().tail;
  const EndpointAddr behind = verbs.open_endpoint(8);
  const Message hello = shiftlock::pack(shiftlock::kSuccessor, LockId{0}, 0, {behind, 0, 0, 0});
  if (followed) (void)co_await verbs.send(holder, hello);
  down = true;
  seen.result = co_await client->release(grant);
  const Time soon = verbs.now() + microseconds(1);
  const WaitOutcome woke = co_await verbs.receive(behind, {}, soon);
  seen.told_successor = woke.by == Woke::message;
}

// In some orders the holder does not see at first that a client waits.
void expect_suppressed(std::int64_t max_writers, LockMode mode, bool followed) {
  ParamSet params = params_of("repaired");
  params.set("max_consecutive_writers", max_writers);
  for (std::uint64_t seed = 1; seed <= seeds(10); ++seed) {
    Released seen;
    Bench bench(params, {{}}, seed);
    bench.body = [&](Bench& me, ClientId) { return release_in_vain(me, mode, followed, seen); };
    ASSERT_EQ(bench.run(), RunEnd::finished);
    ASSERT_EQ(seen.result, ReleaseResult::suppressed);
    ASSERT_FALSE(seen.told_successor);
  }
}

TEST(ShiftlockFailures, a_release_whose_atomic_fails_is_suppressed_and_sends_no_message) {
  expect_suppressed(16, LockMode::shared, false);
  expect_suppressed(16, LockMode::exclusive, false);
  expect_suppressed(16, LockMode::exclusive, true);  // would hand over
  expect_suppressed(1, LockMode::exclusive, true);   // would change the mode
}

}  // namespace
}  // namespace latchlab::shiftlock_tests

// Which of its endpoints a ShiftLock client uses for a lock, and how it treats messages about locks
// that it has released or forgotten.

#include "tests/protocols/faulty.h"
#include "tests/protocols/shiftlock/bench.h"

namespace latchlab::shiftlock_tests {
namespace {

using ::latchlab::testing::FaultyClient;

// As in the paper, each lock that is held has an endpoint, because messages do not name a lock.
ParamSet two_endpoints(bool recovery) {
  ParamSet params = params_of("repaired");
  params.set("message_lock_id", false);
  params.set("endpoints", std::int64_t{2});
  params.set("recovery", recovery);
  return params;
}

Task<Grant> take(Bench& bench, LockClient& locks, std::uint32_t id) {
  const Want want{bench.lock(id), LockMode::exclusive, {}, GrantId{id}};
  const AcquireResult got = co_await locks.acquire(want, {});
  const Grant grant = *std::get_if<Grant>(&got);
  co_return grant;
}

// In some orders the first look does not show a message that has arrived.
void run_alone(const ParamSet& params, Task<void> (*body)(Bench&)) {
  for (std::uint64_t seed = 1; seed <= seeds(10); ++seed) {
    Bench bench(params, {{}}, seed, 4);
    bench.body = [body](Bench& me, ClientId) { return body(me); };
    ASSERT_EQ(bench.run(), RunEnd::finished);
  }
}

// Lock 0 stays held. Locks 0 and 2 are held together and each need an endpoint.
TEST(ShiftlockEndpoints, a_release_frees_the_endpoint_for_the_next_lock) {
  run_alone(two_endpoints(false), [](Bench& bench) -> Task<void> {
    LockClient& locks = bench.world().client(ClientId{0});
    const Grant held = co_await take(bench, locks, 0);
    const Grant released = co_await take(bench, locks, 1);
    EXPECT_NE(bench.entry(0).tail, bench.entry(1).tail);
    co_await locks.release(released);
    const Grant next = co_await take(bench, locks, 2);
    EXPECT_NE(bench.entry(held.lock.id.value).tail, bench.entry(next.lock.id.value).tail);
  });
}

// What fails for lock 1: the acquisition, the release, or a release with a client waiting behind
// it; or such a release succeeds.
enum class Failing { acquire, release, handover, nothing };

Task<void> fail_with_one_lock(Bench& bench, Failing what) {
  bool down = false;
  FaultyClient client(bench.world(), ClientId{0}, [&down](const Operation&) {
    return down ? std::optional<VerbStatus>(VerbStatus::peer_failed) : std::nullopt;
  });
  LockClient& locks = *client.operator->();
  const Grant held = co_await take(bench, locks, 0);
  down = what == Failing::acquire;
  const Want want{bench.lock(1), LockMode::exclusive, {}, GrantId{1}};
  const AcquireResult got = co_await locks.acquire(want, {});
  const Grant* const granted = std::get_if<Grant>(&got);
  EXPECT_EQ(granted == nullptr, what == Failing::acquire);
  if (granted != nullptr) {
    const EndpointAddr own = bench.entry(1).tail;
    const Message hello = shiftlock::pack(shiftlock::kSuccessor, LockId{1}, 0, {own, 0, 0, 0});
    if (what != Failing::release) (void)co_await bench.verbs(0).send(own, hello);
    down = what != Failing::nothing;
    const Grant grant = *granted;
    const ReleaseResult result = co_await locks.release(grant);
    EXPECT_EQ(result, down ? ReleaseResult::suppressed : ReleaseResult::released);
  }
  down = false;
  const Grant next = co_await take(bench, locks, 2);
  EXPECT_NE(bench.entry(held.lock.id.value).tail, bench.entry(next.lock.id.value).tail);
}
TEST(ShiftlockEndpoints, an_acquisition_that_fails_frees_the_endpoint) {
  run_alone(two_endpoints(false),
            [](Bench& bench) { return fail_with_one_lock(bench, Failing::acquire); });
}
TEST(ShiftlockEndpoints, a_release_that_fails_frees_the_endpoint) {
  run_alone(two_endpoints(false),
            [](Bench& bench) { return fail_with_one_lock(bench, Failing::release); });
}
TEST(ShiftlockEndpoints, a_handover_that_fails_frees_the_endpoint) {
  run_alone(two_endpoints(false),
            [](Bench& bench) { return fail_with_one_lock(bench, Failing::handover); });
}
TEST(ShiftlockEndpoints, a_handover_frees_the_endpoint) {
  run_alone(two_endpoints(false),
            [](Bench& bench) { return fail_with_one_lock(bench, Failing::nothing); });
}

TEST(ShiftlockEndpoints, locks_that_were_forgotten_keep_endpoints_until_their_leases_end) {
  LATCHLAB_NEEDS_EXPLORER("waits for leases");
  run_alone(two_endpoints(true), [](Bench& bench) -> Task<void> {
    LockClient& locks = bench.world().client(ClientId{0});
    const Grant first = co_await take(bench, locks, 0);
    const Grant second = co_await take(bench, locks, 1);
    co_await sleep_until(bench.verbs(0), std::max(first.valid_until, second.valid_until));
    const Grant third = co_await take(bench, locks, 2);
    const Grant fourth = co_await take(bench, locks, 3);
    EXPECT_NE(bench.entry(third.lock.id.value).tail, bench.entry(fourth.lock.id.value).tail);
  });
}

// ---- stale messages ----

// All RECVs of a client hold messages about a lock that it has forgotten or released too late. Then
// the lock is recovered and the client acquires it again: there is room for the next message.
Task<void> come_back_to_a_full_endpoint(Bench& bench, bool releases, std::uint64_t& room) {
  Verbs& verbs = bench.verbs(0);
  LockClient& locks = bench.world().client(ClientId{0});
  Grant lost = co_await take(bench, locks, 0);
  const EndpointAddr own = bench.entry().tail;
  const Message hello = shiftlock::pack(shiftlock::kSuccessor, LockId{0}, 0, {own, 0, 0, 0});
  for (int i = 0; i < 2; ++i) {
    const VerbStatus sent = co_await verbs.send(own, hello);
    EXPECT_EQ(sent, VerbStatus::ok);
  }
  lost.valid_until = verbs.now();
  if (releases) {
    const ReleaseResult result = co_await locks.release(lost);
    EXPECT_EQ(result, ReleaseResult::suppressed);
  }
  co_await verbs.issue(bench.format().reset(bench.lock().entry, 0, true));
  (void)co_await take(bench, locks, 0);
  const VerbStatus sent = co_await verbs.send(own, hello);
  if (sent == VerbStatus::ok) ++room;
}

// In how many orders the client acquires it.
std::uint64_t makes_room(bool releases) {
  ParamSet params = params_of("repaired");
  params.set("recvs", std::int64_t{2});
  std::uint64_t room = 0;
  for (std::uint64_t seed = 1; seed <= seeds(10); ++seed) {
    Bench bench(params, {{}}, seed);
    bench.body = [&](Bench& me, ClientId) {
      return come_back_to_a_full_endpoint(me, releases, room);
    };
    EXPECT_EQ(bench.run(), RunEnd::finished);
  }
  return room;
}

TEST(ShiftlockEndpoints, messages_about_a_lock_that_was_forgotten_make_room) {
  EXPECT_GT(makes_room(false), 0u);
}
TEST(ShiftlockEndpoints, messages_about_a_lock_that_was_released_too_late_make_room) {
  EXPECT_GT(makes_room(true), 0u);
}

}  // namespace
}  // namespace latchlab::shiftlock_tests

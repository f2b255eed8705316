// Which of ShiftLock's messages a waiting writer accepts.

#include "tests/protocols/shiftlock/bench.h"

namespace latchlab::shiftlock_tests {
namespace {

// Client 0 acts as a predecessor: its endpoint is the tail behind which client 1 queues, twice. The
// second time it answers the first Successor again before it answers the second.
struct Answers {
  bool right_one_sent = false;
  bool taken_too_early = false;
};

Task<Message> be_followed(Bench& bench, EndpointAddr self) {
  Verbs& verbs = bench.verbs(0);
  co_await verbs.issue(bench.format().join_queue(bench.lock().entry, self));
  const WaitOutcome woke = co_await verbs.receive(self, {}, kNever);
  const shiftlock::Note said = shiftlock::unpack(woke.message);
  EXPECT_EQ(said.relcnt,
            bench.entry().relcnt);  // a Successor names its sender and its life of the lock
  EXPECT_EQ(said.consecutive + said.epoch, 0u);
  co_return woke.message;
}

Task<void> answer(Bench& bench, Message successor) {
  const EndpointAddr follower = shiftlock::unpack(successor).sender;
  const Message handover = shiftlock::pack(shiftlock::kHandover, LockId{0}, successor.generation,
                                           {{}, bench.entry().relcnt, 1, 0});
  (void)co_await bench.verbs(0).send(follower, handover);
}

Task<void> answer_an_old_successor(Bench& bench, Answers& seen) {
  Verbs& verbs = bench.verbs(0);
  const EndpointAddr self = verbs.open_endpoint(8);
  const Message first = co_await be_followed(bench, self);
  co_await answer(bench, first);
  while (!bench.entry().tail.null()) co_await verbs.sleep(nanoseconds(1));
  const Message second = co_await be_followed(bench, self);
  co_await answer(bench, first);
  for (int i = 0; i < 30; ++i) co_await verbs.sleep(nanoseconds(1));
  seen.right_one_sent = true;
  co_await answer(bench, second);
}

Task<void> follow_twice(Bench& bench, Answers& seen) {
  LockClient& locks = bench.world().client(ClientId{1});
  for (int round = 0; round < 2; ++round) {
    while (bench.entry().tail.null()) co_await bench.verbs(1).sleep(nanoseconds(1));
    const AcquireResult got = co_await locks.acquire(Want{bench.lock(), LockMode::exclusive}, {});
    if (round == 1 && !seen.right_one_sent) seen.taken_too_early = true;
    const Grant grant = *std::get_if<Grant>(&got);
    co_await locks.release(grant);
  }
}

std::uint64_t answers_taken_too_early(const ParamSet& params) {
  std::uint64_t early = 0;
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    Answers seen;
    Bench bench(params, {{}, {}}, seed);
    bench.body = [&seen](Bench& me, ClientId client) {
      return client.value == 0 ? answer_an_old_successor(me, seen) : follow_twice(me, seen);
    };
    EXPECT_EQ(bench.run(), RunEnd::finished) << "seed " << seed;
    if (seen.taken_too_early) ++early;
  }
  return early;
}

TEST(ShiftlockMessages, a_writer_takes_the_answer_to_its_own_successor_alone) {
  LATCHLAB_NEEDS_EXPLORER("chosen orders");
  EXPECT_EQ(answers_taken_too_early(params_of("repaired")), 0u);
}

TEST(ShiftlockMessages, without_numbers_a_writer_takes_the_answer_to_an_earlier_successor) {
  LATCHLAB_NEEDS_EXPLORER("chosen orders");
  ParamSet params = params_of("repaired");
  params.set("message_number", false);
  EXPECT_GT(answers_taken_too_early(params), 0u);
}

}  // namespace
}  // namespace latchlab::shiftlock_tests

// await_remote: probes, verdicts, stop conditions.

#include "tests/conformance/conformance.h"

namespace latchlab::conformance {
namespace {

class RemoteWaits : public Conformance {};
LATCHLAB_EVERY_BACKEND(RemoteWaits);

constexpr RemoteAddr kOtherWaiter = on_server(576);

// Ends when the word is 7, is abandoned when it is 13.
RemoteWait wait_for_seven() {
  RemoteWait wait;
  wait.add(read_verb(kWord));
  wait.classify = [](const ProbeValues& seen) {
    if (seen[0].lo == 7) return Verdict::done;
    return seen[0].lo == 13 ? Verdict::abandon : Verdict::pending;
  };
  wait.pacing = [](const ProbeValues&, std::uint64_t) { return microseconds(1); };
  return wait;
}

Task<void> write_after(Verbs& verbs, Duration pause, RemoteAddr addr, std::uint64_t value) {
  co_await verbs.sleep(pause);
  co_await verbs.write(addr, value);
}

TEST_P(RemoteWaits, satisfied_wait_returns_the_value_and_the_number_of_probes) {
  Verbs& waiter = add_client();
  Verbs& writer = add_client(kThere);
  RemoteWaitResult result;
  spawn(waiter, wait_into(waiter, wait_for_seven(), result));
  spawn(writer, write_after(writer, microseconds(20), kWord, 7));
  EXPECT_EQ(run(), RunEnd::finished);
  EXPECT_EQ(result.end, WaitEnd::satisfied);
  EXPECT_EQ(result.values[0].lo, 7U);
  EXPECT_GE(result.tries, 1U);
  EXPECT_EQ(waiter.tally().reads(), result.tries);
  EXPECT_EQ(waiter.tally().probe_reads, result.tries);
  EXPECT_EQ(waiter.tally().probe_misses, result.tries - 1);
}

TEST_P(RemoteWaits, wait_is_abandoned_when_the_value_says_so) {
  Verbs& waiter = add_client();
  Verbs& writer = add_client(kThere);
  RemoteWaitResult result;
  spawn(waiter, wait_into(waiter, wait_for_seven(), result));
  spawn(writer, write_after(writer, microseconds(5), kWord, 13));
  EXPECT_EQ(run(), RunEnd::finished);
  EXPECT_EQ(result.end, WaitEnd::abandoned);
}

TEST_P(RemoteWaits, wait_ends_at_its_deadline) {
  Verbs& waiter = add_client();
  RemoteWaitResult result;
  RemoteWait wait = wait_for_seven();
  wait.deadline = waiter.now() + microseconds(100);
  run_alone(waiter, wait_into(waiter, wait, result));
  EXPECT_EQ(result.end, WaitEnd::deadline);
  EXPECT_GE(world().local_now(kHere), wait.deadline);
}

TEST_P(RemoteWaits, wait_ends_when_the_value_has_not_changed_for_long) {
  Verbs& waiter = add_client();
  RemoteWaitResult result;
  RemoteWait wait = wait_for_seven();
  wait.unchanged_for = microseconds(100);
  const Time begin = waiter.now();
  run_alone(waiter, wait_into(waiter, wait, result));
  EXPECT_EQ(result.end, WaitEnd::unchanged);
  EXPECT_GE(world().local_now(kHere) - begin, wait.unchanged_for);
  EXPECT_GE(world().local_now(kHere) - result.last_change, wait.unchanged_for);
}

TEST_P(RemoteWaits, progress_of_other_clients_restarts_the_patience) {
  LATCHLAB_NEEDS(Capability::timing);
  Verbs& waiter = add_client();
  Verbs& writer = add_client(kThere);
  RemoteWaitResult result;
  RemoteWait wait = wait_for_seven();
  // On a device, other programs on the same cores can delay this one by tens of milliseconds, so
  // the patience is many pauses long.
  wait.unchanged_for = lasting(microseconds(400));
  wait.observe = [](const ProbeValues& seen) { return Words{seen[0].lo >> 8}; };
  spawn(waiter, wait_into(waiter, wait, result));
  constexpr std::uint64_t kWrites = 9;
  const Duration pause = lasting(microseconds(50));
  ASSERT_GT(pause * kWrites, wait.unchanged_for);
  // When the last write that counts as progress begins, and the write after it, which does not.
  Duration last, after;
  spawn(writer, [](Verbs& verbs, Duration between, Duration& final, Duration& none) -> Task<void> {
    const Time start = verbs.now();
    for (std::uint64_t i = 1; i <= kWrites; ++i) {
      co_await verbs.sleep(between);
      final = verbs.now() - start;
      co_await verbs.write(kWord, i << 8);
    }
    co_await verbs.sleep(between * 4);
    none = verbs.now() - start;
    co_await verbs.write(kWord, kWrites << 8 | 1);
  }(writer, pause, last, after));
  const Time begin = waiter.now();
  EXPECT_EQ(run(), RunEnd::finished);
  EXPECT_EQ(result.end, WaitEnd::unchanged);
  EXPECT_GE(last, pause * kWrites);
  EXPECT_GE(result.last_change - begin, last);
  EXPECT_LT(result.last_change - begin, after) << "a change that is not observed is no progress";
}

TEST_P(RemoteWaits, message_ends_a_wait_and_is_consumed) {
  LATCHLAB_NEEDS(Capability::reliable_messages);
  Verbs& waiter = add_client();
  Verbs& sender = add_client(kThere);
  const EndpointAddr inbox = waiter.open_endpoint(4);
  RemoteWaitResult result;
  RemoteWait wait = wait_for_seven();
  wait.stop_on_message = true;
  wait.message.endpoint = inbox;
  wait.message.filter = [](const Message& message) { return message.type == 2; };
  spawn(waiter, wait_into(waiter, wait, result));
  spawn(sender, [](Verbs& verbs, EndpointAddr target) -> Task<void> {
    Message message;
    for (std::uint64_t type = 1; type <= 2; ++type) {
      message.type = type;
      message.words[0] = 100U + type;
      const VerbStatus status = co_await verbs.send(target, message);
      EXPECT_EQ(status, VerbStatus::ok);
    }
  }(sender, inbox));
  EXPECT_EQ(run(), RunEnd::finished);
  EXPECT_EQ(result.end, WaitEnd::message);
  EXPECT_EQ(result.message.words[0], 102U);
}

TEST_P(RemoteWaits, atomic_probe_is_a_retry_loop) {
  constexpr int kHolders = 4;
  int inside = 0;
  int turns = 0;
  for (int i = 0; i < kHolders; ++i) {
    Verbs& client = add_client(i % 2 == 0 ? kHere : kThere);
    spawn(client, [](Verbs& verbs, int& holders, int& count) -> Task<void> {
      for (int round = 0; round < 5; ++round) {
        RemoteWait wait;
        wait.add(cas_verb(kWord, 0, verbs.client().value + 1));
        wait.classify = [](const ProbeValues& seen) {
          return seen[0].lo == 0 ? Verdict::done : Verdict::pending;
        };
        auto waiting = verbs.await_remote(wait);
        const RemoteWaitResult result = co_await waiting;
        EXPECT_EQ(result.end, WaitEnd::satisfied);
        EXPECT_EQ(++holders, 1);
        ++count;
        co_await verbs.sleep(microseconds(1));
        --holders;
        co_await verbs.write(kWord, 0);
      }
    }(client, inside, turns));
  }
  EXPECT_EQ(run(), RunEnd::finished);
  EXPECT_EQ(turns, 5 * kHolders);
}

TEST_P(RemoteWaits, several_reads_make_one_probe) {
  Verbs& waiter = add_client();
  Verbs& writer = add_client(kThere);
  RemoteWaitResult result;
  RemoteWait wait;
  wait.add(read_verb(kWord));
  wait.add(read_verb(kOtherWaiter, 16));
  wait.classify = [](const ProbeValues& seen) {
    return seen[0].lo == 1 && seen[1].lo == 2 && seen[1].hi == 3 ? Verdict::done : Verdict::pending;
  };
  spawn(waiter, wait_into(waiter, wait, result));
  spawn(writer, [](Verbs& verbs) -> Task<void> {
    co_await verbs.write(kWord, 1);
    co_await verbs.write(kOtherWaiter, Words{2, 3});
  }(writer));
  EXPECT_EQ(run(), RunEnd::finished);
  EXPECT_EQ(result.end, WaitEnd::satisfied);
  EXPECT_EQ(result.tries % 2, 0U);
}

TEST_P(RemoteWaits, pacing_gets_a_growing_number_of_misses) {
  Verbs& waiter = add_client();
  Verbs& writer = add_client(kThere);
  std::vector<std::uint64_t> asked;
  RemoteWaitResult result;
  RemoteWait wait = wait_for_seven();
  wait.pacing = [list = &asked](const ProbeValues&, std::uint64_t misses) {
    list->push_back(misses);
    return microseconds(2);
  };
  spawn(waiter, wait_into(waiter, wait, result));
  const std::size_t enough = has(Capability::timing) ? 5 : 0;
  spawn(writer, [](Verbs& verbs, std::vector<std::uint64_t>& list, std::size_t many) -> Task<void> {
    do co_await verbs.sleep(microseconds(10));
    while (list.size() < many);
    co_await verbs.write(kWord, 7);
  }(writer, asked, enough));
  EXPECT_EQ(run(), RunEnd::finished);
  EXPECT_GE(asked.size(), enough);
  if (has(Capability::timing)) {
    for (std::size_t i = 0; i < asked.size(); ++i) EXPECT_EQ(asked[i], i + 1);
  } else {  // probes without an effect can be any number: two stand for all
    for (const std::uint64_t each : asked) EXPECT_TRUE(each == 1 || each == 2) << each;
  }
}

TEST_P(RemoteWaits, failing_probe_ends_the_wait) {
  Verbs& waiter = add_client();
  RemoteWaitResult result;
  RemoteWait wait = wait_for_seven();
  wait.probes[0].addr = on_server(kBytes);
  run_alone(waiter, wait_into(waiter, wait, result));
  EXPECT_EQ(result.end, WaitEnd::failed);
  EXPECT_EQ(result.status, VerbStatus::access_error);
}

}  // namespace
}  // namespace latchlab::conformance

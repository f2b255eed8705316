// Which client a releasing writer of ShiftLock accepts as its successor, and what it sends to it.

#include "tests/protocols/shiftlock/bench.h"

namespace latchlab::shiftlock_tests {
namespace {

// A writer queues behind the holder and states with which RelCnt it joined; the holder releases.
// Returns the message that the writer receives, if any.
struct Told {
  ReleaseResult result = ReleaseResult::suppressed;
  std::uint64_t type = 0;
  shiftlock::Note note;
};

Task<void> be_behind(Bench& bench, std::uint64_t joined_at, std::uint64_t flip, Told& told) {
  Verbs& verbs = bench.verbs(0);
  LockClient& locks = bench.world().client(ClientId{0});
  const Want want{bench.lock(), LockMode::exclusive};
  const AcquireResult got = co_await locks.acquire(want, {});
  const Grant grant = *std::get_if<Grant>(&got);
  const EndpointAddr holder = bench.entry().tail;
  const EndpointAddr behind = verbs.open_endpoint(8);
  const RemoteAddr entry = bench.lock().entry;
  const Verb queue = bench.format().join_queue(entry, behind);
  co_await verbs.issue(queue);
  const std::uint32_t tag = shiftlock::message_tag(0, bench.format().recoveries(joined_at));
  const Message hello =
      shiftlock::pack(shiftlock::kSuccessor, LockId{0}, tag, {behind, joined_at, 0, 0});
  (void)co_await verbs.send(holder, hello);
  bench.backend().poke(entry, bench.backend().peek(entry) ^ flip);
  told.result = co_await locks.release(grant);
  const Time soon = verbs.now() + microseconds(1);
  const WaitOutcome woke = co_await verbs.receive(behind, {}, soon);
  if (woke.by != Woke::message) co_return;
  told.type = woke.message.type;
  told.note = shiftlock::unpack(woke.message);
}

// For a lock with this RelCnt.
Told told_behind(const ParamSet& params, std::uint64_t relcnt, std::uint64_t joined_at,
                 std::uint64_t flip = 0) {
  Told told;
  Bench bench(params, {{}}, 1);
  bench.body = [&](Bench& me, ClientId) { return be_behind(me, joined_at, flip, told); };
  bench.backend().poke(bench.lock().entry + 8, relcnt);
  EXPECT_EQ(bench.run(), RunEnd::finished);
  const bool released = told.result == ReleaseResult::released;
  EXPECT_EQ(bench.entry().relcnt, relcnt + (released ? 1 : 0));
  EXPECT_EQ(told.type != 0, released);
  return told;
}

TEST(ShiftlockSuccessors, a_successor_from_before_a_recovery_is_ignored) {
  LATCHLAB_NEEDS_EXPLORER("waits for leases");
  const shiftlock::EntryFormat format;
  const std::uint64_t once = format.recovered(6);
  const std::uint64_t twice = format.recovered(once);
  const ParamSet params = params_of("repaired");
  EXPECT_EQ(told_behind(params, 6, 5).type, shiftlock::kHandover);
  EXPECT_EQ(told_behind(params, once, once - 1).type, shiftlock::kHandover);
  for (const std::uint64_t other : {once - 1, twice - 1})
    EXPECT_EQ(told_behind(params, 6, other).type, 0);
  for (const std::uint64_t other : {std::uint64_t{5}, twice - 1})
    EXPECT_EQ(told_behind(params, once, other).type, 0);
}

TEST(ShiftlockSuccessors, a_handover_carries_what_the_next_holder_needs) {
  const Told told = told_behind(params_of("repaired"), 6, 0);
  EXPECT_EQ(told.type, shiftlock::kHandover);
  EXPECT_EQ(told.note.relcnt, 7u);
  EXPECT_EQ(told.note.consecutive, 1u);
  EXPECT_EQ(told.note.epoch, 0u);
}

ParamSet one_in_a_row() {
  ParamSet params = params_of("repaired");
  params.set("max_consecutive_writers", std::int64_t{1});
  return params;
}

TEST(ShiftlockSuccessors, a_mode_change_carries_the_release_count_to_wait_for) {
  const Told told = told_behind(one_in_a_row(), 6, 0);
  EXPECT_EQ(told.type, shiftlock::kModeChanged);
  EXPECT_EQ(told.note.relcnt, 7u);  // unused
  EXPECT_EQ(told.note.consecutive, 0u);
  EXPECT_EQ(told.note.epoch, 1u);
}

// If messages do not carry Epoch, a holder may know an old one: it flips that of the entry.
TEST(ShiftlockSuccessors, a_mode_change_with_an_old_epoch_flips_the_current_one) {
  const Told told = told_behind(one_in_a_row(), 6, 0, shiftlock::kEpochBit);
  EXPECT_EQ(told.type, shiftlock::kModeChanged);
  EXPECT_EQ(told.note.epoch, 0u);
}

}  // namespace
}  // namespace latchlab::shiftlock_tests

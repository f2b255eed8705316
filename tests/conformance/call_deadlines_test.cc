// Calls with a deadline: they end at the deadline, and a later reply is dropped.

#include <memory>

#include "tests/conformance/broken.h"
#include "tests/conformance/desk.h"

namespace latchlab::conformance {
namespace {

class CallDeadlines : public Conformance {
 protected:
  void SetUp() override { LATCHLAB_NEEDS(Capability::calls); }
};
LATCHLAB_EVERY_BACKEND(CallDeadlines);

// Longer than a reply takes, and shorter than a body.
constexpr Duration kPatience = milliseconds(1);
constexpr Duration kLong = milliseconds(50);

void late_reply_is_dropped(Bench& bench) {
  const auto desk = std::make_shared<Desk>();
  bench.world().serve_calls(bench.add_server(), *desk);
  Verbs& client = bench.add_client();
  const auto body = [](Verbs& verbs, Duration patience, std::shared_ptr<Desk>) -> Task<void> {
    for (std::uint64_t round = 1; round <= 3; ++round) {
      const Time deadline = verbs.now() + patience;
      const Reply late = co_await verbs.call(kServer, request_of(kHold, 1000), deadline);
      EXPECT_EQ(late.status, VerbStatus::timed_out);
      EXPECT_GE(verbs.now(), deadline);
      const Reply next = co_await verbs.call(kServer, request_of(kRelease, round));
      EXPECT_TRUE(next.ok());
      EXPECT_EQ(next.words[0], 2 * round) << "the answer to another call";
      const Reply last = co_await verbs.call(kServer, request_of(kDouble, 10 * round));
      EXPECT_EQ(last.words[0], 20 * round);
    }
  };
  bench.run_alone(client, body(client, bench.lasting(kPatience), desk));
}
TEST_P(CallDeadlines, late_reply_is_dropped) {
  late_reply_is_dropped(*this);
}

void reply_before_the_deadline_arrives(Bench& bench) {
  const auto desk = std::make_shared<Desk>();
  bench.world().serve_calls(bench.add_server(), *desk);
  for (int i = 0; i < 3; ++i) {
    Verbs& client = bench.add_client(i == 0 ? kHere : kThere);
    const auto body = [](Verbs& verbs, Duration patience, std::shared_ptr<Desk>) -> Task<void> {
      for (std::uint64_t word = 1; word <= 5; ++word) {
        const Time deadline = verbs.now() + patience;
        const Reply reply = co_await verbs.call(kServer, request_of(kDouble, word), deadline);
        EXPECT_TRUE(reply.ok());
        EXPECT_EQ(reply.words[0], 2 * word);
      }
    };
    bench.spawn(client, body(client, bench.lasting(kLong), desk));
  }
  EXPECT_EQ(bench.run(), RunEnd::finished);
}
TEST_P(CallDeadlines, reply_before_the_deadline_arrives) {
  reply_before_the_deadline_arrives(*this);
}

// ---- and in backends that break these promises ----

Fault with_deadlines(std::function<Time(Time wanted, Verbs& verbs)> change) {
  Fault fault;
  fault.posting = [change = std::move(change)](Operation& first, Verbs& verbs) {
    if (first.kind == OpKind::call) first.deadline = change(first.deadline, verbs);
  };
  return fault;
}

TEST(BrokenCalls, that_never_time_out_are_detected) {
  const Fault patient = with_deadlines([](Time, Verbs&) { return kNever; });
  EXPECT_EQ(worlds_noticed(patient, late_reply_is_dropped), kAllSeeds);
}
TEST(BrokenCalls, that_time_out_at_once_are_detected) {
  const Fault hasty = with_deadlines([](Time, Verbs& verbs) { return verbs.now(); });
  EXPECT_GT(worlds_noticed(hasty, reply_before_the_deadline_arrives), 0);
}
TEST(BrokenCalls, that_get_a_late_reply_of_another_call_are_detected) {
  Fault mixed;
  mixed.replying = [late = std::make_shared<std::uint64_t>(0)](const Reply& reply) {
    Reply changed = reply;
    if (reply.words[0] == 2000) *late = 2000;  // the reply to the call that timed out
    if (reply.words[0] != 2000 && *late != 0) changed.words[0] = std::exchange(*late, 0);
    return changed;
  };
  EXPECT_EQ(worlds_noticed(mixed, late_reply_is_dropped), kAllSeeds);
}

}  // namespace
}  // namespace latchlab::conformance

// The recorder alone: which of the events that it gets a window shows.

#include <gmock/gmock.h>

#include "tests/export/trace_events.h"
#include "tests/non_empty.h"
#include "tools/export/trace_recorder.h"

namespace latchlab::exporting {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr Time us(std::int64_t n) {
  return Time{} + microseconds(n);
}
constexpr LockId kLock{17};
constexpr ClientId kFirst{0};
constexpr ClientId kSecond{1};

Grant grant_of(LockMode mode, const Extent& extent = {}, std::uint32_t id = 0) {
  Grant grant(Want{LockRef{kLock, {}}, mode, extent, GrantId{id}}, mode);
  grant.extent = extent;
  return grant;
}

class Recorder : public ::testing::Test {
 protected:
  TraceRecorder& recorder(std::size_t max_events = 1'000) {
    if (!made_) {
      made_.emplace(TraceWindow{us(10), us(20), max_events},
                    std::vector<std::string>{"node 1 (server)", "node 2 (clients)"});
      made_->add_actor(ActorKind::client, NodeId{2}, kFirst);
      made_->add_actor(ActorKind::client, NodeId{2}, kSecond);
    }
    return *made_;
  }
  TraceEvents finished(Time at) {
    recorder().finish(at);
    return TraceEvents(recorder().log().chrome_json("{}"));
  }
  void hold(ClientId client, LockMode mode, Time from, Time to) {
    recorder().granted(from, client, grant_of(mode));
    recorder().release_begins(to, client, grant_of(mode));
    recorder().released(to, client, ReleaseResult::released);
  }

 private:
  std::optional<TraceRecorder> made_;
};

TEST_F(Recorder, an_event_cut_by_a_border_of_the_window_is_kept_and_marked) {
  recorder().cycle_begins(us(2), kFirst);
  recorder().acquire_begins(us(3), kFirst, kLock, LockMode::shared);
  const TraceEvents events = finished(us(30));
  const auto& slices = events.slices();
  ASSERT_EQ(slices.size(), 2U);
  EXPECT_EQ(slices[1].name, "acquire lock 17 shared");
  EXPECT_EQ(slices[1].from, 10);
  EXPECT_EQ(slices[1].to, 20);
  EXPECT_EQ(slices[1].args["cut"], "goes on behind the window");
  EXPECT_EQ(slices[1].args["since"], 3);
}

TEST_F(Recorder, nothing_outside_the_window_is_shown) {
  hold(kFirst, LockMode::exclusive, us(1), us(2));
  hold(kFirst, LockMode::exclusive, us(21), us(22));
  const auto slices = finished(us(30)).slices();
  ASSERT_EQ(slices.size(), 1U);
  EXPECT_EQ(slices[0].name, "think");
}

TEST_F(Recorder, a_run_that_ends_before_the_window_shows_nothing) {
  recorder().cycle_begins(us(1), kFirst);
  recorder().granted(us(1), kFirst, grant_of(LockMode::exclusive));
  EXPECT_THAT(finished(us(5)).slices(), IsEmpty());
}

TEST_F(Recorder, holds_that_overlap_are_on_separate_tracks_and_reported) {
  recorder().granted(us(11), kFirst, grant_of(LockMode::exclusive));
  recorder().granted(us(12), kSecond, grant_of(LockMode::shared));
  recorder().release_begins(us(13), kFirst, grant_of(LockMode::exclusive));
  recorder().release_begins(us(14), kSecond, grant_of(LockMode::shared));
  const TraceEvents events = finished(us(30));
  EXPECT_THAT(events.conflicts(), ElementsAre(HasSubstr("lock 17")));
  EXPECT_EQ(events.instants("conflicting holds").size(), 1U);
  EXPECT_NE(events.track_named("lock 17"), events.track_named("lock 17, holder 2"));
}

TEST_F(Recorder, shared_holds_and_consecutive_exclusive_holds_are_no_conflict) {
  recorder().granted(us(11), kFirst, grant_of(LockMode::shared));
  recorder().granted(us(11), kSecond, grant_of(LockMode::shared));
  recorder().release_begins(us(13), kFirst, grant_of(LockMode::shared));
  recorder().release_begins(us(13), kSecond, grant_of(LockMode::shared));
  hold(kFirst, LockMode::exclusive, us(13), us(15));
  const TraceEvents events = finished(us(30));
  EXPECT_THAT(events.conflicts(), IsEmpty());
  EXPECT_THAT(events.instants("conflicting holds"), IsEmpty());
}

TEST_F(Recorder, an_update_hold_conflicts_with_another_update_but_not_with_readers) {
  recorder().granted(us(11), kFirst, grant_of(LockMode::update));
  recorder().granted(us(12), kSecond, grant_of(LockMode::shared, {}, 0));
  EXPECT_THAT(recorder().log().chrome_json("{}"), Not(HasSubstr("conflicting holds")));
  recorder().granted(us(13), kSecond, grant_of(LockMode::update, {}, 1));
  const TraceEvents events = finished(us(30));
  EXPECT_THAT(events.conflicts(), ElementsAre(HasSubstr("client 0 update and client 1 update")));
  EXPECT_EQ(events.instants("conflicting holds").size(), 1U);
}

TEST_F(Recorder, an_upgrade_is_a_hold_in_its_new_mode) {
  recorder().granted(us(11), kFirst, grant_of(LockMode::update));
  recorder().granted(us(12), kSecond, grant_of(LockMode::shared));
  recorder().upgraded(us(13), kFirst, grant_of(LockMode::exclusive));
  recorder().release_begins(us(14), kFirst, grant_of(LockMode::exclusive));
  const TraceEvents events = finished(us(30));
  EXPECT_THAT(events.conflicts(), ElementsAre(HasSubstr("client 1 shared and client 0 exclusive")));
  EXPECT_EQ(events.instants("conflicting holds").size(), 1U);
}

TEST_F(Recorder, holds_of_other_units_are_no_conflict) {
  const Grant low = grant_of(LockMode::exclusive, {0, 4}, 0);
  const Grant high = grant_of(LockMode::exclusive, {4, 4}, 1);
  const Grant middle = grant_of(LockMode::shared, {3, 2}, 2);
  recorder().granted(us(11), kFirst, low);
  recorder().granted(us(12), kFirst, high);
  recorder().release_begins(us(13), kFirst, high);
  recorder().granted(us(14), kSecond, high);
  EXPECT_THAT(recorder().log().chrome_json("{}"), Not(HasSubstr("conflicting holds")));
  recorder().release_begins(us(15), kFirst, low);
  recorder().granted(us(16), kFirst, middle);
  const TraceEvents events = finished(us(30));
  EXPECT_THAT(events.conflicts(), ElementsAre(HasSubstr("client 1 exclusive and client 0 shared")));
  EXPECT_EQ(events.instants("conflicting holds").size(), 1U);
}

TEST_F(Recorder, a_crash_ends_all_that_the_client_holds) {
  for (std::uint32_t i = 0; i < 2; ++i)
    recorder().granted(us(11 + i), kFirst, grant_of(LockMode::exclusive, {4 * i, 4}, i));
  recorder().crashed(us(13), kFirst, "client crash");
  hold(kSecond, LockMode::exclusive, us(14), us(15));
  const TraceEvents events = finished(us(30));
  EXPECT_THAT(events.conflicts(), IsEmpty());
  EXPECT_THAT(events.instants("conflicting holds"), IsEmpty());
}

TEST_F(Recorder, a_full_trace_ends_early_with_every_slice_closed) {
  TraceRecorder& small = recorder(20);
  for (int i = 0; i < 100; ++i)
    hold(kFirst, LockMode::exclusive, us(10) + nanoseconds(10 * i), us(10) + nanoseconds(10 * i));
  const TraceEvents events = finished(us(30));
  EXPECT_TRUE(small.full());
  EXPECT_LT(small.shown_to(), us(11));
  EXPECT_LE(small.log().size(), 30U);
  EXPECT_GE(events.slices().size(), 5U);
}

TEST_F(Recorder, a_crash_ends_the_slices_of_the_client) {
  recorder().cycle_begins(us(11), kFirst);
  recorder().granted(us(12), kFirst, grant_of(LockMode::exclusive));
  recorder().crashed(us(13), kFirst, "client crash");
  const TraceEvents events = finished(us(30));
  for (const auto& slice : non_empty(events.slices())) {
    EXPECT_EQ(slice.to, 13) << slice.name;
    EXPECT_EQ(slice.args["cut"], "crash") << slice.name;
  }
  EXPECT_EQ(events.instants("client crash").size(), 1U);
}

TEST_F(Recorder, a_message_is_an_arrow_unless_it_could_not_be_sent) {
  const EndpointAddr inbox{NodeId{2}, 5};
  recorder().opened(1, inbox);
  Operation sent, lost;
  for (Operation* op : {&sent, &lost}) {
    op->kind = OpKind::send;
    op->target = inbox;
    std::construct_at(&op->message);
    op->message.lock = kLock;
  }
  WaitOperation wait;
  wait.set.add(MessageWait{inbox, {}});
  wait.outcome.by = Woke::message;
  wait.outcome.message.lock = kLock;
  lost.completion.status = VerbStatus::receiver_not_ready;
  recorder().wait_started(us(11), 1, wait);
  recorder().started(us(11), 0, lost);
  recorder().ended(us(12), 0, lost);
  recorder().started(us(12), 0, sent);
  recorder().ended(us(13), 0, sent);
  recorder().wait_ended(us(14), 1, wait);
  const TraceEvents events = finished(us(30));
  EXPECT_THAT(events.arrows(), ElementsAre(std::pair(12.0, 14.0)));
  EXPECT_EQ(events.slices()[1].args["to"], "client 1 on node 2");
}

TEST(MicrosecondsText, is_exact_to_the_picosecond) {
  EXPECT_EQ(microseconds_text(0), "0");
  EXPECT_EQ(microseconds_text(1), "0.000001");
  EXPECT_EQ(microseconds_text(20'000'000'000), "20000");
  EXPECT_EQ(microseconds_text(9'007'199'254'740'993), "9007199254.740993");
}

}  // namespace
}  // namespace latchlab::exporting

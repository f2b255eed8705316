// Events that members get during a job: broadcasts, and requests to stop.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <future>

#include "tests/launch/fixture.h"

namespace latchlab::launch {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

using Events = Launch;

TEST_F(Events, broadcasts_reach_all_others_in_one_order) {
  constexpr int kEach = 100;
  start_members(4, [](Member& member) {
    do_jobs(member, [](Member& me, const Job&) {
      exchanged(me, "");
      if (me.rank() < 2)
        for (int i = 0; i < kEach; ++i) me.broadcast(std::to_string(i));
      std::string order;
      const std::size_t count = me.rank() < 2 ? kEach : 2 * kEach;
      for (const Event& event : events(me, count)) {
        EXPECT_EQ(event.kind, Event::Kind::broadcast);
        EXPECT_NE(event.rank, me.rank());
        order += std::to_string(event.rank) + ":" + event.text + " ";
      }
      return order;
    });
  });
  gather_all(4);
  JobWatch watch;
  std::string coordinators;
  watch.heard = [&](std::uint32_t rank, const std::string& text) {
    coordinators += std::to_string(rank) + ":" + text + " ";
  };
  const std::vector<std::string> all = blobs(run_job("", {}, watch));
  std::string zero;
  std::string one;
  for (int i = 0; i < kEach; ++i) {
    zero += "0:" + std::to_string(i) + " ";
    one += "1:" + std::to_string(i) + " ";
  }
  EXPECT_EQ(all[0], one);
  EXPECT_EQ(all[1], zero);
  EXPECT_EQ(all[2], all[3]);
  EXPECT_EQ(all[2], coordinators);
  coordinator().dismiss();
}

TEST_F(Events, a_broadcast_at_the_end_of_one_job_is_not_received_in_the_next) {
  start_members(2, [](Member& member) {
    do_jobs(member, [](Member& me, const Job& job) {
      if (job.id == 0 && me.rank() == 0) me.broadcast("late");
      exchanged(me, "");  // broadcasts before it have arrived after it
      if (job.id == 0) return std::string();
      return std::to_string(me.poll().size());
    });
  });
  gather_all(2);
  run_job("", {});
  EXPECT_THAT(blobs(run_job("", {})), AllOf(SizeIs(2), Each("0")));
  coordinator().dismiss();
}

TEST_F(Events, a_worker_may_poll_while_its_member_waits_for_it) {
  start_members(2, [](Member& member) {
    do_jobs(member, [](Member& me, const Job&) {
      std::string heard;
      std::thread worker([&] {
        me.broadcast("from " + std::to_string(me.rank()));
        heard = events(me, 1).front().text;
      });
      worker.join();
      return heard;
    });
  });
  gather_all(2);
  EXPECT_THAT(blobs(run_job("", {})), ElementsAre("from 1", "from 0"));
  coordinator().dismiss();
}

TEST_F(Events, a_request_to_stop_reaches_members_that_work) {
  std::atomic<bool> stop = false;
  start_members(3, [&](Member& member) {
    do_jobs(member, [&](Member& me, const Job&) {
      exchanged(me, "");
      stop = true;
      const auto seen = events(me, 1);
      EXPECT_EQ(seen.size(), 1U);
      EXPECT_TRUE(me.is_stop_requested());
      return seen.front().kind == Event::Kind::stop ? "stopped" : seen.front().text;
    });
  });
  gather_all(3);
  JobWatch watch;
  watch.stop = [&] { return stop.load(); };
  const JobOutcome outcome = run_job("", {}, watch);
  EXPECT_TRUE(outcome.stopped);
  EXPECT_THAT(blobs(outcome), AllOf(SizeIs(3), Each("stopped")));
  coordinator().dismiss();
}

TEST_F(Events, a_request_to_stop_ends_an_exchange_at_all_members) {
  std::atomic<bool> stop = false;
  start_members(3, [&](Member& member) {
    do_jobs(member, [&](Member& me, const Job& job) {
      if (job.id == 0 && me.rank() == 1) {  // the other members wait for it
        stop = true;
        events(me, 1);
      }
      return exchanged(me, "");
    });
  });
  gather_all(3);
  JobWatch watch;
  watch.stop = [&] { return stop.load(); };
  EXPECT_THAT(blobs(run_job("", {}, watch)), AllOf(SizeIs(3), Each(HasSubstr("being stopped"))));
  EXPECT_THAT(blobs(run_job("", {})), AllOf(SizeIs(3), Each(",,,"))) << "the next job is a new one";
  coordinator().dismiss();
}

TEST_F(Events, a_member_that_does_not_stop_in_time_is_lost_and_informed) {
  start_members(2, [](Member& member) {
    ASSERT_TRUE(member.next_job(within(kLong)).ok());
    if (member.rank() == 0) events(member, 1);
    std::vector<Event> seen;
    while (member.rank() == 1 && member.descriptor() >= 0)
      for (Event& event : member.poll()) seen.push_back(event);
    if (member.rank() == 1) {
      EXPECT_THAT(seen.back().text, HasSubstr("given this node up: it did not stop in time"));
    }
    const Status finished = member.finish("", within(kLong));
    EXPECT_EQ(finished.ok(), member.rank() == 0);
  });
  gather_all(2);
  JobWatch watch;
  watch.stop = [] { return true; };
  watch.stop_grace = milliseconds(300);
  const JobOutcome outcome = run_job("", {}, watch);
  EXPECT_TRUE(outcome.replies[0].blob.has_value());
  EXPECT_THAT(outcome.replies[1].lost, HasSubstr("member 1 on here"));
  EXPECT_THAT(outcome.replies[1].lost, HasSubstr("did not stop in time"));
  coordinator().dismiss();
}

TEST_F(Events, a_members_own_stop_ends_its_waits) {
  std::atomic<bool> stop = false;
  std::promise<void> ended;
  start_thread([&, at = address()] {
    MemberOptions mine = member_options();
    mine.stop = [&] { return stop.load(); };
    auto member = Member::join(at, mine);
    ASSERT_TRUE(member.ok());
    stop = true;
    EXPECT_EQ(member.value().next_job().error().message, "stopped");
    ended.set_value();
  });
  gather_all(1);
  ended.get_future().wait();
}

}  // namespace
}  // namespace latchlab::launch

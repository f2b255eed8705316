// Jobs: exchanges and results; no member is lost.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>

#include "tests/launch/fixture.h"

namespace latchlab::launch {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

using Jobs = Launch;

TEST_F(Jobs, members_exchange_and_finish) {
  start_members(4, [](Member& member) {
    do_jobs(member, [](Member& me, const Job& job) {
      const std::string first = exchanged(me, job.own);
      return job.common + first + exchanged(me, std::to_string(me.rank()));
    });
  });
  gather_all(4);
  const JobOutcome outcome = run_job("all:", {"a", "b", "c", "d"});
  EXPECT_TRUE(outcome.complete());
  EXPECT_FALSE(outcome.stopped);
  EXPECT_THAT(blobs(outcome), AllOf(testing::SizeIs(4), Each("all:a,b,c,d,0,1,2,3,")));
  for (std::uint32_t rank = 0; rank < 4; ++rank) EXPECT_EQ(outcome.replies[rank].rank, rank);
  coordinator().dismiss();
}

TEST_F(Jobs, may_have_blobs_with_any_bytes) {
  std::string blob(1 << 20, '\0');
  for (std::size_t i = 0; i < blob.size(); ++i) blob[i] = static_cast<char>(i * 7 + i / 256);
  start_members(3, [](Member& member) {
    do_jobs(member, [](Member& me, const Job& job) {
      const auto parts = me.exchange(job.own, within(kLong));
      return parts ? parts.value()[(me.rank() + 1) % 3] + job.common : parts.error().message;
    });
  });
  gather_all(3);
  const JobOutcome outcome = run_job(blob, {blob, "", blob});
  ASSERT_TRUE(outcome.complete());
  EXPECT_TRUE(*outcome.replies[0].blob == blob);
  EXPECT_TRUE(*outcome.replies[1].blob == blob + blob);
  coordinator().dismiss();
}

TEST_F(Jobs, come_one_after_the_other) {
  start_members(3, [](Member& member) {
    do_jobs(member, [](Member& me, const Job& job) {
      return std::to_string(job.id) + job.common + job.own + exchanged(me, job.common);
    });
  });
  gather_all(3);
  for (int i = 0; i < 50; ++i) {
    const std::string common = "x" + std::to_string(i);
    ASSERT_THAT(blobs(run_job(common, {})),
                Each(std::to_string(i) + common + common + "," + common + "," + common + ","));
  }
  coordinator().dismiss();
}

TEST_F(Jobs, end_for_each_member_independently) {
  std::atomic<bool> others_finished = false;
  start_members(3, [&](Member& member) {
    do_jobs(member, [&](Member& me, const Job&) {
      while (me.rank() == 2 && !others_finished) std::this_thread::sleep_for(milliseconds(1));
      return std::to_string(me.rank());
    });
  });
  gather_all(3);
  JobWatch watch;
  int ticks = 0;
  watch.tick = [&] { others_finished = ++ticks > 3; };
  EXPECT_THAT(blobs(run_job("", {}, watch)), ElementsAre("0", "1", "2"));
  coordinator().dismiss();
}

TEST_F(Jobs, an_exchange_that_a_finished_member_does_not_join_fails) {
  start_members(4, [](Member& member) {
    do_jobs(member, [](Member& me, const Job& job) {
      const bool finishes = me.rank() == 2;
      const bool waits = finishes == (job.common == "finish last");
      if (waits) std::this_thread::sleep_for(milliseconds(30));
      return finishes ? "no device" : exchanged(me, "");
    });
  });
  gather_all(4);
  for (const char* order : {"finish first", "finish last"}) {
    const std::vector<std::string> all = blobs(run_job(order, {}));
    for (const int rank : {0, 1, 3})
      EXPECT_THAT(all[rank], HasSubstr("failed: member 2 on here finished its job")) << order;
    EXPECT_EQ(all[2], "no device");
  }
  coordinator().dismiss();
}

TEST_F(Jobs, waits_of_members_end_at_their_deadlines) {
  start_members(2, [](Member& member) {
    if (member.rank() == 1) {
      EXPECT_THAT(member.next_job(within(milliseconds(1))).error().message,
                  HasSubstr("no job came in time"));
    }
    do_jobs(member, [](Member& me, const Job&) {
      if (me.rank() == 1) return std::string();
      // It fails whether the other member has finished before or finishes after.
      const auto parts = me.exchange("", within(milliseconds(1)));
      EXPECT_FALSE(parts.ok());
      return exchanged(me, "");
    });
  });
  gather_all(2);
  std::this_thread::sleep_for(milliseconds(20));
  EXPECT_THAT(blobs(run_job("", {}))[0], HasSubstr("failed: "));
  coordinator().dismiss();
}

TEST_F(Jobs, two_hundred_members_exchange) {
  const std::string mine(1000, 'x');
  start_members(200, [&](Member& member) {
    do_jobs(member, [&](Member& me, const Job&) {
      for (int i = 0; i < 3; ++i) {
        const auto parts = me.exchange(mine, within(kLong));
        if (!parts) return parts.error().message;
        if (parts.value() != std::vector<std::string>(200, mine)) return std::string("wrong parts");
      }
      return std::string("fine");
    });
  });
  gather_all(200);
  EXPECT_THAT(blobs(run_job("", {})), AllOf(testing::SizeIs(200), Each("fine")));
  coordinator().dismiss();
}

// Member 3 sends the same to all, and nothing to single members.
TEST_F(Jobs, members_send_each_member_a_blob_of_its_own) {
  start_members(4, [](Member& member) {
    do_jobs(member, [](Member& me, const Job&) {
      std::vector<std::string> each;
      for (int to = 0; to < 4; ++to)
        each.push_back(to == 2 ? "" : std::to_string(me.rank()) + ">" + std::to_string(to));
      const auto got = me.rank() == 3 ? me.exchange("all", within(kLong))
                                      : me.exchange_each(each, within(kLong));
      return got ? joined(got.value()) + exchanged(me, "again") : got.error().message;
    });
  });
  gather_all(4);
  const std::string again = "again,again,again,again,";
  EXPECT_THAT(blobs(run_job("", {})),
              ElementsAre("0>0,1>0,2>0,all," + again, "0>1,1>1,2>1,all," + again, ",,,all," + again,
                          "0>3,1>3,2>3,all," + again));
  coordinator().dismiss();
}

TEST_F(Jobs, too_long_a_blob_is_an_error_before_anything_is_sent) {
  start_members(1, [](Member& member) {
    do_jobs(member, [](Member& me, const Job&) {
      const std::string long_blob(kMaxFrameBytes, 'x');
      const auto parts = me.exchange(long_blob, within(kLong));
      return parts ? "sent" : parts.error().message;
    });
  });
  gather_all(1);
  const auto refused = coordinator().run_job(std::string(kMaxFrameBytes, 'x'), {}, JobWatch());
  EXPECT_THAT(refused.error().message, HasSubstr("longer than a frame can be (64 MiB)"));
  EXPECT_THAT(blobs(run_job("", {})), ElementsAre(HasSubstr("too long to exchange")));
  coordinator().dismiss();
}

}  // namespace
}  // namespace latchlab::launch

// Which members are accepted, and which are refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <array>
#include <future>

#include "core/launch/frame.h"
#include "tests/launch/fixture.h"
#include "tests/non_empty.h"

namespace latchlab::launch {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class Joining : public Launch {
 protected:
  // A member with these options tries to join while the coordinator waits for one; then a valid
  // member joins.
  std::string refusal(const MemberOptions& stranger) {
    std::string why = "it was let in";
    const Address at = address();
    std::thread thread([&] {
      const auto joined = Member::join(at, stranger);
      if (!joined) why = joined.error().message;
      auto proper = Member::join(at, member_options());
      EXPECT_TRUE(proper.ok());
    });
    gather_all(1);
    thread.join();
    return why;
  }
};

TEST_F(Joining, members_get_the_ranks_that_they_request_or_the_first_free) {
  start_thread([at = address()] {
    std::vector<Member> members;
    for (const int i : {2, 1, 0}) {
      MemberOptions mine = member_options();
      mine.host = "host-" + std::to_string(i);
      mine.facts = "{\"cpus\": 8}";
      if (i > 0) mine.rank = i;
      auto member = Member::join(at, mine);
      ASSERT_TRUE(member.ok());
      EXPECT_EQ(member.value().rank(), static_cast<std::uint32_t>(i));
      EXPECT_EQ(member.value().size(), 3U);
      members.push_back(std::move(member).value());
    }
    for (Member& member : non_empty(members))
      EXPECT_FALSE(member.next_job(within(kLong)).value().has_value());
  });
  gather_all(3);
  const auto peers = coordinator().peers();
  for (std::uint32_t rank = 0; rank < 3; ++rank) {
    EXPECT_EQ(peers[rank].rank, rank);
    EXPECT_EQ(peers[rank].host, "host-" + std::to_string(rank));
    EXPECT_EQ(peers[rank].facts, "{\"cpus\": 8}");
    EXPECT_THAT(peers[rank].address, HasSubstr("127.0.0.1:"));
    EXPECT_TRUE(peers[rank].is_present);
  }
  coordinator().dismiss();
}

TEST_F(Joining, a_wrong_token_is_refused_and_learns_nothing) {
  MemberOptions stranger = member_options();
  stranger.token = "A token for tests";
  stranger.program = "test 2";
  EXPECT_THAT(refusal(stranger), AllOf(HasSubstr("cannot join"), HasSubstr("another token"),
                                       HasSubstr("LATCHLAB_TOKEN"), Not(HasSubstr("test 1"))));
  EXPECT_THAT(notes, ElementsAre(HasSubstr("another token")));
}

TEST_F(Joining, another_build_is_refused) {
  MemberOptions stranger = member_options();
  stranger.program = "test 2";
  EXPECT_THAT(refusal(stranger), HasSubstr("it runs test 2, the coordinator test 1"));
  EXPECT_THAT(notes, ElementsAre(HasSubstr("test 2")));
}

TEST_F(Joining, a_rank_out_of_range_is_refused) {
  MemberOptions stranger = member_options();
  stranger.rank = 1;
  EXPECT_THAT(refusal(stranger), HasSubstr("has the ranks 0 to 0"));
}

TEST_F(Joining, a_rank_that_another_has_is_refused) {
  std::promise<std::string> why;
  start_members(1, [&, at = address()](Member& first) {
    MemberOptions second = member_options();
    second.rank = first.rank();
    const auto joined = Member::join(at, second);
    why.set_value(joined ? "it was let in" : joined.error().message);
    const auto third = Member::join(at, member_options());
    EXPECT_TRUE(third.ok());
  });
  gather_all(2);
  EXPECT_THAT(why.get_future().get(), HasSubstr("asks for rank 0, which here"));
}

TEST_F(Joining, surplus_members_are_refused_while_others_work) {
  std::promise<std::string> why;
  start_members(1, [&, at = address()](Member& member) {
    do_jobs(member, [&](Member&, const Job&) {
      const auto late = Member::join(at, member_options());
      why.set_value(late ? "it was let in" : late.error().message);
      return "";
    });
  });
  gather_all(1);
  EXPECT_TRUE(run_job("", {}).complete());
  EXPECT_THAT(why.get_future().get(), HasSubstr("its 1 members already"));
  coordinator().dismiss();
}

TEST_F(Joining, a_member_reports_a_server_that_is_no_coordinator) {
  const Descriptor other = listen_at({}).value();
  std::thread server([&] {
    Descriptor connection;
    while (!connection.is_open()) connection = accept_next(other).value();
    const std::string banner = "SSH-2.0-OpenSSH_9.2\r\n";
    ::send(connection.number(), banner.data(), banner.size(), MSG_NOSIGNAL);
    std::array<char, 4096> ignored;
    while (::recv(connection.number(), ignored.data(), ignored.size(), 0) != 0)
      std::this_thread::sleep_for(milliseconds(1));
  });
  const auto joined = Member::join({"127.0.0.1", port_of(other)}, member_options());
  server.join();
  EXPECT_THAT(joined.error().message, HasSubstr("does not speak TLS 1.3 with a token"));
}

TEST_F(Joining, a_member_waits_for_the_coordinator_until_its_deadline) {
  MemberOptions patient = member_options();
  patient.join_within = milliseconds(300);
  std::uint16_t port = 0;
  {
    const Descriptor free = listen_at({}).value();
    port = port_of(free);
  }
  EXPECT_THAT(Member::join({"127.0.0.1", port}, patient).error().message,
              HasSubstr("no coordinator answers"));
  options.at.port = port;
  std::thread early([&] {
    const auto joined = Member::join({"127.0.0.1", port}, member_options());
    EXPECT_TRUE(joined.ok());
  });
  std::this_thread::sleep_for(milliseconds(50));
  gather_all(1);
  early.join();
}

TEST_F(Joining, facts_that_are_too_long_are_not_sent) {
  MemberOptions talker = member_options();
  talker.facts.assign(kMaxHelloBytes, 'x');
  EXPECT_THAT(Member::join({"127.0.0.1", 1}, talker).error().message, HasSubstr("too long"));
}

TEST_F(Joining, gathering_ends_at_its_deadline_on_request_and_when_a_tick_fails) {
  EXPECT_THAT(coordinator().gather(2, {within(milliseconds(50)), {}, {}}).error().message,
              HasSubstr("0 of 2 members are there: no more came in time"));
  EXPECT_THAT(coordinator().gather(2, {kNever, [] { return true; }, {}}).error().message,
              HasSubstr("stopped"));
  const auto died = [] { return Status(Error{"node 1 died", {}}); };
  EXPECT_THAT(coordinator().gather(2, {kNever, {}, died}).error().message,
              HasSubstr("node 1 died"));
}

TEST_F(Joining, a_member_that_leaves_before_its_job_is_replaced) {
  std::promise<void> gathered;
  start_thread([&, at = address()] {
    {
      const auto first = Member::join(at, member_options());
      EXPECT_TRUE(first.ok());
      gathered.get_future().wait();
    }
    auto second = Member::join(at, member_options());
    ASSERT_TRUE(second.ok());
    EXPECT_FALSE(second.value().next_job(within(kLong)).value().has_value());
  });
  gather_all(1);
  gathered.set_value();
  while (notes.empty()) gather_all(1);
  EXPECT_THAT(notes, ElementsAre(HasSubstr("member 0 on here")));
  gather_all(1);
  coordinator().dismiss();
}

}  // namespace
}  // namespace latchlab::launch

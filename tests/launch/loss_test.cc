// Members that die, and a coordinator that dies. Processes and real signals.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>

#include "tests/launch/fixture.h"
#include "tests/non_empty.h"
#include "tests/paths.h"

namespace latchlab::launch {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class Loss : public Launch {
 protected:
  LocalMembers start(std::uint32_t count) {
    auto members = start_processes(count);
    EXPECT_TRUE(members.ok());
    gather_all(count);
    return std::move(members).value();
  }
};

TEST_F(Loss, in_an_exchange_fails_the_exchange_at_all_other_members) {
  LocalMembers members = start(4);
  std::vector<std::string> lost;
  JobWatch watch;
  watch.lost = [&](std::uint32_t, const std::string& text) { lost.push_back(text); };
  const JobOutcome outcome = run_job("2:die exchange", {}, watch);
  EXPECT_FALSE(outcome.complete());
  for (const int rank : {0, 1, 3})
    EXPECT_THAT(outcome.replies[rank].blob.value_or(""),
                AllOf(HasSubstr("failed: member 2 on " + coordinator().peers()[2].host),
                      HasSubstr("was lost: its connection")));
  EXPECT_FALSE(outcome.replies[2].blob.has_value());
  EXPECT_THAT(lost, ElementsAre(outcome.replies[2].lost));
  EXPECT_THAT(members.last_words(2), HasSubstr("was ended by signal 9"));
  coordinator().dismiss();
}

TEST_F(Loss, between_exchanges_does_not_affect_the_first) {
  LocalMembers members = start(3);
  const JobOutcome outcome = run_job("exchange 0:die exchange", {"a", "b", "c"});
  for (const int rank : {1, 2})
    EXPECT_THAT(outcome.replies[rank].blob.value_or(""), HasSubstr("failed: member 0"));
  coordinator().dismiss();
}

TEST_F(Loss, during_work_is_reported_to_the_others_and_they_continue) {
  LocalMembers members = start(3);
  JobWatch watch;
  bool is_lost = false;
  watch.lost = [&](std::uint32_t rank, const std::string&) { is_lost = rank == 1; };
  watch.stop = [&] { return is_lost; };
  const JobOutcome outcome = run_job("exchange 1:die hang", {"a", "b", "c"}, watch);
  EXPECT_EQ(outcome.replies[0].blob, "a,b,c,lost 1stopped");
  EXPECT_EQ(outcome.replies[2].blob, "a,b,c,lost 1stopped");
  EXPECT_THAT(outcome.replies[1].lost, HasSubstr("member 1"));
  coordinator().dismiss();
}

TEST_F(Loss, is_repaired_before_the_next_job) {
  LocalMembers members = start(3);
  EXPECT_FALSE(run_job("1:die", {}).complete());
  EXPECT_THAT(coordinator().run_job("", {}, {}).error().message, HasSubstr("member 1 is missing"));
  while (members.running() == 3) usleep(1000);
  ASSERT_TRUE(members.replace([](std::uint32_t) { return false; }).ok());
  gather_all(3);
  const JobOutcome outcome = run_job("exchange", {"a", "b", "c"});
  for (const JobReply& reply : non_empty(outcome.replies)) EXPECT_EQ(reply.blob, "a,b,c,");
  coordinator().dismiss();
  members.end(within(kLong));
}

TEST_F(Loss, of_a_member_that_hangs_is_declared_at_the_deadline) {
  LocalMembers members = start(2);
  JobWatch watch;
  watch.deadline = within(milliseconds(300));
  const JobOutcome outcome = run_job("0:refuse hang", {}, watch);
  EXPECT_EQ(outcome.replies[0].blob, "cannot");
  EXPECT_THAT(outcome.replies[1].lost, HasSubstr("did not finish in time"));
  // When it learns that it was given up, it ends.
  const Deadline deadline = within(kLong);
  while (members.running() == 2 && Clock::now() < deadline) usleep(1000);
  EXPECT_THAT(members.last_words(1), HasSubstr("ended with exit code 1"));
  coordinator().dismiss();
}

TEST_F(Loss, of_a_member_that_does_not_end_is_repaired_by_another_process) {
  LocalMembers members = start(2);
  const pid_t stuck = static_cast<pid_t>(coordinator().peers()[1].pid);
  ASSERT_EQ(::kill(stuck, SIGSTOP), 0);
  JobWatch watch;
  watch.deadline = within(milliseconds(300));
  EXPECT_FALSE(run_job("", {}, watch).complete());
  EXPECT_TRUE(coordinator().is_present(0));
  EXPECT_FALSE(coordinator().is_present(1));
  EXPECT_EQ(members.running(), 2U);
  const auto is_lost = [this](std::uint32_t rank) { return !coordinator().is_present(rank); };
  ASSERT_TRUE(members.replace(is_lost).ok());
  gather_all(2);
  EXPECT_NE(coordinator().peers()[1].pid, stuck);
  EXPECT_EQ(blobs(run_job("exchange", {"a", "b"})), std::vector<std::string>(2, "a,b,"));
  coordinator().dismiss();
  members.end(within(kLong));
}

TEST_F(Loss, of_a_member_killed_from_outside_is_detected) {
  LocalMembers members = start(3);
  JobWatch watch;
  int ticks = 0;
  bool is_lost = false;
  watch.tick = [&] {
    if (++ticks == 3) ::kill(static_cast<pid_t>(coordinator().peers()[2].pid), SIGKILL);
  };
  watch.lost = [&](std::uint32_t rank, const std::string&) { is_lost = rank == 2; };
  watch.stop = [&] { return is_lost; };
  const JobOutcome outcome = run_job("hang", {}, watch);
  EXPECT_EQ(outcome.replies[1].blob, "lost 2stopped");
  EXPECT_THAT(outcome.replies[2].lost, HasSubstr("member 2"));
  coordinator().dismiss();
}

TEST_F(Loss, of_the_coordinator_ends_members_that_are_not_its_children) {
  // The coordinator is a child of this process; the members are children of a sibling, like members
  // on another machine: only the connection tells them.
  std::array<int, 2> port_pipe = {};
  ASSERT_EQ(::pipe(port_pipe.data()), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    auto listening = Coordinator::listen(options);
    const std::uint16_t port = listening.value().port();
    if (::write(port_pipe[1], &port, sizeof port) != sizeof port) ::_exit(1);
    Coordinator& doomed = listening.value();
    if (!doomed.gather(3, {within(kLong), {}, {}})) ::_exit(1);
    JobWatch watch;
    int ticks = 0;
    watch.tick = [&] {
      if (++ticks == 5) ::raise(SIGKILL);
    };
    const auto outcome = doomed.run_job("hang", {}, watch);
    ::_exit(1);
  }
  std::uint16_t port = 0;
  ASSERT_EQ(::read(port_pipe[0], &port, sizeof port), static_cast<ssize_t>(sizeof port));
  LocalMemberOptions local;
  local.argv = {LATCHLAB_LAUNCH_MEMBER, std::to_string(port)};
  local.count = 3;
  local.token = options.token;
  auto members = LocalMembers::start(local);
  ASSERT_TRUE(members.ok());
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFSIGNALED(status));
  const Deadline deadline = within(kLong);
  while (members.value().running() > 0 && Clock::now() < deadline) usleep(1000);
  EXPECT_THAT(members.value().last_words(0), HasSubstr("ended with exit code 1"));
  ::close(port_pipe[0]);
  ::close(port_pipe[1]);
}

TEST_F(Loss, of_the_coordinator_is_an_error_and_an_event) {
  start_members(1, [](Member& member) {
    ASSERT_TRUE(member.next_job(within(kLong)).ok());
    std::vector<Event> seen;
    while (seen.empty()) seen = member.poll();
    EXPECT_EQ(seen.front().kind, Event::Kind::coordinator_lost);
    EXPECT_THAT(seen.front().text, HasSubstr("is gone: its connection was closed"));
    EXPECT_TRUE(member.poll().empty()) << "told once";
    EXPECT_EQ(member.descriptor(), -1);
    member.broadcast("to no member");
    EXPECT_THAT(member.exchange("", within(kLong)).error().message, HasSubstr("is gone"));
    EXPECT_THAT(member.finish("", within(kLong)).error().message, HasSubstr("is gone"));
    EXPECT_THAT(member.next_job(within(kLong)).error().message, HasSubstr("is gone"));
  });
  auto doomed = std::move(coordinator());
  ASSERT_TRUE(doomed.gather(1, {within(kLong), {}, {}}).ok());
  JobWatch watch;
  const Deadline soon = within(milliseconds(100));
  watch.tick = [&] {
    if (Clock::now() > soon) throw 0;  // the quickest way out of a coordinator's wait
  };
  EXPECT_THROW(static_cast<void>(doomed.run_job("", {}, watch)), int);
  { const Coordinator gone = std::move(doomed); }
}

}  // namespace
}  // namespace latchlab::launch

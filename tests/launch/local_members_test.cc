// Processes of this machine: how they start, what output they leave, and that none is left.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <fstream>

#include "tests/launch/fixture.h"

namespace latchlab::launch {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

LocalMemberOptions shell(const std::string& script) {
  LocalMemberOptions options;
  options.argv = {"sh", "-c", script};
  options.token = kToken;
  return options;
}

std::string last_words_of(const std::string& script) {
  auto members = LocalMembers::start(shell(script));
  EXPECT_TRUE(members.ok());
  const Deadline deadline = within(kLong);
  while (members.value().running() > 0 && Clock::now() < deadline) usleep(1000);
  return members.value().last_words(0);
}

// A zombie that its parent has not collected yet counts as dead.
bool is_alive(pid_t pid) {
  std::ifstream stat("/proc/" + std::to_string(pid) + "/stat");
  std::string number;
  std::string name;
  std::string state;
  return (stat >> number >> name >> state) && state != "Z" && state != "X";
}

TEST(LocalMembers, that_cannot_be_started_are_an_error_at_once) {
  LocalMemberOptions options;
  options.argv = {"/no/such/program"};
  EXPECT_THAT(LocalMembers::start(options).error().message,
              HasSubstr("cannot start /no/such/program: No such file"));
}

TEST(LocalMembers, leave_their_last_output) {
  EXPECT_THAT(last_words_of("echo one; echo two >&2; exit 3"),
              AllOf(HasSubstr("member 0"), HasSubstr("ended with exit code 3"),
                    HasSubstr("the last it wrote:\none\ntwo\n")));
  EXPECT_THAT(last_words_of("kill -SEGV $$"),
              AllOf(HasSubstr("signal 11"), HasSubstr("wrote nothing")));
}

TEST(LocalMembers, may_write_any_amount_of_output) {
  const std::string words =
      last_words_of("i=0; while [ $i -lt 20000 ]; do echo $i; i=$((i+1)); done");
  EXPECT_THAT(words, HasSubstr("\n19999\n"));
  EXPECT_LT(words.size(), 9000U);
}

TEST(LocalMembers, get_token_and_rank_only_from_the_environment) {
  LocalMemberOptions options = shell("echo $LATCHLAB_TOKEN $LATCHLAB_RANK; cat; exit 1");
  options.count = 2;
  options.first_rank = 4;
  auto members = LocalMembers::start(options);
  ASSERT_TRUE(members.ok());
  while (members.value().running() > 0) usleep(1000);
  EXPECT_THAT(members.value().last_words(5), HasSubstr(kToken + " 5\n"));
  EXPECT_EQ(members.value().last_words(6), "");
}

TEST(LocalMembers, do_not_get_the_interrupt_of_the_terminal) {
  auto members = LocalMembers::start(
      shell("kill -INT $$; [ $(cut -d' ' -f5 /proc/$$/stat) = $$ ] && echo own"));
  ASSERT_TRUE(members.ok());
  while (members.value().running() > 0) usleep(1000);
  EXPECT_THAT(members.value().last_words(0), HasSubstr("own"));
}

TEST(LocalMembers, that_do_not_end_are_killed_with_their_children) {
  LocalMemberOptions options = shell("trap '' TERM; sleep 1000 & echo $!; wait; wait");
  options.kill_after = milliseconds(100);
  pid_t grandchild = 0;
  {
    auto members = LocalMembers::start(options);
    ASSERT_TRUE(members.ok());
    std::string words;
    while (words.find(":\n") == std::string::npos) words = members.value().last_words(0);
    grandchild = std::stoi(words.substr(words.find(":\n") + 2));
    EXPECT_TRUE(is_alive(grandchild));
    members.value().end(within(milliseconds(10)));
    EXPECT_EQ(members.value().running(), 0U);
  }
  const Deadline deadline = within(kLong);
  while (is_alive(grandchild) && Clock::now() < deadline) usleep(1000);
  EXPECT_FALSE(is_alive(grandchild));
}

TEST(LocalMembers, die_with_the_process_that_started_them) {
  std::array<int, 2> ends = {};
  ASSERT_EQ(::pipe(ends.data()), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    auto members = LocalMembers::start(shell("echo $$; sleep 1000"));
    std::string words;
    while (words.find(":\n") == std::string::npos) words = members.value().last_words(0);
    const pid_t pid = std::stoi(words.substr(words.find(":\n") + 2));
    if (::write(ends[1], &pid, sizeof pid) != sizeof pid) ::_exit(1);
    ::raise(SIGKILL);
  }
  pid_t orphan = 0;
  ASSERT_EQ(::read(ends[0], &orphan, sizeof orphan), static_cast<ssize_t>(sizeof orphan));
  ASSERT_EQ(::waitpid(child, nullptr, 0), child);
  const Deadline deadline = within(kLong);
  while (is_alive(orphan) && Clock::now() < deadline) usleep(1000);
  EXPECT_FALSE(is_alive(orphan));
  ::close(ends[0]);
  ::close(ends[1]);
}

using Starting = Launch;

TEST_F(Starting, a_process_that_dies_before_it_joins_ends_the_gathering) {
  auto members = LocalMembers::start(shell("echo no device >&2; exit 4"));
  ASSERT_TRUE(members.ok());
  const auto check = [&] { return members.value().check(); };
  const Status gathered = coordinator().gather(1, {within(kLong), {}, check});
  EXPECT_THAT(gathered.error().message,
              AllOf(HasSubstr("0 of 1 members"), HasSubstr("exit code 4"), HasSubstr("no device")));
}

TEST_F(Starting, processes_that_print_a_lot_are_not_blocked) {
  auto members = start_processes(2);
  ASSERT_TRUE(members.ok());
  gather_all(2);
  JobWatch watch;
  watch.tick = [&] { members.value().pump(); };
  EXPECT_TRUE(run_job("say", {"goodbye", "farewell"}, watch).complete());
  EXPECT_THAT(members.value().last_words(1), HasSubstr("farewell"));
  coordinator().dismiss();
  members.value().end(within(kLong));
  EXPECT_THAT(members.value().last_words(0), HasSubstr("exit code 0"));
}

}  // namespace
}  // namespace latchlab::launch

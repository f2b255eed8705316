// Guard journals, and files that a node refuses as one. Needs no device.
#include "tools/latchlab/hardware/journal.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <filesystem>
#include <set>

namespace latchlab::tool {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

std::string why(const std::string& name, std::uint32_t clients) {
  const auto opened = JournalFile::open(journal_directory(), name, clients);
  return opened ? "opened" : opened.error().message;
}

std::set<std::string> files_in(const char* directory) {
  std::set<std::string> all;
  for (const auto& entry : fs::directory_iterator(directory)) all.insert(entry.path().string());
  return all;
}

TEST(Journal, is_shared_with_its_creator) {
  const JournalFile mine = JournalFile::make(3).value();
  const JournalFile nodes = JournalFile::open(journal_directory(), mine.name(), 3).value();
  ASSERT_EQ(nodes.records().size(), 3U);
  std::memset(static_cast<void*>(&nodes.records()[2]), 7, sizeof(GuardRecord));
  EXPECT_EQ(std::memcmp(&mine.records()[2], &nodes.records()[2], sizeof(GuardRecord)), 0);
}

// A creator that is killed cannot clean up.
TEST(Journal, leaves_nothing_behind_if_its_creator_is_killed) {
  const auto shared = files_in("/dev/shm");
  std::array<int, 2> ends = {};
  ASSERT_EQ(::pipe(ends.data()), 0);
  const pid_t maker = ::fork();
  if (maker == 0) {
    const auto made = JournalFile::make(3);
    const char told = made.ok() ? 'y' : 'n';
    if (::write(ends[1], &told, 1) != 1) ::_exit(1);
    for (;;) ::pause();
  }
  char made = 'n';
  ASSERT_EQ(::read(ends[0], &made, 1), 1);
  EXPECT_EQ(made, 'y');
  ::kill(maker, SIGKILL);
  ::waitpid(maker, nullptr, 0);
  EXPECT_EQ(files_in("/dev/shm"), shared);
  for (const int end : ends) ::close(end);
}

TEST(Journal, must_be_a_descriptor_of_a_journal_and_no_path) {
  const JournalFile mine = JournalFile::make(3).value();
  EXPECT_EQ(why(mine.name(), 3), "opened");
  EXPECT_THAT(why("../fd/" + mine.name(), 3), HasSubstr("is not the name of a journal"));
  EXPECT_THAT(why("", 3), HasSubstr("is not the name of a journal"));
  const int other = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  EXPECT_THAT(why(std::to_string(other), 3), HasSubstr("is no guard journal"));
  ::close(other);
  EXPECT_THAT(why(std::to_string(other), 3), HasSubstr("is no guard journal"));
}

TEST(Journal, is_long_enough_for_all_clients) {
  const JournalFile mine = JournalFile::make(3).value();
  EXPECT_THAT(why(mine.name(), 4), HasSubstr("no journal of 4 clients"));
}

}  // namespace
}  // namespace latchlab::tool

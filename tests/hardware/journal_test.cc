// Guard journals, and what a node does not take for one. Needs no device.
#include "tools/latchlab/hardware/journal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>

namespace latchlab::tool {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

TEST(Journal, is_seen_by_whoever_made_it) {
  const JournalDirectory directory = JournalDirectory::make().value();
  const JournalFile mine = JournalFile::make(directory, 3).value();
  const JournalFile nodes = JournalFile::open(directory.path(), mine.name(), 3).value();
  ASSERT_EQ(nodes.records().size(), 3U);
  std::memset(static_cast<void*>(&nodes.records()[2]), 7, sizeof(GuardRecord));
  EXPECT_EQ(std::memcmp(&mine.records()[2], &nodes.records()[2], sizeof(GuardRecord)), 0);
}

TEST(Journal, leaves_nothing_behind) {
  std::string path;
  {
    const JournalDirectory directory = JournalDirectory::make().value();
    path = directory.path();
    const JournalFile file = JournalFile::make(directory, 1).value();
    EXPECT_EQ(fs::status(path).permissions(), fs::perms::owner_all);
  }
  EXPECT_FALSE(fs::exists(path));
}

TEST(Journal, is_a_file_of_its_directory_and_nothing_else) {
  const JournalDirectory directory = JournalDirectory::make().value();
  const JournalDirectory elsewhere = JournalDirectory::make().value();
  const JournalFile other = JournalFile::make(elsewhere, 3).value();
  const std::string path = elsewhere.path() + "/" + other.name();
  const auto why = [&](const std::string& name) {
    const auto opened = JournalFile::open(directory.path(), name, 3);
    return opened ? "opened" : opened.error().message;
  };
  EXPECT_THAT(why(path), HasSubstr("is not the name of a journal"));
  EXPECT_THAT(why(".." + path), HasSubstr("is not the name of a journal"));
  EXPECT_THAT(why(".."), HasSubstr("cannot open"));
  fs::create_symlink(path, directory.path() + "/link");
  EXPECT_THAT(why("link"), HasSubstr("cannot open"));
  fs::remove(directory.path() + "/link");
}

TEST(Journal, is_long_enough_for_all_clients) {
  const JournalDirectory directory = JournalDirectory::make().value();
  const JournalFile mine = JournalFile::make(directory, 3).value();
  EXPECT_THAT(JournalFile::open(directory.path(), mine.name(), 4).error().message,
              HasSubstr("no journal of 4 clients"));
}

}  // namespace
}  // namespace latchlab::tool

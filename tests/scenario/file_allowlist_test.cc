// Files that a scenario from a foreign source names: only those below some directories may be read.
// In processes of their own, since bounds stay set.
#include "core/base/file_allowlist.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "core/scenario/text_file.h"
#include "core/workload/trace_lines.h"

namespace latchlab {
namespace {

namespace fs = std::filesystem;
using ::testing::ExitedWithCode;

class Readable : public testing::Test {
 protected:
  void SetUp() override {
    fs::remove_all(home_);
    for (const char* folder : {"data/deep", "database", "other"})
      fs::create_directories(home_ / folder);
    for (const char* file : {"data/a", "data/deep/b", "database/c", "other/secret"})
      std::ofstream(home_ / file) << "1,2\n";
    fs::create_symlink(home_ / "other/secret", home_ / "data/link");
    fs::create_symlink(home_ / "data/a", home_ / "other/link");
  }
  void TearDown() override { fs::remove_all(home_); }
  // Which of these files a process with bounds may read: "yn..." in their order.
  std::string answers(const std::vector<std::string>& files) {
    std::string all;
    for (const std::string& file : files) {
      const std::string path = (home_ / file).string();
      const bool may = may_read(path).ok();
      EXPECT_EQ(read_text_file(path).ok(), may) << path;
      EXPECT_EQ(open_trace(path).ok(), may) << path;
      all += may ? 'y' : 'n';
    }
    return all;
  }
  const fs::path home_ = fs::path(testing::TempDir()) / ("readable-" + std::to_string(::getpid()));
};

TEST_F(Readable, is_every_file_without_bounds) {
  EXPECT_EQ(answers({"data/a", "other/secret", "data/link"}), "yyy");
}

TEST_F(Readable, is_every_file_below_the_bounds_and_no_other) {
  EXPECT_EXIT(
      {
        read_only_below({(home_ / "nowhere").string(), (home_ / "data/").string()});
        const std::string found =
            answers({"data/a", "data/deep/b", "data/../data/a", "other/link", "database/c",
                     "other/secret", "data/link", "data/../other/secret"});
        std::fprintf(stderr, "%s\n", found.c_str());
        std::exit(testing::Test::HasFailure() ? 1 : 0);
      },
      ExitedWithCode(0), "yyyynnnn");
}

TEST_F(Readable, is_no_file_with_empty_bounds) {
  EXPECT_EXIT(
      {
        read_only_below({});
        std::fprintf(stderr, "%s\n", answers({"data/a"}).c_str());
        std::exit(testing::Test::HasFailure() ? 1 : 0);
      },
      ExitedWithCode(0), "n");
}

}  // namespace
}  // namespace latchlab

// Reading back a stored repeat gives all that was written, or an error.
#include "core/run/point_files.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cctype>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/export/stored_studies.h"

namespace latchlab::study_test {
namespace {

namespace fs = std::filesystem;

class PointFile : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern =
        (fs::temp_directory_path() / ("latchlab-points-" + std::string(6, 'X'))).string();
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    home_ = pattern;
    const StoredStudy stored = study(kBase);
    const auto files = PointFiles::open(home_, stored.manifest, "a program");
    ASSERT_TRUE(files);
    ASSERT_TRUE(
        files.value().keep(0, stored.scenario.points[0], 0, *stored.outcome.points[0].repeats[0]));
    std::ifstream in(path(), std::ios::binary);
    std::ostringstream text;
    text << in.rdbuf();
    text_ = text.str();
  }
  void TearDown() override { fs::remove_all(home_); }
  std::string path() const { return point_file(home_, 0, 0); }
  bool can_be_read(const std::string& text) const {
    std::ofstream(path(), std::ios::binary) << text;
    return read_point_file(path()).ok();
  }

  std::string home_, text_;
};

TEST_F(PointFile, one_changed_digit_is_an_error_at_any_place) {
  ASSERT_TRUE(can_be_read(text_));
  int changed = 0;
  for (std::size_t at = 0; at < text_.size(); ++at) {
    if (std::isdigit(static_cast<unsigned char>(text_[at])) == 0) continue;
    std::string other = text_;
    other[at] = other[at] == '9' ? '8' : static_cast<char>(other[at] + 1);
    EXPECT_FALSE(can_be_read(other)) << "digit at " << at;
    ++changed;
  }
  EXPECT_GE(changed, 30);
}

TEST_F(PointFile, a_truncated_or_extended_file_is_an_error) {
  for (std::size_t length = 0; length < text_.size(); ++length)
    EXPECT_FALSE(can_be_read(text_.substr(0, length))) << length;
  EXPECT_FALSE(can_be_read(text_ + " "));
}

TEST_F(PointFile, without_a_checksum_it_is_read_and_marked_as_unchecked) {
  EXPECT_TRUE(read_point_file(path()).value().checked);
  ASSERT_TRUE(can_be_read("{" + text_.substr(text_.find("\"key\":"))));
  EXPECT_FALSE(read_point_file(path()).value().checked);
}

}  // namespace
}  // namespace latchlab::study_test

// The project keeps the rules.

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/paths.h"
#include "tests/tidy/rules.h"

namespace latchlab::tidy {
namespace {

class Tree : public testing::Test {
 protected:
  static const std::vector<SourceFile>& files() {
    static const std::vector<SourceFile> tree = read_tree(LATCHLAB_SOURCE_DIR);
    return tree;
  }
  // One line per finding, so that a failing test reads like a compiler's output.
  static std::string report(const Findings& findings) {
    std::string all;
    for (const Finding& finding : findings) all += finding.text() + "\n";
    return all;
  }
  template <class Rule>
  static std::string report_of_each(Rule rule) {
    std::string all;
    for (const SourceFile& file : files()) all += report(rule(file));
    return all;
  }
};

TEST_F(Tree, is_read_whole) {
  const auto found = [](const std::string& path) {
    return std::any_of(files().begin(), files().end(),
                       [&](const SourceFile& file) { return file.path == path; });
  };
  EXPECT_TRUE(found("CMakeLists.txt"));
  EXPECT_TRUE(found("core/base/time.h"));
  EXPECT_TRUE(found("tests/tidy/rules.h"));
  EXPECT_TRUE(found("tools/quickstart"));
}

TEST_F(Tree, every_layer_includes_only_what_it_may) {
  EXPECT_EQ(report_of_each(check_includes), "");
}

TEST_F(Tree, no_banned_text_is_written) {
  EXPECT_EQ(report_of_each(check_bans), "");
}

TEST_F(Tree, no_line_is_too_wide) {
  EXPECT_EQ(report_of_each(check_width), "");
}

TEST_F(Tree, no_file_grows_past_its_limit) {
  EXPECT_EQ(report_of_each([](const SourceFile& file) { return check_length(file, long_files()); }),
            "");
}

TEST_F(Tree, lists_of_exceptions_are_up_to_date) {
  EXPECT_EQ(report(check_tree(files(), long_files())), "");
}

TEST_F(Tree, every_sentence_names_its_subject) {
  EXPECT_EQ(report_of_each(check_pronouns), "");
}

TEST_F(Tree, each_planted_bug_has_a_test_and_each_test_a_bug) {
  EXPECT_EQ(report(check_planted(files())), "");
}

TEST_F(Tree, each_installed_header_includes_installed_ones) {
  EXPECT_EQ(report(check_installed(files())), "");
}

}  // namespace
}  // namespace latchlab::tidy

// The quickstart's table in README.md is what the program says today.
#include <gmock/gmock.h>

#include <fstream>
#include <sstream>

#include "tests/cli/program.h"
#include "tests/paths.h"

namespace latchlab::cli_test {
namespace {

using ::testing::HasSubstr;

const char* const kBegin = "<!-- quickstart-table: begin (tools/quickstart-table) -->\n```\n";
const char* const kEnd = "```\n<!-- quickstart-table: end -->";

class Quickstart : public Command {};

TEST_F(Quickstart, the_table_of_the_readme_is_what_a_run_prints) {
  Started started = start_program({LATCHLAB_SOURCE_DIR "/tools/quickstart-table", LATCHLAB_BINARY});
  const Finished printed = started.wait();
  ASSERT_EQ(printed.code, 0) << printed.err;
  ASSERT_THAT(printed.out, HasSubstr("With 240 clients"));
  std::ostringstream readme;
  readme << std::ifstream(LATCHLAB_SOURCE_DIR "/README.md").rdbuf();
  const std::string text = readme.str();
  const std::size_t begin = text.find(kBegin), end = text.find(kEnd);
  ASSERT_NE(begin, std::string::npos);
  ASSERT_NE(end, std::string::npos);
  const std::size_t from = begin + std::string(kBegin).size();
  EXPECT_EQ(text.substr(from, end - from), printed.out)
      << "README.md is out of date; write its table with tools/quickstart-table";
}

}  // namespace
}  // namespace latchlab::cli_test

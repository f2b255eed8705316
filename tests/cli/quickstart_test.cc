// The numbers of README.md: the quickstart's table is what the program says today, and the table on
// accuracy is what the paper published and what is predicted for it.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "tests/cli/program.h"
#include "tests/paths.h"

namespace latchlab::cli_test {
namespace {

using ::testing::HasSubstr;

// The text from `begin` to `end`, without both; empty if one of them is missing.
std::string between(const std::string& text, const std::string& begin, const std::string& end) {
  const std::size_t at = text.find(begin);
  if (at == std::string::npos) return "";
  const std::size_t from = at + begin.size(), to = text.find(end, from);
  return to == std::string::npos ? "" : text.substr(from, to - from);
}

// The predicted goodput with half of the operations reads, in 1/s.
double predicted(const std::string& experiment, const std::string& system) {
  const std::string row =
      "\n" + experiment + "," + system + ",workload.read_ratio=50%,goodput_ops_s,";
  return std::stod("0" + between(tree_file("predictions/shiftlock.csv"), row, ","));
}

// With as many decimals as the published number has.
std::string as_precise_as(const std::string& published, double value) {
  return fmt::format("{:.{}f}", value, published.size() - published.find('.') - 1);
}

const char* const kBegin = "<!-- quickstart-table: begin (tools/quickstart-table) -->\n```\n";
const char* const kEnd = "```\n<!-- quickstart-table: end -->";

class Quickstart : public Command {};

TEST_F(Quickstart, the_table_of_the_readme_is_what_a_run_prints) {
  Started started = start_program({LATCHLAB_SOURCE_DIR "/tools/quickstart-table", LATCHLAB_BINARY});
  const Finished printed = started.wait();
  ASSERT_EQ(printed.code, 0) << printed.err;
  ASSERT_THAT(printed.out, HasSubstr("With 240 clients"));
  EXPECT_EQ(between(tree_file("README.md"), kBegin, kEnd), printed.out)
      << "README.md is out of date; write its table with tools/quickstart-table";
}

TEST(Accuracy, the_table_of_the_readme_is_what_was_published_and_what_is_predicted) {
  const std::string block =
      between(tree_file("README.md"), "<!-- accuracy: begin (predictions/shiftlock.csv) -->\n",
              "<!-- accuracy: end -->");
  const std::string table4 = tree_file("scenarios/papers/shiftlock/table4.yaml");
  std::string wanted =
      "| set-up in `scenarios/papers/shiftlock` | paper | model | unit |\n|---|---|---|---|\n";
  for (const std::string lock : {"ShiftLock-no-tries", "CAS-B-artifact", "DSLR-port", "CAS-NB"}) {
    const std::string published =
        between(between(table4, "- id: goodput", "source:"), lock + ": [", "M]");
    ASSERT_NE(published, "") << lock;
    const double value = predicted("shiftlock/table4", lock) / 1e6;
    wanted +=
        fmt::format("| `{}` | {} | {} | M/s |\n", lock, published, as_precise_as(published, value));
  }
  const std::string ratio = between(tree_file("scenarios/papers/shiftlock/microbench-zipf.yaml"),
                                    "- id: wi-over-mcs", "profile:");
  const std::string published = between(ratio, "value: ", "\n");
  ASSERT_NE(published, "");
  const double value = predicted("shiftlock/microbench-zipf", "ShiftLock-no-tries") /
                       predicted("shiftlock/microbench-zipf", "MCS-artifact");
  wanted += fmt::format("| `ShiftLock-no-tries` / `MCS-artifact` | {} | {} | |\n", published,
                        as_precise_as(published, value));
  EXPECT_EQ(block, wanted) << "README.md is out of date";
}

}  // namespace
}  // namespace latchlab::cli_test

// Unknown commands and invalid options.
#include <gmock/gmock.h>

#include "tests/cli/program.h"

namespace latchlab::cli_test {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

class BadOption : public Command {
 protected:
  void expect_refused(const std::vector<std::string>& arguments, const std::string& message) {
    write("good.yaml", small_scenario("{name: cas}"));
    const Finished finished = latchlab(arguments);
    EXPECT_EQ(finished.code, 2);
    EXPECT_EQ(finished.out, "");
    EXPECT_THAT(finished.err, StartsWith("latchlab"));
    EXPECT_THAT(finished.err, HasSubstr(message));
    EXPECT_LT(finished.err.size(), 300u);
    EXPECT_FALSE(exists("results"));
  }
};

TEST_F(BadOption, unknown_commands_and_options_name_the_known_ones) {
  const std::string known = "known: run, reproduce, check, ";
  expect_refused({}, "a command is missing; " + known);
  expect_refused({"dance", "good.yaml"}, "unknown command 'dance'; " + known);
  expect_refused({"run", "good.yaml", "--fast"}, "See: latchlab run --help");
  expect_refused({"run", "good.yaml", "--output", "x"}, "; did you mean --out?");
  expect_refused({"run", "good.yaml", "--sesitivity"}, "; did you mean --sensitivity?");
  expect_refused({"--fast"}, "See: latchlab --help");
  expect_refused({"run"}, "scenario is required");
  expect_refused({"list", "colours"}, "protocols,workloads,metrics,nics,software,scenarios,checks");
}

TEST_F(BadOption, numbers_and_directories_of_options_are_checked) {
  expect_refused({"run", "good.yaml", "--seed", "-1"}, "'-1' is not a whole number from 0 to");
  expect_refused({"run", "good.yaml", "--seed", "99999999999999999999"}, "is not a whole number");
  expect_refused({"run", "good.yaml", "--repeats", "0"}, "'0' is not a whole number from 1 to");
  expect_refused({"run", "good.yaml", "--jobs", "two"}, "'two' is not a whole number from 1 to");
  expect_refused({"run", "good.yaml", "--data", "nowhere"}, "nowhere");
  expect_refused({"run", "good.yaml", "--backend", "magic"}, "magic");
  expect_refused({"explore", "--protocol", "cas", "--crash-unit", "rack"}, "client,process,node");
}

TEST_F(BadOption, results_are_not_written_where_files_exist_or_writing_fails) {
  std::filesystem::create_directory(path("taken"));
  write("taken/here", "mine");
  expect_refused({"run", "good.yaml", "--out", "taken"}, "never overwritten; choose another --out");
  EXPECT_EQ(read("taken/here"), "mine");
  expect_refused({"run", "good.yaml", "--out", "good.yaml"}, "never overwritten");
  expect_refused({"run", "good.yaml", "--out", "good.yaml/below"}, "cannot create good.yaml/below");
  expect_refused({"run", "good.yaml", "--out", "/dev/null/x"}, "cannot create /dev/null/x");
}

}  // namespace
}  // namespace latchlab::cli_test

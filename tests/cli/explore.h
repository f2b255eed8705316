#pragma once
// Helpers for tests of latchlab explore.

#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "tests/cli/program.h"

namespace latchlab::cli_test {

class Explore : public Command {
 protected:
  Finished explore(std::vector<std::string> more) {
    more.insert(more.begin(), {"explore", "--out", "found"});
    return latchlab(more);
  }
  void expect_refused(const std::vector<std::string>& more, const std::string& reason) {
    const Finished finished = explore(more);
    SCOPED_TRACE(finished.err);
    EXPECT_EQ(finished.code, 2);
    EXPECT_EQ(finished.out, "");
    EXPECT_THAT(finished.err, ::testing::StartsWith("latchlab"));
    EXPECT_THAT(finished.err, ::testing::HasSubstr(reason));
    EXPECT_FALSE(exists("found"));
  }
  void expect_trace_refused(const std::string& text, const std::string& reason) {
    write("odd.json", text);
    const Finished finished = latchlab({"replay", "odd.json"});
    EXPECT_EQ(finished.code, 2);
    EXPECT_EQ(finished.out, "");
    EXPECT_THAT(finished.err, ::testing::StartsWith("latchlab: odd.json"));
    EXPECT_THAT(finished.err, ::testing::HasSubstr(reason));
  }
  // A lock that does not recover from the crash of a client.
  const std::vector<std::string> stuck = {"--protocol", "mcs", "--crashes", "1"};
};

}  // namespace latchlab::cli_test

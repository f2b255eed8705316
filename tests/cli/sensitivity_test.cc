// `latchlab run --sensitivity`: what it prints, writes and stores.
#include <gmock/gmock.h>
#include <signal.h>

#include "tests/cli/program.h"

namespace latchlab::cli_test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class SensitivityOption : public Command {
 protected:
  void write_two_locks() const {
    write("two.yaml",
          small_scenario("{name: cas}", "sweep: {grid: {protocol: [{name: cas}, {name: mcs}]}}\n"));
  }
};

TEST_F(SensitivityOption, an_interrupted_search_resumes_and_its_answer_is_stored) {
  write_two_locks();
  Started started = start({"run", "two.yaml", "--sensitivity", "--out", "r"});
  ASSERT_TRUE(appears("r/sensitivity/sections/points/0003-0.json"));
  started.send(SIGINT);
  const Finished cut = started.wait();
  EXPECT_EQ(cut.code, 130);
  EXPECT_THAT(cut.err, HasSubstr("latchlab run two.yaml --sensitivity --resume --out r"));
  EXPECT_TRUE(exists("r/results.json"));
  EXPECT_TRUE(exists("r/sensitivity/sections/points/0003-0.json"));
  EXPECT_FALSE(exists("r/sensitivity.json"));

  const Finished rest = latchlab({"run", "two.yaml", "--sensitivity", "--resume", "--out", "r"});
  EXPECT_EQ(rest.code, 0) << rest.err;
  EXPECT_THAT(rest.out, HasSubstr("How far this hangs on what the model does not know"));
  EXPECT_FALSE(exists("r/sensitivity"));
  const Json found = json("r/sensitivity.json");
  EXPECT_EQ(found["compared"].size(), 2u);
  EXPECT_THAT(rest.out, HasSubstr(found["says"][0].get<std::string>()));
  EXPECT_THAT(read("r/report.html"), HasSubstr("\"sensitivity\":{"));

  // The result is byte-identical to that of an uninterrupted search, and nothing runs again.
  const std::string before = read("r/sensitivity.json");
  const Finished again = latchlab({"run", "two.yaml", "--sensitivity", "--resume", "--out", "r"});
  EXPECT_THAT(again.out, HasSubstr(found["says"][0].get<std::string>()));
  EXPECT_THAT(again.err, Not(HasSubstr("short runs")));
  ASSERT_EQ(
      latchlab({"run", "two.yaml", "--sensitivity", "--quiet", "--jobs", "1", "--out", "one"}).code,
      0);
  EXPECT_EQ(read("one/sensitivity.json"), before);

  // A damaged answer is reported; an answer for other results is not shown.
  write("r/sensitivity.json", "{\"says\": 1}");
  const Finished damaged = latchlab({"report", "r"});
  EXPECT_EQ(damaged.code, 2);
  EXPECT_THAT(damaged.err, HasSubstr("r/sensitivity.json: not what 'latchlab run --sensitivity'"));
  std::string hurt = before;
  const std::size_t digit = hurt.find_first_of("12345678", hurt.find("\"moved\""));
  ASSERT_NE(digit, std::string::npos);
  ++hurt[digit];
  write("r/sensitivity.json", hurt);
  EXPECT_THAT(latchlab({"report", "r"}).err, HasSubstr("r/sensitivity.json: damaged since it was"));
  EXPECT_EQ(latchlab({"run", "two.yaml", "--sensitivity", "--resume", "--out", "r"}).code, 0);
  EXPECT_EQ(read("r/sensitivity.json"), before);
  std::string other = before;
  other.replace(other.find("\"results\": \"") + 12, 1, "x");
  write("r/sensitivity.json", other);
  EXPECT_EQ(latchlab({"report", "r"}).code, 0);
  EXPECT_THAT(read("r/report.html"), Not(HasSubstr("\"sensitivity\":{")));
}

TEST_F(SensitivityOption, reports_that_there_is_nothing_to_compare) {
  write("one.yaml", small_scenario("{name: cas}"));
  const Finished finished = latchlab({"run", "one.yaml", "--sensitivity", "--out", "r"});
  EXPECT_EQ(finished.code, 0);
  EXPECT_THAT(finished.out, HasSubstr("No two locks are compared where the sweep ends"));
  EXPECT_FALSE(exists("r/sensitivity.json"));
}

TEST_F(SensitivityOption, is_refused_on_hardware) {
  write_two_locks();
  const Finished finished =
      latchlab({"run", "two.yaml", "--sensitivity", "--backend", "ibverbs", "--out", "r"});
  EXPECT_NE(finished.code, 0);
  EXPECT_THAT(finished.err, HasSubstr("--sensitivity asks for the constants of the simulator"));
}

}  // namespace
}  // namespace latchlab::cli_test

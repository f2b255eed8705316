// Scenarios from stdin, and what check says to programs.
#include <gmock/gmock.h>

#include "tests/cli/program.h"
#include "tests/paths.h"

namespace latchlab::cli_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class Check : public Command {
 protected:
  Finished piped(const std::string& words, const std::string& text) {
    write("input", text);
    return start_program({"/bin/sh", "-c", std::string(LATCHLAB_BINARY) + " " + words + " < input"})
        .wait();
  }
};

TEST_F(Check, a_scenario_may_come_from_stdin) {
  EXPECT_THAT(piped("check -", small_scenario("{name: cas}")).out,
              HasSubstr("stdin: fine: 1 point, 1 run,"));
  EXPECT_THAT(piped("check -", small_scenario("{name: cas}", "colour: red\n")).err,
              ::testing::ContainsRegex("latchlab: stdin:[0-9]+: unknown key 'colour'"));
  EXPECT_EQ(piped("check -", "").code, 2);
  ASSERT_EQ(piped("run - --quiet --seed 7", small_scenario("{name: cas}")).code, 0);
  write("small.yaml", small_scenario("{name: cas}"));
  ASSERT_EQ(latchlab({"run", "small.yaml", "--quiet", "--seed", "7"}).code, 0);
  EXPECT_EQ(read("results/small-1/results.csv"), read("results/small-2/results.csv"));
}

TEST_F(Check, what_came_from_stdin_goes_on_from_its_directory) {
  ASSERT_EQ(piped("run - --quiet --seed 7 --out out", small_scenario("{name: cas}")).code, 0);
  const std::string results = read("out/results.json");
  const Finished again = latchlab({"run", "out/scenario.yaml", "--resume", "--out", "out"});
  EXPECT_EQ(again.code, 0) << again.err;
  EXPECT_THAT(again.err, HasSubstr("1 of 1 run are there already"));
  EXPECT_EQ(read("out/results.json"), results);
}

TEST_F(Check, tells_programs_what_there_is) {
  write("small.yaml",
        small_scenario("{name: dslr, lease: 1ms}", "sweep: {grid: {locks.count: [1, 2, 3]}}\n"));
  const Finished finished = latchlab({"check", "small.yaml", "--json", "--repeats", "2"});
  EXPECT_EQ(finished.code, 0);
  EXPECT_EQ(finished.err, "");
  const Json said = Json::parse(finished.out);
  EXPECT_EQ(said["valid"], true);
  EXPECT_EQ(said["file"], "small.yaml");
  EXPECT_EQ(said["name"], "small");
  EXPECT_EQ(said["points"], 3);
  EXPECT_EQ(said["runs"], 6);
  EXPECT_GT(said["estimate"]["seconds"].get<double>(), 0);
  EXPECT_GT(said["estimate"]["mib"].get<double>(), 0);
  ASSERT_GE(said["warnings"].size(), 1u);
  EXPECT_THAT(said["warnings"][0].get<std::string>(), StartsWith("run.duration 400us is shorter"));
  EXPECT_EQ(said["errors"], Json::array());
}

TEST_F(Check, tells_programs_what_is_wrong_and_where) {
  const auto error = [&](const std::vector<std::string>& words) {
    std::vector<std::string> all = {"check", "--json"};
    all.insert(all.end(), words.begin(), words.end());
    const Finished finished = latchlab(all);
    EXPECT_EQ(finished.code, 2);
    EXPECT_EQ(finished.err, "");
    const Json said = Json::parse(finished.out);
    EXPECT_EQ(said["valid"], false);
    EXPECT_EQ(said["errors"].size(), 1u);
    return said["errors"][0];
  };
  write("bad.yaml", "schema: 1\nname: x\nprotocol: {name: cas}\nlocks: {cuont: 5}\n");
  EXPECT_EQ(error({"bad.yaml"}),
            Json({{"file", "bad.yaml"},
                  {"line", 4},
                  {"message", "unknown key 'cuont' in locks; did you mean 'count'?"}}));
  write("good.yaml", small_scenario("{name: cas}"));
  const Json set = error({"good.yaml", "--set", "locks.cuont=5"});
  EXPECT_EQ(set["file"], "--set locks.cuont=5");
  EXPECT_EQ(set["line"], nullptr);
  EXPECT_EQ(error({"good.yaml", "--set", "locks"})["file"], nullptr);
  EXPECT_EQ(error({"nowhere"})["file"], "nowhere");
}

}  // namespace
}  // namespace latchlab::cli_test

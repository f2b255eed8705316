// `latchlab swarm`: what it prints, writes and refuses.
#include <gmock/gmock.h>

#include "tests/cli/program.h"

namespace latchlab::cli_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class Swarm : public Command {};

TEST_F(Swarm, counts_what_locks_that_keep_their_claims_have_run) {
  const Finished finished =
      latchlab({"swarm", "--protocol", "mcs", "--protocol", "dslr", "--runs", "6", "--out", "s"});
  EXPECT_EQ(finished.code, 0) << finished.err;
  EXPECT_THAT(finished.out, AllOf(HasSubstr("mcs"), HasSubstr("dslr"), HasSubstr("Results: s")));
  const Json all = json("s/swarm.json")["all"];
  EXPECT_EQ(all["runs"], 12);
  EXPECT_EQ(all["findings"], 0);
  EXPECT_GT(all["grants"].get<int>(), 100);
}

TEST_F(Swarm, prints_the_same_with_any_number_of_jobs) {
  const std::vector<std::string> words = {"swarm", "--protocol", "cql",   "--runs",
                                          "8",     "--json",     "--jobs"};
  std::vector<std::string> one = words, two = words;
  one.insert(one.end(), {"1", "--out", "one"});
  two.insert(two.end(), {"2", "--out", "two"});
  const Finished first = latchlab(one), second = latchlab(two);
  EXPECT_EQ(first.code, 0) << first.err;
  EXPECT_EQ(first.out, second.out);
  EXPECT_EQ(first.out, read("one/swarm.json"));
}

TEST_F(Swarm, makes_a_finding_small_and_shows_it_on_a_page) {
  // Algorithm 3 of ALock as printed hangs.
  const Finished finished = latchlab({"swarm", "--protocol", "alock", "--set", "enqueue=single_cas",
                                      "--runs", "4", "--parameters", "default", "--out", "s"});
  EXPECT_EQ(finished.code, 1) << finished.err;
  EXPECT_THAT(finished.out, AllOf(HasSubstr("progress"), HasSubstr("smallest: ")));
  const Json finding = json("s/swarm.json")["findings"][0];
  EXPECT_EQ(finding["broken"], "progress");
  EXPECT_LE(finding["clients"].get<int>(), 3);
  const std::string file = finding["scenario"], name = file.substr(0, file.size() - 5);
  EXPECT_TRUE(exists("s/" + name + ".drawn.yaml"));
  EXPECT_TRUE(exists("s/" + name + "/traces/0000.json"));
  EXPECT_THAT(read("s/" + name + "/report.html"), HasSubstr("traces"));
  // Nothing is claimed of this form, unless the scenario says what it is known to lose.
  const Finished again = latchlab({"swarm", "s/" + file});
  EXPECT_EQ(again.code, 0) << again.err;
  EXPECT_THAT(again.out, HasSubstr("kept all that it claims"));
  write("known.yaml",
        read("s/" + file) +
            "known: [{where: {label: alock}, verdict: no progress, why: as printed}]\n");
  EXPECT_THAT(latchlab({"swarm", "known.yaml"}).out, HasSubstr("lost progress, as is known"));
  write("wrong.yaml",
        read("s/" + file) + "known: [{where: {label: alock}, verdict: unsafe, why: as printed}]\n");
  const Finished wrong = latchlab({"swarm", "wrong.yaml"});
  EXPECT_EQ(wrong.code, 1);
  EXPECT_THAT(wrong.out, HasSubstr("FOUND does not lose"));
}

TEST_F(Swarm, refuses_what_it_cannot_do) {
  EXPECT_THAT(latchlab({"swarm", "--protocol", "mcz"}).err, HasSubstr("there is no such lock"));
  EXPECT_THAT(latchlab({"swarm", "--protocol", "mcs", "--set", "lease=1ms"}).err,
              HasSubstr("mcs has no parameter lease"));
  EXPECT_THAT(latchlab({"swarm", "--protocol", "dslr", "--set", "lease=soon"}).err,
              HasSubstr("soon"));
  EXPECT_THAT(latchlab({"swarm", "--budget", "some"}).err, HasSubstr("such as 90s, 10m or 1h"));
  EXPECT_THAT(latchlab({"swarm", "--regressions", "nowhere"}).err, HasSubstr("nowhere"));
  for (const auto& words : std::vector<std::vector<std::string>>{
           {"swarm", "--protocol", "mcz"}, {"swarm", "--budget", "some"}, {"swarm", "--runs", "0"}})
    EXPECT_EQ(latchlab(words).code, 2);
}

}  // namespace
}  // namespace latchlab::cli_test

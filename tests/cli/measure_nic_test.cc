// latchlab calibrate --backend: measures a simulated NIC and writes a description that can be used.
#include <gmock/gmock.h>
#include <signal.h>

#include <set>
#include <sstream>
#include <string>

#include "tests/cli/program.h"

namespace latchlab::cli_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

using Words = std::vector<std::string>;

class MeasureNic : public Command {
 protected:
  // Only the benchmarks under test, with three repeats.
  Words measuring(const std::set<std::string>& wanted, const Words& more = {}) {
    Words words = {"calibrate", "--backend", "simgrid", "--repeats", "3", "--quiet"};
    const std::string help = latchlab({"calibrate", "--help"}).out;
    std::istringstream lines(help.substr(help.find("\nBenchmarks:\n") + 1));
    std::string line, name;
    for (std::getline(lines, line); std::getline(lines, line) && line.starts_with("  ");) {
      std::istringstream(line) >> name;
      if (wanted.count(name) == 0) words.insert(words.end(), {"--without", name});
    }
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
};

TEST_F(MeasureNic, writes_a_description_that_a_scenario_can_use) {
  const Finished measured =
      latchlab(measuring({"same_address", "window"},
                         {"--measurements", "m", "--base", "connectx-6", "--out", "mine.yaml"}));
  ASSERT_EQ(measured.code, 0) << measured.err;
  EXPECT_THAT(measured.out, AllOf(HasSubstr("atomic.same_address "), HasSubstr("Left open\n"),
                                  HasSubstr("\natomic.window  "), HasSubstr("\nlatency.read  ")));
  EXPECT_THAT(read("mine.yaml"),
              AllOf(HasSubstr("\nbase: connectx-6\n"), HasSubstr("status: fitted")));
  // The stored measurements are fitted again, with the same result.
  const Finished again = latchlab({"calibrate", "--from", "m", "--base", "connectx-6", "--name",
                                   "connectx-5-simulated", "--out", "again.yaml"});
  ASSERT_EQ(again.code, 0) << again.err;
  EXPECT_EQ(read("again.yaml"), read("mine.yaml"));
  write("s.yaml", small_scenario("{name: cas}"));
  const Finished checked = latchlab({"check", "s.yaml", "--set", "platform.nic=mine.yaml"});
  EXPECT_EQ(checked.code, 0) << checked.err;
}

// Three repeats of a simulation may be equal to the last digit, such as those of two clients that
// answer each other: the fit must not divide by their spread.
TEST_F(MeasureNic, equal_repeats_give_a_fit_with_finite_numbers) {
  for (const char* nic : {"connectx-5", "connectx-6"}) {
    const std::string directory = std::string("m-") + nic;
    const Finished measured =
        latchlab(measuring({"same_address", "ping_pong"},
                           {"--nic", nic, "--measurements", directory, "--out", "mine.yaml"}));
    ASSERT_EQ(measured.code, 0) << measured.err;
    const std::size_t at = measured.out.find("reduced chi^2 ");
    ASSERT_NE(at, std::string::npos);
    EXPECT_LT(std::stod(measured.out.substr(at + 14)), 1'000) << nic;
    EXPECT_THAT(measured.out, Not(HasSubstr("nan"))) << nic;
    EXPECT_THAT(measured.out, HasSubstr("\natomic.same_address ")) << nic;
  }
}

TEST_F(MeasureNic, several_measurements_are_fitted_together) {
  ASSERT_EQ(latchlab(measuring({"same_address"}, {"--measurements", "one"})).code, 0);
  ASSERT_EQ(latchlab(measuring({"local"}, {"--measurements", "two"})).code, 0);
  const Finished both = latchlab({"calibrate", "--from", "one", "--from", "two"});
  ASSERT_EQ(both.code, 0) << both.err;
  const std::string found = both.out.substr(0, both.out.find("Left open"));
  EXPECT_THAT(found, AllOf(HasSubstr("atomic.same_address "), HasSubstr("local.cpu_access ")));
}

TEST_F(MeasureNic, a_stored_benchmark_that_is_excluded_does_not_affect_the_fit) {
  ASSERT_EQ(latchlab(measuring({"same_address", "local"}, {"--measurements", "m"})).code, 0);
  const Finished rest = latchlab({"calibrate", "--from", "m", "--without", "local"});
  ASSERT_EQ(rest.code, 0) << rest.err;
  const std::string found = rest.out.substr(0, rest.out.find("Left open"));
  EXPECT_THAT(found, AllOf(HasSubstr("atomic.same_address "), Not(HasSubstr("local."))));
  EXPECT_THAT(rest.out, Not(HasSubstr("\nload  ")));
}

TEST_F(MeasureNic, an_option_that_would_have_no_effect_is_refused) {
  const auto refused = [&](Words words, const Words& more) {
    words.insert(words.begin(), "calibrate");
    words.insert(words.end(), more.begin(), more.end());
    const Finished finished = latchlab(words);
    EXPECT_EQ(finished.code, 2) << finished.out;
    return finished.err;
  };
  for (const Words& option : std::vector<Words>{{"--backend", "simgrid"},
                                                {"--nic", "connectx-6"},
                                                {"--quick"},
                                                {"--repeats", "8"},
                                                {"--seed", "1"},
                                                {"--measurements", "n"},
                                                {"--resume"},
                                                {"--jobs", "2"},
                                                {"--workers", "2"}})
    EXPECT_EQ(refused({"--from", "m"}, option),
              "latchlab: " + option[0] + ": --from measures nothing; leave one of them out\n");
  for (const Words& option : std::vector<Words>{{"--nic", "connectx-6"}, {"--seed", "1"}})
    EXPECT_THAT(refused({}, option),
                StartsWith("latchlab: " + option[0] + ": only of a NIC that is measured"));
  for (const Words& measured : std::vector<Words>{{"--from", "m"}, {"--backend", "simgrid"}})
    EXPECT_THAT(refused({"connectx-5"}, measured),
                StartsWith("latchlab: connectx-5: a fit to published values"));
}

TEST_F(MeasureNic, an_interrupted_calibration_stores_what_was_finished) {
  Started started =
      start({"calibrate", "--backend", "simgrid", "--jobs", "1", "--measurements", "m"});
  ASSERT_TRUE(appears("m/points/0003-7.json"));
  started.send(SIGINT);
  const Finished interrupted = started.wait();
  EXPECT_EQ(interrupted.code, 130);
  EXPECT_THAT(interrupted.err, HasSubstr("latchlab calibrate --from m "));
  const Finished fitted = latchlab({"calibrate", "--from", "m"});
  EXPECT_EQ(fitted.code, 0) << fitted.err;
  EXPECT_THAT(fitted.out, HasSubstr("\nread_8  "));
  EXPECT_THAT(fitted.err, HasSubstr(", device_same_16_fewer: not finished"));
}

TEST_F(MeasureNic, invalid_combinations_of_options_are_refused) {
  const Finished unknown =
      latchlab({"calibrate", "--backend", "simgrid", "--without", "read_latencies"});
  EXPECT_EQ(unknown.code, 2);
  EXPECT_THAT(unknown.err, StartsWith("latchlab: --without read_latencies: there is no such"));
  const Finished alone = latchlab({"calibrate", "--quick"});
  EXPECT_EQ(alone.code, 2);
  EXPECT_THAT(alone.err, StartsWith("latchlab: --quick: only of a NIC that is measured"));
  const Finished device = latchlab({"calibrate", "--backend", "simgrid", "--device", "mlx5_0"});
  EXPECT_EQ(device.code, 2);
  EXPECT_THAT(device.err, HasSubstr("--device: only for runs on hardware"));
}

TEST_F(MeasureNic, the_probe_is_not_listed_as_a_lock) {
  EXPECT_THAT(latchlab({"list", "protocols"}).out, Not(HasSubstr("verb_probe")));
  EXPECT_THAT(latchlab({"calibrate", "--help"}).out, HasSubstr("  same_address_failed "));
}

}  // namespace
}  // namespace latchlab::cli_test

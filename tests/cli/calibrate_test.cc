// Calibration with the real simulator, on a problem of one lock and one client.
#include <gmock/gmock.h>

#include "tests/cli/program.h"

namespace latchlab::cli_test {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

class Calibrate : public Command {
 protected:
  // An uncontended pair of CAS takes 2 x (post + 2 x one_way + jitter + pipeline + hold), so the
  // given rate determines one_way.
  std::string small_fit(const std::string& goodput) const {
    return write("small.yaml",
                 "name: small\n"
                 "nic: connectx-5\n"
                 "scenarios:\n"
                 "  one: {locks: {count: 1}, protocol: {name: cas}, run: {warmup: 0.1ms, "
                 "duration: 2ms}}\n"
                 "runs: [{id: ideal, scenario: one}]\n"
                 "free:\n"
                 "  - {constant: latency.one_way, start: 500ns, bounds: [200ns, 2us], step: 50ns, "
                 "source: any}\n"
                 "observations:\n"
                 "  - {run: ideal, source: any, rounding: 5k, fit: {goodput_ops_s: " +
                     goodput + "}}\n");
  }
};

TEST_F(Calibrate, finds_the_one_way_latency_that_gives_the_published_rate) {
  const Finished finished = latchlab({"calibrate", small_fit("250k"), "--json", "--quiet"});
  ASSERT_EQ(finished.code, 0) << finished.err;
  EXPECT_EQ(finished.err, "");
  const Json found = parse_json(finished.out);
  const Json& way = found["constants"][0];
  // 2000 ns for one CAS: 100 to post, 20 of jitter on average, 20 and 341 at the responder.
  EXPECT_NEAR(way["value"].get<double>(), (2000 - 100 - 20 - 20 - 341) / 2.0, 5);
  EXPECT_EQ(way["status"], "fitted");
  EXPECT_NEAR(found["observations"][0]["predicted"].get<double>(), 250e3, 1e3);
}

TEST_F(Calibrate, writes_the_same_page_for_any_number_of_jobs) {
  small_fit("250k");
  EXPECT_EQ(latchlab({"calibrate", "small.yaml", "--jobs", "1", "--out", "one"}).code, 0);
  EXPECT_EQ(latchlab({"calibrate", "small.yaml", "--jobs", "3", "--out", "three"}).code, 0);
  const std::string page = read("one/small.md");
  EXPECT_THAT(page, HasSubstr("| latency.one_way | 500ns |"));
  EXPECT_EQ(page, read("three/small.md"));
}

TEST_F(Calibrate, an_unknown_fit_is_refused_with_the_known_ones) {
  const Finished finished = latchlab({"calibrate", "conectx-5"});
  EXPECT_EQ(finished.code, 2);
  EXPECT_EQ(finished.out, "");
  EXPECT_THAT(finished.err, StartsWith("latchlab: there is no fit 'conectx-5'; known: "));
  EXPECT_THAT(finished.err, HasSubstr("connectx-5"));
}

TEST_F(Calibrate, a_metric_that_no_run_has_is_reported) {
  small_fit("250k");
  write("bad.yaml", [&] {
    std::string whole = read("small.yaml");
    whole.replace(whole.find("goodput_ops_s"), 13, "goodput_ops_h");
    return whole;
  }());
  const Finished finished = latchlab({"calibrate", "bad.yaml", "--quiet"});
  EXPECT_EQ(finished.code, 1);
  EXPECT_THAT(finished.err, HasSubstr("ideal goodput_ops_h"));
}

}  // namespace
}  // namespace latchlab::cli_test

// The sentence under a table: whom it names, and when it names nobody.

#include "tools/latchlab/finding.h"

#include <gmock/gmock.h>

#include "core/protocols/registry.h"
#include "core/study/emulation.h"
#include "core/study/verdict.h"
#include "tests/paths.h"

namespace latchlab::tool {
namespace {

using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

// What a point measured: the goodputs of its repeats, in M/s.
struct Measured {
  std::vector<double> goodputs;
  bool settled = true;
  RepeatStatus status = RepeatStatus::ok;
  double trend = 1;     // of the second half over the first
  bool checked = true;  // mutual exclusion
  double busy = 0;      // the clients' cores
  double worker = 0;    // the busiest thread of clients, on hardware
};

PointOutcome outcome_of(const Measured& measured) {
  PointOutcome point;
  for (std::size_t r = 0; r < measured.goodputs.size(); ++r) {
    RepeatOutcome repeat;
    repeat.status = measured.status;
    repeat.seed = r;
    RepeatMetrics& metrics = repeat.metrics;
    metrics.goodput_ops_s = measured.goodputs[r] * 1e6;
    if (measured.checked) metrics.safety.checks = 1;
    metrics.client_cpu = measured.busy;
    if (measured.worker > 0) metrics.workers.busiest = measured.worker;
    metrics.window.settled = measured.settled ? 1 : 0;
    metrics.window.warmup_ns = 20e6;
    for (int batch = 0; batch < 20; ++batch)
      metrics.window.batches.emplace_back(*metrics.goodput_ops_s *
                                          (batch < 10 ? 1 : measured.trend) *
                                          (batch % 2 == 0 ? 0.99 : 1.01));
    point.repeats.emplace_back(repeat);
  }
  return point;
}

TEST(Verdict, what_keeps_a_point_from_being_compared_is_said_beside_another_word) {
  const auto judged = [](const Measured& measured, const std::string& emulated = {}) {
    PointOutcome point = outcome_of(measured);
    point.emulated = emulated;
    return verdict(point);
  };
  EXPECT_EQ(judged({{1}}), "ok");
  EXPECT_EQ(judged({{1}}, "by agents"), "emulated");
  EXPECT_EQ(judged({{1}, true, RepeatStatus::ok, 1, true, 0, 0.95}), "client-bound");
  EXPECT_EQ(judged({{1}, true, RepeatStatus::ok, 1, true, 0, 0.95}, "by agents"),
            "emulated, client-bound");
  EXPECT_EQ(judged({{1}, false, RepeatStatus::starved, 2}, "by agents"),
            "starved, emulated, not settled");
  EXPECT_EQ(judged({{1}, true, RepeatStatus::unsafe}, "by agents"), "UNSAFE");
}

// Of cas, mcs and dslr.
std::string said_of(const std::vector<Measured>& measured,
                    const std::vector<std::string>& emulated = {},
                    const std::vector<std::string>& software = {}) {
  const std::string protocols[] = {"cas", "mcs", "dslr"};
  std::string text = "schema: 1\nname: s\nplatform: {client_nodes: 2}\nsweep: {grid: {protocol: [";
  for (std::size_t i = 0; i < measured.size(); ++i) text += "{name: " + protocols[i] + "}, ";
  text.replace(text.size() - 2, 2, "]}}\n");
  const auto scenario = parse_scenario({text, "s", LATCHLAB_SOURCE_DIR}, {}, protocol_infos(),
                                       DataDirs{{LATCHLAB_SOURCE_DIR}});
  if (!scenario) {
    ADD_FAILURE() << scenario.error().text();
    return {};
  }
  StudyOutcome outcome;
  for (const Measured& each : measured) outcome.points.push_back(outcome_of(each));
  RunManifest manifest;
  manifest.emulated = emulated;
  manifest.software = software;
  mark_emulated(scenario.value(), manifest, outcome);
  return finding(scenario.value(), outcome);
}

TEST(Finding, names_the_lock_that_does_most) {
  EXPECT_EQ(said_of({{{1, 1.01, 0.99}}, {{2, 2.01, 1.99}}}),
            "With 2 clients: mcs does most, 2.000 M/s, 2.00 times the next (cas, 1.000 M/s).");
}

TEST(Finding, names_nobody_where_chance_is_greater_than_the_difference) {
  EXPECT_THAT(said_of({{{1, 1.3, 0.7}}, {{1.2, 0.8, 1.3}}}),
              AllOf(HasSubstr("mcs and cas cannot be told apart (mcs is 1.100 times cas, "),
                    HasSubstr("more repeats would tell"), Not(HasSubstr("does most"))));
  EXPECT_THAT(said_of({{{1.004}}, {{1}}}), HasSubstr("cas and mcs do the same within 1% ("));
  // Of one repeat, the parts of its window tell.
  EXPECT_THAT(said_of({{{1.015}}, {{1}}}), HasSubstr("cas does most"));
}

TEST(Finding, of_three_the_third_may_be_the_equal_one) {
  EXPECT_THAT(said_of({{{1.5, 1.51, 1.49}}, {{1.45, 1.46, 1.44}}, {{0.9, 2.0, 1.3}}}),
              HasSubstr("cas and dslr cannot be told apart"));
}

TEST(Finding, names_nobody_while_one_still_rises) {
  const std::string says =
      said_of({{{0.44, 0.44, 0.44}, false, RepeatStatus::ok, 2.31}, {{1.7, 1.71, 1.69}}});
  EXPECT_THAT(says,
              StartsWith("With 2 clients: undecided: cas has not settled after 20 ms (440.0 "
                         "k/s in the first half of its window, 1.016 M/s in the second); a "));
  EXPECT_THAT(says, EndsWith("Of the others, mcs does most, 1.700 M/s."));
  // Also if some starve meanwhile.
  EXPECT_THAT(said_of({{{0.44}, false, RepeatStatus::starved, 2.31}, {{1.7}}}),
              HasSubstr("undecided: cas has not settled"));
}

TEST(Finding, names_another_than_one_that_rises_from_nothing) {
  EXPECT_THAT(said_of({{{0.004}, false, RepeatStatus::ok, 2}, {{1.7}}}),
              HasSubstr("mcs does most"));
}

TEST(Finding, names_another_than_one_that_falls_below_it) {
  EXPECT_THAT(
      said_of({{{0.44}, false, RepeatStatus::ok, 0.1}, {{1.7}}}),
      StartsWith("With 2 clients: mcs does most, 1.700 M/s. Left out: cas has not settled"));
  EXPECT_THAT(said_of({{{4.4}, false, RepeatStatus::ok, 0.5}, {{1.7}}}), HasSubstr("undecided"));
}

TEST(Finding, never_names_who_keeps_clients_waiting_or_was_not_checked) {
  EXPECT_EQ(said_of({{{9}, true, RepeatStatus::starved}, {{1.7}}}),
            "With 2 clients: undecided: cas keeps some clients waiting through its whole window "
            "(9.000 M/s); a longer run.duration would tell. Of the others, mcs does most, 1.700 "
            "M/s.");
  EXPECT_EQ(said_of({{{0.9}, true, RepeatStatus::starved}, {{1.7}}}),
            "With 2 clients: mcs does most, 1.700 M/s. Left out: cas keeps some clients waiting "
            "through its whole window (900.0 k/s).");
  EXPECT_THAT(said_of({{{9}, true, RepeatStatus::starved}, {{8}, true, RepeatStatus::starved}}),
              AllOf(HasSubstr("undecided: "), Not(HasSubstr("does most"))));
  EXPECT_THAT(said_of({{{9}, true, RepeatStatus::ok, 1, false}, {{1.7}}}),
              HasSubstr("nobody has checked cas for mutual exclusion"));
}

TEST(Finding, never_names_who_has_the_clients_cores_measured) {
  EXPECT_EQ(said_of({{{1.7}}, {{9}, true, RepeatStatus::ok, 1, true, 0.99}}),
            "With 2 clients: cas does most, 1.700 M/s. Left out: mcs keeps the clients' own cores "
            "busy all the time (9.000 M/s).");
  EXPECT_THAT(said_of({{{1.7}}, {{9}, true, RepeatStatus::ok, 1, true, 0.9}}),
              HasSubstr("mcs does most"));
}

TEST(Finding, never_names_whose_threads_on_hardware_had_no_time_left) {
  EXPECT_THAT(said_of({{{1.7}}, {{9}, true, RepeatStatus::ok, 1, true, 0, 0.91}}),
              HasSubstr("cas does most, 1.700 M/s. Left out: mcs keeps the clients' own cores"));
  EXPECT_THAT(said_of({{{1.7}}, {{9}, true, RepeatStatus::ok, 1, true, 0, 0.89}}),
              HasSubstr("mcs does most"));
}

TEST(Finding, says_so_where_nothing_was_done) {
  EXPECT_THAT(said_of({{{0}}}), AllOf(HasSubstr("nobody finished anything with cas in the window"),
                                      Not(HasSubstr("0.00 us"))));
}

TEST(Finding, a_broken_lock_comes_first) {
  EXPECT_THAT(said_of({{{9}, true, RepeatStatus::unsafe}, {{1.7}}}),
              HasSubstr("cas broke its promise: two clients held conflicting grants at once"));
}

TEST(Finding, ranks_those_that_a_broken_lock_leaves) {
  EXPECT_EQ(said_of({{{0}, true, RepeatStatus::no_progress}, {{1.7}}, {{2.5}}}),
            "With 2 clients: cas made no progress: nobody finished anything in a whole window. Of "
            "the others, dslr does most, 2.500 M/s, 1.47 times the next (mcs, 1.700 M/s).");
  EXPECT_THAT(said_of({{{9}, true, RepeatStatus::unsafe}, {{1.7}}}),
              EndsWith(" Of the others, mcs does 1.700 M/s."));
}

TEST(Finding, what_was_emulated_measures_nothing) {
  const std::vector<std::string> everywhere = {"masked_atomics_16: by agents"};
  EXPECT_THAT(said_of({{{1, 1, 1}}, {{2, 2, 2}}}, everywhere),
              AllOf(HasSubstr("undecided: mcs was emulated, which is no measure of an RNIC "
                              "(masked_atomics_16: by agents); cas was emulated"),
                    Not(HasSubstr("does most"))));
  EXPECT_THAT(said_of({{{1, 1, 1}}}, everywhere),
              AllOf(HasSubstr("No finding: cas was emulated"), Not(HasSubstr("M/s"))));
}

TEST(Finding, what_was_emulated_is_not_ranked_with_what_was_not) {
  EXPECT_EQ(said_of({{{1.7}}, {{9}}, {{1}}}, {"masked_atomics_16: by agents (mcs)"}),
            "With 2 clients: cas does most, 1.700 M/s, 1.70 times the next (dslr, 1.000 M/s). Left "
            "out: mcs was emulated, which is no measure of an RNIC (masked_atomics_16: by "
            "agents).");
  // Nor is one that has not settled a rival.
  EXPECT_THAT(said_of({{{1.7}}, {{9}, false, RepeatStatus::ok, 2}}, {"anything (mcs)"}),
              AllOf(HasSubstr("cas does most"), Not(HasSubstr("undecided"))));
}

TEST(Finding, a_device_that_is_software_has_no_headline_about_speed) {
  for (const std::vector<Measured>& all :
       {std::vector<Measured>{{{1, 1, 1}}, {{2, 2, 2}}}, std::vector<Measured>{{{1, 1, 1}}}})
    EXPECT_EQ(said_of(all, {}, {"rxe0 is soft-RoCE"}),
              "This validates behaviour, never speed: rxe0 is soft-RoCE, so no lock is named.");
  EXPECT_THAT(said_of({{{9}, true, RepeatStatus::unsafe}, {{1.7}}}, {}, {"rxe0 is soft-RoCE"}),
              StartsWith("With 2 clients: cas broke its promise"));
}

}  // namespace
}  // namespace latchlab::tool

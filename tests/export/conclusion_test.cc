// The conclusion under a table: which lock it names, and when it names none.

#include "core/conclude/conclusion.h"

#include <gmock/gmock.h>

#include "core/conclude/emulation.h"
#include "core/conclude/verdict.h"
#include "core/protocols/registry.h"
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
  double trend = 1;       // second half of the window relative to the first
  bool checked = true;    // for mutual exclusion
  double busy = 0;        // share of time of the clients' cores
  double worker = 0;      // the busiest thread of clients, on hardware
  std::uint64_t cut = 0;  // per thousand sections
  std::uint64_t expired = 0, late = 0;
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
    metrics.cut_sections = measured.cut;
    for (int cycle = 0; cycle < 1000; ++cycle) metrics.cycle.record(microseconds(1));
    metrics.safety.expired_holds = measured.expired;
    metrics.safety.late_effects = measured.late;
    for (int batch = 0; batch < 20; ++batch)
      metrics.window.batches.emplace_back(*metrics.goodput_ops_s *
                                          (batch < 10 ? 1 : measured.trend) *
                                          (batch % 2 == 0 ? 0.99 : 1.01));
    point.repeats.emplace_back(repeat);
  }
  return point;
}

TEST(Verdict, the_reason_for_not_comparing_a_point_is_added_to_its_verdict) {
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

TEST(Verdict, has_words_for_cut_sections_expired_holds_and_late_effects) {
  const auto point_with = [](std::uint64_t cut, std::uint64_t expired, std::uint64_t late) {
    Measured measured{{1, 1, 1}};
    measured.cut = cut;
    measured.expired = expired;
    measured.late = late;
    return outcome_of(measured);
  };
  EXPECT_EQ(verdict(point_with(1, 0, 0)), "ok") << "0.1% of the sections";
  EXPECT_EQ(verdict(point_with(2, 0, 0)), "cut sections");
  EXPECT_EQ(verdict(point_with(0, 3, 0)), "expired holds");
  EXPECT_EQ(verdict(point_with(0, 0, 4)), "late effects");
  EXPECT_EQ(verdict(point_with(2, 3, 4)), "cut sections, expired holds, late effects");
  // Only cut sections keep a point off the lines of figures.
  EXPECT_EQ(why_apart(point_with(0, 3, 4)), "");
  EXPECT_EQ(why_apart(point_with(2, 3, 0)), "cut sections, expired holds");
  // For a run with a verdict of its own, in the order of the words.
  Measured starved{{1, 1, 1}, true, RepeatStatus::starved};
  starved.expired = 1;
  EXPECT_EQ(verdict(outcome_of(starved)), "starved, expired holds");
}

std::string said_with(const std::string& sweep, const std::vector<Measured>& measured,
                      const std::vector<std::string>& emulated,
                      const std::vector<std::string>& software) {
  const std::string text =
      "schema: 1\nname: s\nplatform: {client_nodes: 2}\nsweep: {" + sweep + "}\n";
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
  return conclusion(scenario.value(), outcome);
}

// The conclusion on cas, mcs and dslr.
std::string said_of(const std::vector<Measured>& measured,
                    const std::vector<std::string>& emulated = {},
                    const std::vector<std::string>& software = {}) {
  const std::string protocols[] = {"cas", "mcs", "dslr"};
  std::string grid;
  for (std::size_t i = 0; i < measured.size(); ++i)
    grid += (i == 0 ? "protocol: [{name: " : ", {name: ") + protocols[i] + "}";
  return said_with("grid: {" + grid + "]}", measured, emulated, software);
}

// The conclusion on cas alone, with 1, 2, ... locks.
std::string said_of_one(const std::vector<Measured>& measured) {
  std::string grid;
  for (std::size_t i = 0; i < measured.size(); ++i)
    grid += (i == 0 ? "locks.count: [" : ", ") + std::to_string(i + 1);
  return said_with("grid: {protocol: [{name: cas}], " + grid + "]}", measured, {}, {});
}

TEST(Conclusion, of_one_lock_at_several_points_names_the_highest_and_the_lowest) {
  EXPECT_EQ(
      said_of_one({{{1, 1.01, 0.99}}, {{2, 2.01, 1.99}}}),
      "With 2 clients, locks.count=2: cas has the highest goodput of its 2 points, 2.000 M/s; "
      "the lowest is 1.000 M/s (with 2 clients, locks.count=1).");
}

TEST(Conclusion, of_one_lock_with_equal_points_names_no_lowest) {
  const std::string same = said_of_one({{{1, 1, 1}}, {{1, 1, 1}}, {{1, 1, 1}}});
  EXPECT_EQ(same,
            "Everywhere: the goodput of cas is the same within 1% at its 3 points (1.000 M/s).");
  const std::string noisy = said_of_one({{{1, 1.3, 0.7}}, {{1.2, 0.8, 1.3}}});
  EXPECT_THAT(noisy,
              AllOf(StartsWith("Undecided: the goodput of cas is 1.000 M/s to 1.100 M/s at its 2 "),
                    HasSubstr("more repeats may decide it"), Not(HasSubstr("lowest"))));
}

TEST(Conclusion, never_names_a_lock_whose_sections_were_cut) {
  Measured cut{{9, 9.01, 8.99}};
  cut.cut = 100;
  EXPECT_EQ(said_of({cut, {{1.7, 1.71, 1.69}}}),
            "With 2 clients: mcs has the highest goodput, 1.700 M/s. Left out: 10% of the critical "
            "sections of cas were cut at the end of their grants (goodput 9.000 M/s).");
  EXPECT_THAT(said_of({cut}),
              AllOf(HasSubstr("No conclusion: 10% of the critical sections of cas "),
                    Not(HasSubstr("is 9"))));
  Measured all{{0, 0, 0}};
  all.cut = 1000;
  EXPECT_THAT(said_of({all, {{1.7, 1.71, 1.69}}}),
              HasSubstr("100% of the critical sections of cas"));
}

TEST(Conclusion, names_the_lock_with_the_highest_goodput) {
  EXPECT_EQ(
      said_of({{{1, 1.01, 0.99}}, {{2, 2.01, 1.99}}}),
      "With 2 clients: mcs has the highest goodput, 2.000 M/s, 2.00x the runner-up (cas, 1.000 "
      "M/s).");
}

TEST(Conclusion, compares_locks_whose_windows_differ) {
  EXPECT_EQ(said_with("zip: [{protocol: [{name: cas}, {name: mcs}], run.duration: [10ms, 30ms]}]",
                      {{{1, 1.01, 0.99}}, {{2, 2.01, 1.99}}}, {}, {}),
            "With 2 clients: mcs has the highest goodput, 2.000 M/s, 2.00x the runner-up (cas, "
            "1.000 M/s).");
  // Not if the window is an axis of its own.
  EXPECT_EQ(said_with("grid: {run.duration: [10ms, 30ms], protocol: [{name: cas}, {name: mcs}]}",
                      {{{9, 9, 9}}, {{9, 9, 9}}, {{1, 1.01, 0.99}}, {{2, 2.01, 1.99}}}, {}, {}),
            "With 2 clients, run.duration=30ms: mcs has the highest goodput, 2.000 M/s, 2.00x the "
            "runner-up (cas, 1.000 M/s).");
}

TEST(Conclusion, names_no_lock_if_the_difference_is_within_chance) {
  EXPECT_THAT(
      said_of({{{1, 1.3, 0.7}}, {{1.2, 0.8, 1.3}}}),
      AllOf(HasSubstr("undecided between mcs and cas: mcs has 1.100x cas (95% interval "),
            HasSubstr(" contains 1); more repeats may decide it"), Not(HasSubstr("highest"))));
  // The lock that varies has its repeats already.
  EXPECT_THAT(said_of({{{1, 1.3, 0.7, 1.2, 0.8}}, {{1.1, 1.1, 1.1}}}),
              AllOf(HasSubstr("; cas varies most, by +-31.7% over 5 repeats; a longer run.duration "
                              "may decide it, or show that they are equal"),
                    Not(HasSubstr("run.repeats"))));
  EXPECT_THAT(said_of({{{1.004, 1.003, 1.005}}, {{1, 1, 1}}}),
              HasSubstr("the goodput of cas and mcs is the same within 1% ("));
  // A ratio near 1 that could be 1.1 is not equality, and one repeat shows no equality either.
  EXPECT_THAT(said_of({{{1, 1.2, 0.81}}, {{1, 1, 1}}}), HasSubstr("undecided between cas and mcs"));
  EXPECT_THAT(said_of({{{1.004}}, {{1}}}), HasSubstr("undecided between cas and mcs"));
  // With one repeat, a lead is a result only beyond the spread of the parts of its window.
  EXPECT_THAT(said_of({{{1.015}}, {{1}}}),
              AllOf(HasSubstr("undecided between cas and mcs"), HasSubstr("fewer than three"),
                    Not(HasSubstr("highest"))));
  EXPECT_THAT(said_of({{{1.04}}, {{1}}}), HasSubstr("cas has the highest goodput"));
}

TEST(Conclusion, compares_the_best_lock_with_all_others_not_only_the_second) {
  EXPECT_THAT(said_of({{{1.5, 1.51, 1.49}}, {{1.45, 1.46, 1.44}}, {{0.9, 2.0, 1.3}}}),
              HasSubstr("undecided between cas and dslr: cas has 1.071x dslr ("));
}

TEST(Conclusion, names_no_lock_while_the_goodput_of_another_still_increases) {
  const std::string says =
      said_of({{{0.44, 0.44, 0.44}, false, RepeatStatus::ok, 2.31}, {{1.7, 1.71, 1.69}}});
  EXPECT_THAT(
      says,
      StartsWith("With 2 clients: undecided: cas has not settled after a warm-up of 20 "
                 "ms (440.0 k/s in the first half of its window, 1.016 M/s in the second); "));
  EXPECT_THAT(says, EndsWith("Of the other locks, only mcs can be compared, 1.700 M/s."));
  // Also if some clients starve meanwhile.
  EXPECT_THAT(said_of({{{0.44}, false, RepeatStatus::starved, 2.31}, {{1.7}}}),
              HasSubstr("undecided: cas has not settled"));
}

TEST(Conclusion, names_the_best_lock_if_one_increases_from_nearly_nothing) {
  EXPECT_THAT(said_of({{{0.004}, false, RepeatStatus::ok, 2}, {{1.7}}}),
              HasSubstr("mcs has the highest goodput"));
}

TEST(Conclusion, names_the_best_lock_if_one_decreases_below_it) {
  EXPECT_THAT(
      said_of({{{0.44}, false, RepeatStatus::ok, 0.1}, {{1.7}}}),
      StartsWith("With 2 clients: mcs has the highest goodput, 1.700 M/s. Left out: cas has not "));
  EXPECT_THAT(said_of({{{4.4}, false, RepeatStatus::ok, 0.5}, {{1.7}}}), HasSubstr("undecided"));
}

TEST(Conclusion, never_names_a_lock_with_starved_clients_or_without_checks) {
  EXPECT_EQ(
      said_of({{{9}, true, RepeatStatus::starved}, {{1.7}}}),
      "With 2 clients: undecided: with cas, some clients wait through the whole window (9.000 "
      "M/s); a longer run.duration may decide it. Of the other locks, only mcs can be "
      "compared, 1.700 M/s.");
  EXPECT_EQ(
      said_of({{{0.9}, true, RepeatStatus::starved}, {{1.7}}}),
      "With 2 clients: mcs has the highest goodput, 1.700 M/s. Left out: with cas, some clients "
      "wait through the whole window (900.0 k/s).");
  EXPECT_THAT(said_of({{{9}, true, RepeatStatus::starved}, {{8}, true, RepeatStatus::starved}}),
              AllOf(HasSubstr("undecided: "), Not(HasSubstr("highest"))));
  EXPECT_THAT(said_of({{{9}, true, RepeatStatus::ok, 1, false}, {{1.7}}}),
              HasSubstr("mutual exclusion of cas was not checked"));
}

TEST(Conclusion, never_names_a_lock_that_is_client_bound) {
  EXPECT_EQ(
      said_of({{{1.7}}, {{9}, true, RepeatStatus::ok, 1, true, 0.99}}),
      "With 2 clients: cas has the highest goodput, 1.700 M/s. Left out: mcs keeps the clients' "
      "own cores busy all the time (9.000 M/s).");
  EXPECT_THAT(said_of({{{1.7}}, {{9}, true, RepeatStatus::ok, 1, true, 0.9}}),
              HasSubstr("mcs has the highest goodput"));
}

TEST(Conclusion, never_names_a_lock_whose_threads_on_hardware_were_fully_busy) {
  EXPECT_THAT(
      said_of({{{1.7}}, {{9}, true, RepeatStatus::ok, 1, true, 0, 0.91}}),
      HasSubstr("cas has the highest goodput, 1.700 M/s. Left out: mcs keeps the clients' own"));
  EXPECT_THAT(said_of({{{1.7}}, {{9}, true, RepeatStatus::ok, 1, true, 0, 0.89}}),
              HasSubstr("mcs has the highest goodput"));
}

TEST(Conclusion, reports_a_run_in_which_no_section_ended) {
  EXPECT_THAT(said_of({{{0}}}),
              AllOf(HasSubstr("no client completed anything with cas in the window"),
                    Not(HasSubstr("0.00 us"))));
}

TEST(Conclusion, names_a_broken_lock_first) {
  EXPECT_THAT(
      said_of({{{9}, true, RepeatStatus::unsafe}, {{1.7}}}),
      HasSubstr("cas violated mutual exclusion: two clients held conflicting grants at once"));
}

TEST(Conclusion, ranks_the_locks_that_are_not_broken) {
  EXPECT_EQ(
      said_of({{{0}, true, RepeatStatus::no_progress}, {{1.7}}, {{2.5}}}),
      "With 2 clients: cas made no progress: no client completed anything in a whole window. Of "
      "the other locks, dslr has the highest goodput, 2.500 M/s, 1.47x the runner-up (mcs, "
      "1.700 M/s).");
  EXPECT_THAT(said_of({{{9}, true, RepeatStatus::unsafe}, {{1.7}}}),
              EndsWith(" Of the other locks, the goodput of mcs is 1.700 M/s."));
}

TEST(Conclusion, names_no_lock_if_all_were_emulated) {
  const std::vector<std::string> everywhere = {"masked_atomics_16: by agents"};
  EXPECT_THAT(said_of({{{1, 1, 1}}, {{2, 2, 2}}}, everywhere),
              AllOf(HasSubstr("undecided: mcs was emulated, which is no measure of an RNIC "
                              "(masked_atomics_16: by agents); cas was emulated"),
                    Not(HasSubstr("highest"))));
  EXPECT_THAT(said_of({{{1, 1, 1}}}, everywhere),
              AllOf(HasSubstr("No conclusion: cas was emulated"), Not(HasSubstr("M/s"))));
}

TEST(Conclusion, does_not_rank_emulated_with_native_locks) {
  EXPECT_EQ(
      said_of({{{1.7}}, {{9}}, {{1}}}, {"masked_atomics_16: by agents (mcs)"}),
      "With 2 clients: cas has the highest goodput, 1.700 M/s, 1.70x the runner-up (dslr, 1.000 "
      "M/s). Left out: mcs was emulated, which is no measure of an RNIC (masked_atomics_16: by "
      "agents).");
  // An emulated lock that has not reached steady state does not make the conclusion undecided.
  EXPECT_THAT(said_of({{{1.7}}, {{9}, false, RepeatStatus::ok, 2}}, {"anything (mcs)"}),
              AllOf(HasSubstr("cas has the highest goodput"), Not(HasSubstr("undecided"))));
}

TEST(Conclusion, of_a_software_device_makes_no_statement_about_speed) {
  for (const std::vector<Measured>& all :
       {std::vector<Measured>{{{1, 1, 1}}, {{2, 2, 2}}}, std::vector<Measured>{{{1, 1, 1}}}})
    EXPECT_EQ(said_of(all, {}, {"rxe0 is soft-RoCE"}),
              "This validates behaviour, never speed: rxe0 is soft-RoCE, so no lock is named.");
  EXPECT_THAT(said_of({{{9}, true, RepeatStatus::unsafe}, {{1.7}}}, {}, {"rxe0 is soft-RoCE"}),
              StartsWith("With 2 clients: cas violated mutual exclusion"));
}

}  // namespace
}  // namespace latchlab::tool

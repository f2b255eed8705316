// The rule of the window, checked by hand on small cases and by brute force on random ones: the law
// holds to the picosecond for any cycles at the borders.
#include "core/measure/window.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "core/base/random.h"

namespace latchlab {
namespace {

constexpr ClientId kFirst{0};

// Consecutive cycles of one client; the last time leaves a cycle open.
void run_cycles(WindowRecorder& window, ClientId client, const std::vector<std::int64_t>& dates) {
  for (const std::int64_t date : dates) window.next_cycle(client, Time{date});
}

PartialMetrics share_of(const WindowRecorder& window) {
  PartialMetrics share;
  window.write_to(share);
  return share;
}

RepeatMetrics metrics_of(const WindowRecorder& window) {
  return metrics_of(share_of(window));
}

TEST(Window, cycle_counts_at_its_end_with_its_whole_length) {
  WindowRecorder window(1, Time{100}, Duration{100});
  run_cycles(window, kFirst, {10, 90, 130, 190, 250});
  EXPECT_EQ(window.law(), (WindowLaw{.clients = 1,
                                     .duration_ps = 100,
                                     .counted_cycles = 2,
                                     .counted_lengths_ps = 40 + 60,
                                     .ages_at_start_ps = 10,
                                     .ages_at_end_ps = 10,
                                     .idle_ps = 0}));
  EXPECT_TRUE(window.check_window_law());
}

TEST(Window, cycle_that_ends_at_the_opening_counts_and_one_at_the_close_does_not) {
  WindowRecorder window(1, Time{100}, Duration{100});
  run_cycles(window, kFirst, {40, 100, 200});
  const WindowLaw law = window.law();
  EXPECT_EQ(law.counted_cycles, 1U);
  EXPECT_EQ(law.counted_lengths_ps, 60U);
  EXPECT_EQ(law.ages_at_start_ps, 60U);
  EXPECT_EQ(law.ages_at_end_ps, 100U);
  EXPECT_TRUE(law.holds());
}

TEST(Window, intervals_and_one_lock_are_measured_separately_on_request) {
  WindowRecorder window(1, Time{100}, Duration{100});
  window.measure_intervals(Duration{40});
  window.measure_lock(LockId{7});
  window.acquired(Time{99}, Duration{5}, true, LockId{7});  // before the window
  window.acquired(Time{100}, Duration{5}, true, LockId{7});
  window.acquired(Time{139}, Duration{7}, false, LockId{8});
  window.acquired(Time{199}, Duration{9}, false, LockId{7});
  run_cycles(window, kFirst, {90, 100, 140, 180, 199});
  const PartialMetrics share = share_of(window);
  EXPECT_EQ(share.interval_cycles, (std::vector<std::uint64_t>{1, 1, 2}));
  EXPECT_EQ(share.interval_acquisitions, (std::vector<std::uint64_t>{2, 0, 1}));
  EXPECT_EQ(share.contradiction(), "the phases of its operations do not add up");
  const RepeatMetrics metrics = latchlab::metrics_of(share);
  ASSERT_TRUE(metrics.hottest_lock.acquire.has_value());
  EXPECT_EQ(metrics.hottest_lock.acquire->count(), 2U);
  EXPECT_EQ(metrics.hottest_lock.acquire->max(), Duration{9});
  ASSERT_EQ(metrics.series.acquire_ns.size(), 3U);
  EXPECT_EQ(metrics.series.acquire_ns[0], 0.006);
  EXPECT_EQ(metrics.series.acquire_ns[1], std::nullopt);
  EXPECT_EQ(metrics.series.goodput_ops_s[0], 1 / 40e-12);
  EXPECT_EQ(metrics.series.goodput_ops_s[2], 2 / 20e-12);  // the last one is shorter
}

TEST(Window, cycles_of_groups_are_measured_separately_on_request) {
  WindowRecorder window(2, Time{100}, Duration{100});
  window.measure_groups(2, {1, 0});
  run_cycles(window, kFirst, {90, 130, 150});
  run_cycles(window, ClientId{1}, {95, 160});
  const PartialMetrics share = share_of(window);
  ASSERT_EQ(share.group_cycles.size(), 2U);
  EXPECT_EQ(share.group_cycles[0].count(), 1U);
  EXPECT_EQ(share.group_cycles[0].max(), Duration{65});
  EXPECT_EQ(share.group_cycles[1].count(), 2U);
  EXPECT_EQ(share.contradiction(), "");
  PartialMetrics wrong = share;
  wrong.group_cycles[0] = {};
  EXPECT_EQ(wrong.contradiction(), "the cycles of its groups are not those of its clients");
  wrong = share;
  wrong.group_verbs.resize(2);
  EXPECT_EQ(wrong.contradiction(), "");
  wrong.group_verbs[1].sends = 1;
  EXPECT_EQ(wrong.contradiction(), "the verbs of its groups are not those of its cycles");
  wrong.group_cycles.pop_back();
  const PartialMetrics shares[] = {share, wrong};
  EXPECT_EQ(why_not_shares(shares), "the groups of two shares differ in number");
}

TEST(Window, series_and_hottest_lock_are_left_out_unless_requested) {
  WindowRecorder window(1, Time{100}, Duration{100});
  window.acquired(Time{150}, Duration{5}, true, LockId{});
  const RepeatMetrics metrics = metrics_of(window);
  EXPECT_FALSE(metrics.hottest_lock.acquire.has_value());
  EXPECT_TRUE(metrics.series.goodput_ops_s.empty());
}

TEST(Window, cycle_of_an_open_loop_counts_from_the_arrival_and_the_law_holds) {
  WindowRecorder window(1, Time{100}, Duration{100});
  window.next_cycle(kFirst, Time{110});
  window.arrived(kFirst, Time{110}, Duration{30});  // the client was busy when it arrived
  window.next_cycle(kFirst, Time{130});
  window.arrived(kFirst, Time{150}, Duration{10});  // the client was idle until then
  window.next_cycle(kFirst, Time{160});
  EXPECT_TRUE(metrics_of(window).cycle.sum_ps() == 50U + 20U);
  EXPECT_EQ(window.law().counted_lengths_ps, 20U + 20U);
  EXPECT_EQ(window.law().idle_ps, 10U + 10U);
  EXPECT_TRUE(window.check_window_law());
}

TEST(Window, cycle_open_through_the_whole_window_counts_only_in_the_age) {
  WindowRecorder window(2, Time{100}, Duration{100});
  window.begin_cycle(kFirst, Time{30});
  run_cycles(window, ClientId{1}, {90, 110});
  const RepeatMetrics metrics = metrics_of(window);
  EXPECT_EQ(metrics.window_law.counted_cycles, 1U);
  EXPECT_EQ(metrics.open.count, 2U);
  EXPECT_EQ(metrics.open.age_max_ns, 0.170);
  EXPECT_EQ(metrics.open.age_mean_ns, 0.130);
  EXPECT_TRUE(metrics.window_law.holds());
}

TEST(Window, client_that_starts_late_or_pauses_is_idle_in_between) {
  WindowRecorder window(2, Time{100}, Duration{100});
  window.begin_cycle(kFirst, Time{120});
  window.cycle_ended(kFirst, Time{150});
  window.begin_cycle(kFirst, Time{160});
  EXPECT_EQ(window.law().idle_ps, 20U + 10U + 100U);
  EXPECT_TRUE(window.check_window_law());
}

TEST(Window, law_holds_for_random_cycles_of_many_clients) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    Rng rng(seed);
    const std::uint32_t clients = 1 + static_cast<std::uint32_t>(rng.below(5));
    WindowRecorder window(clients, Time{1000},
                          Duration{1 + static_cast<std::int64_t>(rng.below(2000))});
    std::uint64_t counted = 0;
    std::uint64_t lengths_ps = 0;
    for (std::uint32_t client = 0; client < clients; ++client) {
      std::vector<std::int64_t> dates{static_cast<std::int64_t>(rng.below(1000))};
      while (dates.back() < 4000) {
        dates.push_back(dates.back() + static_cast<std::int64_t>(rng.below(700)));
        if (!window.counts(Time{dates.back()})) continue;
        ++counted;
        lengths_ps += static_cast<std::uint64_t>(dates.back() - dates[dates.size() - 2]);
      }
      run_cycles(window, ClientId{client}, dates);
    }
    const WindowLaw law = window.law();
    EXPECT_TRUE(law.holds()) << seed;
    EXPECT_EQ(law.idle_ps, 0U);
    EXPECT_EQ(law.counted_cycles, counted);
    EXPECT_EQ(law.counted_lengths_ps, lengths_ps);
  }
}

TEST(Window, law_detects_a_missing_picosecond) {
  WindowRecorder window(1, Time{100}, Duration{100});
  run_cycles(window, kFirst, {10, 130});
  WindowLaw law = window.law();
  ASSERT_TRUE(law.holds());
  ++law.counted_lengths_ps;
  EXPECT_FALSE(law.holds());
}

TEST(Window, goodput_fairness_and_stationarity_come_from_counted_cycles) {
  WindowRecorder window(2, Time{} + seconds(1), seconds(2));
  const auto at = [](std::int64_t ms) { return milliseconds(ms).ps; };
  run_cycles(window, kFirst, {at(0), at(500), at(1100), at(1200), at(2500)});
  run_cycles(window, ClientId{1}, {at(0), at(1500), at(3100)});
  const RepeatMetrics metrics = metrics_of(window);
  EXPECT_EQ(metrics.goodput_ops_s, 2.0);
  EXPECT_EQ(metrics.cycle.count(), 4U);
  EXPECT_EQ(share_of(window).cycles_by_client, (std::vector<std::uint64_t>{3, 1}));
  EXPECT_EQ(metrics.fairness.jain, 0.8);
  EXPECT_DOUBLE_EQ(*metrics.stationary, 1.0 / 3.0);
}

TEST(Window, a_cut_cycle_counts_in_the_law_but_not_in_goodput) {
  WindowRecorder window(2, Time{} + seconds(1), seconds(2));
  window.measure_intervals(seconds(1));
  const auto at = [](std::int64_t ms) { return milliseconds(ms).ps; };
  run_cycles(window, kFirst, {at(0), at(1100)});
  window.section_cut(kFirst);  // of the cycle from 1.1 s to 1.2 s
  run_cycles(window, kFirst, {at(1200), at(2500)});
  window.section_cut(kFirst);  // its cycle ends after the window
  run_cycles(window, kFirst, {at(3500)});
  run_cycles(window, ClientId{1}, {at(0), at(1500), at(3100)});
  const PartialMetrics share = share_of(window);
  EXPECT_EQ(share.contradiction(), "");
  const RepeatMetrics metrics = latchlab::metrics_of(share);
  EXPECT_EQ(metrics.window_law.counted_cycles, 4U);
  EXPECT_TRUE(metrics.window_law.holds());
  EXPECT_EQ(metrics.cycle.count(), 4U);
  EXPECT_EQ(metrics.cut_sections, 1U);
  EXPECT_EQ(metrics.goodput_ops_s, 1.5);
  EXPECT_EQ(share.cycles_by_client, (std::vector<std::uint64_t>{2, 1}));
  EXPECT_DOUBLE_EQ(*metrics.fairness.jain, 0.9);
  EXPECT_DOUBLE_EQ(*metrics.stationary, 1.0 / 2.0);
  EXPECT_EQ(metrics.series.goodput_ops_s, (RepeatMetrics::Sequence{2.0, 1.0}));
  double batches = 0;
  for (const RepeatMetrics::Real& each : metrics.window.batches) batches += each.value_or(0) / 20;
  EXPECT_DOUBLE_EQ(batches, *metrics.goodput_ops_s);
}

TEST(Window, opening_again_discards_earlier_cut_sections) {
  WindowRecorder window(1, Time{100}, Duration{100});
  run_cycles(window, kFirst, {90});
  window.section_cut(kFirst);
  run_cycles(window, kFirst, {150});
  window.open(Time{160});
  run_cycles(window, kFirst, {170});
  EXPECT_EQ(metrics_of(window).cut_sections, 0U);
  EXPECT_EQ(metrics_of(window).window_law.counted_cycles, 1U);
}

TEST(Window, operations_count_at_their_end_and_by_their_mode) {
  WindowRecorder window(1, Time{100}, Duration{100});
  window.acquired(Time{99}, Duration{5}, true);
  window.acquired(Time{100}, Duration{50}, true);
  window.acquired(Time{199}, Duration{7}, false);
  window.acquired(Time{200}, Duration{9}, false);
  window.released(Time{150}, Duration{3});
  window.released(Time{250}, Duration{3});
  const RepeatMetrics metrics = metrics_of(window);
  EXPECT_EQ(metrics.acquire.count(), 2U);
  EXPECT_EQ(metrics.acquire_read.max()->ps, 50);
  EXPECT_EQ(metrics.acquire_write.max()->ps, 7);
  EXPECT_EQ(metrics.release.count(), 1U);
}

TEST(Window, without_counts_there_is_zero_goodput_and_no_other_number) {
  WindowRecorder window(1, Time{100}, Duration{100});
  window.begin_cycle(kFirst, Time{0});
  const RepeatMetrics metrics = metrics_of(window);
  EXPECT_EQ(metrics.goodput_ops_s, 0.0);
  EXPECT_FALSE(metrics.fairness.jain);
  EXPECT_FALSE(metrics.stationary);
  EXPECT_EQ(metrics.open.count, 1U);
}

// The calls before the last opening, and the number of openings, must not affect the result.
TEST(Window, opened_late_or_again_measures_the_same_as_a_window_known_in_advance) {
  constexpr std::int64_t kStart = 1'000, kLength = 400;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    WindowRecorder known(3, Time{kStart}, Duration{kLength});
    WindowRecorder found(3, Time{100'000}, Duration{kLength});
    known.measure_intervals(Duration{70});
    found.measure_intervals(Duration{70});
    Rng rng(seed, 0, StreamPurpose::timing);
    for (std::int64_t date = 0; date < kStart + 2 * kLength; ++date) {
      if (date == 300 || date == 800 || date == kStart) found.open(Time{date});
      const ClientId client{static_cast<std::uint32_t>(rng.next() % 3)};
      const std::uint64_t what = rng.next() % 20;
      for (WindowRecorder* const each : {&known, &found}) {
        if (what == 0) each->next_cycle(client, Time{date});
        if (what == 1) each->acquired(Time{date}, Duration{date % 50}, date % 2 == 0);
        if (what == 2) each->released(Time{date}, Duration{date % 30});
        if (what == 3) each->section_cut(client);
      }
    }
    EXPECT_EQ(share_of(found), share_of(known)) << seed;
    EXPECT_TRUE(found.check_window_law()) << seed;
  }
}

TEST(Window, cycles_are_counted_for_each_part) {
  WindowRecorder window(1, Time{100}, Duration{200});
  for (std::int64_t date = 90; date < 300; date += 10) {
    if (date > 100 && date % 10 == 0 && date < 300) window.batch_ended();
    window.next_cycle(kFirst, Time{date});
  }
  const PartialMetrics share = share_of(window);
  EXPECT_EQ(share.batch_cycles, std::vector<std::uint64_t>(20, 1));
  EXPECT_EQ(metrics_of(window).window.settled, 1u);
  EXPECT_EQ(metrics_of(window).window.warmup_ns, 0.1);
}

TEST(Window, littles_law_is_checked_only_for_long_runs) {
  WindowRecorder brief(1, Time{100}, Duration{1000});
  run_cycles(brief, kFirst, {0, 150, 500});
  EXPECT_FALSE(brief.check_littles_law());

  WindowRecorder window(1, Time{0}, Duration{20'000});
  for (std::int64_t ps = 0; ps < 20'000; ps += 10) window.next_cycle(kFirst, Time{ps});
  EXPECT_EQ(window.check_littles_law(), true);
}

TEST(Window, littles_law_fails_if_a_client_was_stuck) {
  WindowRecorder window(2, Time{0}, Duration{40'000});
  window.begin_cycle(ClientId{1}, Time{0});
  for (std::int64_t ps = 0; ps < 40'000; ps += 10) window.next_cycle(kFirst, Time{ps});
  EXPECT_TRUE(window.check_window_law());
  EXPECT_EQ(window.check_littles_law(), false);
}

}  // namespace
}  // namespace latchlab

// Arrivals of an open loop, by hand on small cases and statistically on many.
#include <gtest/gtest.h>

#include <cmath>

#include "core/workload/micro.h"

namespace latchlab {
namespace {

constexpr Duration us(std::int64_t count) {
  return microseconds(count);
}

std::vector<ScriptedArrival> script(const std::vector<std::int64_t>& dates_us) {
  std::vector<ScriptedArrival> arrivals;
  for (const std::int64_t date : dates_us) {
    arrivals.emplace_back();
    arrivals.back().at = us(date);
    arrivals.back().lock = static_cast<std::uint64_t>(date);
  }
  return arrivals;
}

TEST(Arrivals, of_a_script_are_in_order_and_end) {
  ArrivalQueue queue(ArrivalDates(script({5, 7})), us(0), us(100));
  const auto first = queue.take(us(0));
  ASSERT_TRUE(first.has_value());
  EXPECT_EQ(first->at, us(5));
  EXPECT_EQ(first->scripted->lock, 5U);
  EXPECT_EQ(queue.take(us(50))->at, us(7));
  EXPECT_FALSE(queue.take(us(60)).has_value());
  EXPECT_EQ(queue.tally(us(100)).offered, 2U);
}

// The window is [10, 30): halves [10, 20) and [20, 30).
TEST(Arrivals, that_wait_are_counted_for_each_half_of_the_window) {
  ArrivalQueue queue(ArrivalDates(script({2, 8, 15, 29, 31})), us(10), us(20));
  EXPECT_EQ(queue.take(us(0))->at, us(2));    // at once
  EXPECT_EQ(queue.take(us(18))->at, us(8));   // 8 us of the first half; 15 waits, too
  EXPECT_EQ(queue.take(us(22))->at, us(15));  // 5 us of the first half, 2 us of the second
  const OpenLoopTally tally = queue.tally(us(30));
  EXPECT_EQ(tally.waited_first_ps, static_cast<std::uint64_t>(us(8 + 5).ps));
  EXPECT_EQ(tally.waited_second_ps, static_cast<std::uint64_t>(us(2 + 1).ps));  // 29 still waits
  EXPECT_EQ(tally.offered, 2U);                                                 // 15 and 29
  EXPECT_EQ(tally.backlog_max, 2U);                                             // 8 and 15, at 18
}

TEST(Arrivals, that_no_client_takes_are_all_in_the_backlog) {
  const ArrivalQueue queue(ArrivalDates(script({1, 2, 3, 40})), us(0), us(20));
  const OpenLoopTally tally = queue.tally(us(20));
  EXPECT_EQ(tally.backlog_max, 3U);
  EXPECT_EQ(tally.offered, 3U);
}

TEST(Arrivals, at_random_have_exponential_distances_and_the_configured_rate) {
  constexpr int kDraws = 100'000;
  ArrivalQueue queue(ArrivalDates(Rng(1, 7, StreamPurpose::arrivals), us(10)), us(0),
                     seconds(1000));
  Duration last;
  int beyond_two_means = 0;
  for (int i = 0; i < kDraws; ++i) {
    const Duration at = queue.take(us(0))->at;
    ASSERT_GE(at, last);
    if (at - last > us(20)) ++beyond_two_means;
    last = at;
  }
  EXPECT_NEAR(last.seconds(), kDraws * 10e-6, 5 * 10e-6 * std::sqrt(kDraws));
  EXPECT_NEAR(beyond_two_means, kDraws * std::exp(-2.0), 5 * std::sqrt(kDraws * 0.135));
}

// One server of fixed service time: the mean wait of M/D/1 at 80% load is 2 service times.
TEST(Arrivals, that_are_served_one_by_one_wait_as_queueing_theory_predicts) {
  constexpr int kDraws = 200'000;
  ArrivalQueue queue(ArrivalDates(Rng(3, 0, StreamPurpose::arrivals), us(10)), us(0),
                     seconds(1000));
  Duration free, waited;
  for (int i = 0; i < kDraws; ++i) {
    const Duration at = queue.take(free)->at;
    const Duration begun = std::max(at, free);
    waited += begun - at;
    free = begun + us(8);
  }
  EXPECT_NEAR(waited.seconds() / kDraws, 16e-6, 1e-6);
  const OpenLoopTally tally = queue.tally(us(0));  // without those that still wait
  EXPECT_EQ(tally.waited_first_ps + tally.waited_second_ps, static_cast<std::uint64_t>(waited.ps));
}

TEST(Arrivals, are_measured_the_same_in_a_window_opened_late_or_again) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    const ArrivalDates dates(Rng(seed, 0, StreamPurpose::arrivals), us(10));
    ArrivalQueue known(dates, us(500), us(400)), found(dates, seconds(1), us(400));
    Duration free;
    bool open_once = false, open_again = false;
    while (free < us(900)) {
      // Takes arrivals like a client that is free then, with the openings in between.
      if (!open_once && free >= us(200)) found.window_opens(us(200));
      open_once = open_once || free >= us(200);
      if (!open_again && free >= us(500)) found.window_opens(us(500));
      open_again = open_again || free >= us(500);
      const Duration at = known.take(free)->at;
      ASSERT_EQ(found.take(free)->at, at);
      free = std::max(at, free) + us(8);
    }
    const OpenLoopTally expected = known.tally(us(900)), tally = found.tally(us(900));
    EXPECT_EQ(tally.offered, expected.offered) << seed;
    EXPECT_EQ(tally.backlog_max, expected.backlog_max) << seed;
  }
}

TEST(OpenLoop, is_carried_unless_the_queues_grow_by_more_than_chance) {
  OpenLoopTally tally;
  tally.offered = 20'000;
  const std::uint64_t window_ps = 40'000'000'000;  // 40 ms
  tally.waited_first_ps = 100 * window_ps / 2;     // 100 waiting, on average
  tally.waited_second_ps = 600 * window_ps / 2;    // 200 + 3 * 100 more are just allowed
  EXPECT_TRUE(tally.carried(window_ps));
  tally.waited_second_ps += window_ps / 2;
  EXPECT_FALSE(tally.carried(window_ps));
  tally.waited_second_ps = 0;
  EXPECT_TRUE(tally.carried(window_ps));
}

}  // namespace
}  // namespace latchlab

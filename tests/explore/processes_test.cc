// A campaign gives one verdict, in one process or in several.

#include "tools/explore/processes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "tests/explore/fixture.h"

namespace latchlab::explore {
namespace {

void expect_equal(const Campaign& campaign) {
  Campaign several = campaign;
  several.jobs = 3;
  Verdict one = run(campaign);
  Verdict other = run(several);
  one.seconds = other.seconds = 0;
  EXPECT_EQ(verdict_json(campaign, one, {}), verdict_json(several, other, {}));
  EXPECT_EQ(one.memory_bytes, other.memory_bytes);
  ASSERT_EQ(one.counterexamples.size(), other.counterexamples.size());
  for (std::size_t i = 0; i < one.counterexamples.size(); ++i)
    EXPECT_EQ(trace_json(one.counterexamples[i]), trace_json(other.counterexamples[i]));
}

TEST(Processes, change_no_verdict) {
  expect_equal(about("dslr", 2, 2));
  expect_equal(with_crash(about("mcs", 2, 1)));
  expect_equal(with_sets(about("dslr", 2, 2), {"overtaken=before_turn"}));
}

TEST(Processes, keep_a_bound_on_states) {
  Campaign campaign = about("shiftlock", 2, 2);
  for (const std::uint64_t budget : {1ULL, 100ULL, 1'000ULL, 2'000ULL}) {
    campaign.budget = budget;
    expect_equal(campaign);
  }
}

TEST(Processes, change_no_walk) {
  Campaign campaign = about("shiftlock", 3, 1);
  campaign.method = Method::pct;
  campaign.budget = 20;
  expect_equal(campaign);
}

TEST(Processes, hand_over_results_in_order_whatever_ends_first) {
  Processes processes(5, 3, [](std::size_t number, TaskProgress&, const std::atomic<bool>&) {
    return std::string(1'000'000 * (5 - number), static_cast<char>('a' + number));
  });
  for (std::size_t i = 0; i < 5; ++i) {
    const auto text = processes.result(i, [](const TaskProgress&) { return true; });
    ASSERT_TRUE(text.has_value());
    EXPECT_EQ(text->size(), 1'000'000 * (5 - i));
    EXPECT_EQ(text->front(), static_cast<char>('a' + i));
  }
}

TEST(Processes, tell_of_a_task_that_died) {
  Processes processes(2, 2, [](std::size_t number, TaskProgress&, const std::atomic<bool>&) {
    if (number == 0) std::_Exit(3);
    return std::string("fine");
  });
  const auto go_on = [](const TaskProgress&) { return true; };
  EXPECT_EQ(processes.result(0, go_on), std::nullopt);
  EXPECT_EQ(processes.result(1, go_on), "fine");
}

TEST(Processes, ask_all_tasks_to_stop) {
  const auto until_asked = [](std::size_t, TaskProgress& progress,
                              const std::atomic<bool>& asked_to_stop) {
    while (!asked_to_stop) progress.states += 1;
    return std::string("partial");
  };
  Processes processes(3, 2, until_asked);
  const auto once_it_runs = [](const TaskProgress& progress) { return progress.states == 0; };
  EXPECT_EQ(processes.result(0, once_it_runs), "partial");
  EXPECT_EQ(processes.result(1, once_it_runs), "partial");
  EXPECT_EQ(processes.result(2, once_it_runs), std::nullopt) << "it had not begun";
}

}  // namespace
}  // namespace latchlab::explore

#include "backends/simgrid/event_queue.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <queue>
#include <tuple>
#include <vector>

#include "core/base/random.h"

namespace latchlab::sim {
namespace {

// Time, actor, and the sequence number among the pushes of that time and actor.
using Expected = std::tuple<std::int64_t, std::uint32_t, std::uint64_t>;

// Pushes and pops like a simulation, compared with a queue that is known to be right. `reach` draws
// how far ahead of the present the next event lies.
template <class Reach>
void expect_order(std::uint64_t seed, std::size_t pending, std::size_t pops, Reach reach) {
  Rng rng(seed);
  EventQueue queue;
  std::priority_queue<Expected, std::vector<Expected>, std::greater<>> expected;
  std::vector<std::uint64_t> numbers(pops + 2 * pending);
  std::uint64_t pushed = 0;
  std::int64_t now_ps = 0;
  const auto push = [&] {
    const auto actor = static_cast<std::uint32_t>(rng.below(3));
    const std::int64_t date_ps = now_ps + reach(rng);
    numbers[pushed] = pushed;
    queue.push(date_ps, actor, Gate::local, &numbers[pushed]);
    expected.emplace(date_ps, actor, pushed++);
  };
  while (expected.size() < pending) push();
  for (std::size_t i = 0; i < pops; ++i) {
    ASSERT_FALSE(queue.empty());
    ASSERT_EQ(queue.next().time_ps, std::get<0>(expected.top()));
    const Event event = queue.pop();
    ASSERT_EQ(event.time_ps, std::get<0>(expected.top()));
    ASSERT_EQ(*static_cast<std::uint64_t*>(event.subject), std::get<2>(expected.top()));
    expected.pop();
    now_ps = event.time_ps;
    // Sometimes no push, so that the queue runs low and jumps ahead.
    if (expected.empty() || rng.below(8) != 0) push();
    if (expected.size() < pending && rng.below(8) == 0) push();
  }
}

std::int64_t below(Rng& rng, std::int64_t bound) {
  return static_cast<std::int64_t>(rng.below(static_cast<std::uint64_t>(bound)));
}

TEST(EventQueue, pops_by_time_then_actor_then_order_of_pushes) {
  expect_order(1, 100, 20'000, [](Rng& rng) { return below(rng, 50'000); });
  expect_order(2, 5'000, 20'000, [](Rng& rng) { return below(rng, 10'000'000); });
}

TEST(EventQueue, keeps_any_number_of_equal_times_in_order) {
  expect_order(3, 500, 20'000, [](Rng& rng) { return below(rng, 3) * 1'000'000; });
  expect_order(4, 500, 5'000, [](Rng&) { return 0; });
}

TEST(EventQueue, holds_times_of_every_size) {
  expect_order(5, 50, 20'000, [](Rng& rng) {
    const auto bits = static_cast<int>(rng.below(50));
    return below(rng, std::int64_t{1} << bits);
  });
  expect_order(6, 1, 20'000, [](Rng& rng) { return below(rng, 1'000'000'000'000); });
}

TEST(EventQueue, accepts_an_event_before_one_that_was_peeked_at) {
  EventQueue queue;
  queue.push(1'000'000'000, 1, Gate::local, nullptr);
  EXPECT_EQ(queue.next().time_ps, 1'000'000'000);
  queue.push(20'000, 1, Gate::local, nullptr);
  queue.push(std::numeric_limits<std::int64_t>::max(), 1, Gate::local, nullptr);
  queue.push(20'000, 0, Gate::woken, nullptr);
  EXPECT_EQ(queue.pop().gate(), Gate::woken);
  EXPECT_EQ(queue.pop().time_ps, 20'000);
  EXPECT_EQ(queue.pop().time_ps, 1'000'000'000);
  EXPECT_EQ(queue.pop().time_ps, std::numeric_limits<std::int64_t>::max());
  EXPECT_TRUE(queue.empty());
}

}  // namespace
}  // namespace latchlab::sim

// How threads spend their time, which cores they have, and how clocks compare; with made-up times
// and without a device.
#include <gmock/gmock.h>

#include <algorithm>

#include "backends/ibverbs/clock_offset.h"
#include "backends/ibverbs/cores.h"
#include "backends/ibverbs/worker.h"
#include "core/base/random.h"
#include "tools/latchlab/hardware/binding.h"

namespace latchlab::ib {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// A poll loop whose clock is set by hand.
class Loop {
 public:
  void poll(PollKind kind, std::int64_t length_ps) {
    now_ = now_ + Duration{length_ps};
    stats_.polled(now_, kind);
  }
  void restart() { stats_.restart(now_); }
  const PollTimeStats& stats() const { return stats_; }

 private:
  Time now_{1'000'000};
  PollTimeStats stats_;
};

TEST(PollTimeStats, only_iterations_that_did_work_are_busy) {
  Loop loop;
  loop.poll(PollKind::busy, 5000);  // before the window
  loop.restart();
  loop.poll(PollKind::busy, 300);
  loop.poll(PollKind::idle, 100);
  loop.poll(PollKind::idle, 100);
  loop.poll(PollKind::busy, 200);
  loop.poll(PollKind::asleep, 300);
  EXPECT_EQ(loop.stats().watched(), Duration{1000});
  EXPECT_EQ(loop.stats().busy(), Duration{500});
  EXPECT_EQ(loop.stats().longest(), Duration{300});
  EXPECT_EQ(loop.stats().asleep(), Duration{300});
  loop.poll(PollKind::absent, 5000);
  EXPECT_EQ(loop.stats().longest(), Duration{300});
  EXPECT_EQ(loop.stats().asleep(), Duration{300});
}

TEST(PollTimeStats, an_iteration_while_another_program_had_the_core_is_long_but_not_busy) {
  Loop loop;
  loop.restart();
  loop.poll(PollKind::busy, 300);
  loop.poll(PollKind::idle, 4'000'000);
  loop.poll(PollKind::asleep, 9'000'000);
  EXPECT_EQ(loop.stats().busy(), Duration{300});
  EXPECT_EQ(loop.stats().longest(), Duration{4'000'000});
}

TEST(PollTimeStats, a_yield_during_which_another_program_ran_is_busy) {
  Loop loop;
  loop.restart();
  loop.poll(PollKind::yielded, 400'000);     // no other program ran
  loop.poll(PollKind::yielded, 30'000'000);  // another program ran
  EXPECT_EQ(loop.stats().busy(), Duration{30'000'000});
}

TEST(PollTimeStats, a_loop_that_always_works_is_fully_busy) {
  Loop loop;
  loop.restart();
  for (int i = 0; i < 100; ++i) loop.poll(PollKind::busy, 10 + i);
  EXPECT_EQ(loop.stats().busy(), loop.stats().watched());
}

// Latencies of any length in both directions; the bound must hold for each.
TEST(ClockProbe, the_true_offset_is_within_the_bound_for_any_asymmetry) {
  Rng rng(7, 0, StreamPurpose::protocol);
  for (int run = 0; run < 1000; ++run) {
    const std::int64_t ahead = static_cast<std::int64_t>(rng.below(2'000'000)) - 1'000'000;
    ClockProbe probe;
    std::int64_t now = 5'000'000, shortest = INT64_MAX;
    for (int trip = 0; trip < 8; ++trip) {
      const auto there = static_cast<std::int64_t>(rng.below(20'000));
      const auto back = static_cast<std::int64_t>(rng.below(20'000));
      probe.round_trip(now, now + there + ahead, now + there + back);
      shortest = std::min(shortest, there + back);
      now += there + back + 100;
    }
    const ClockOffset found = probe.best();
    EXPECT_LE(std::abs(found.ahead_ns - ahead), found.error_ns);
    EXPECT_EQ(found.error_ns, (shortest + 1) / 2);
    EXPECT_EQ(probe.trips(), 8U);
  }
}

TEST(ClockProbe, an_offset_that_ignores_the_way_back_is_detected) {
  // As if the clock had been read when the answer arrived: wrong by the latency of the whole way
  // back.
  const ClockOffset found = [] {
    ClockProbe probe;
    probe.round_trip(0, 1'000'000 + 100, 10'000);
    return probe.best();
  }();
  EXPECT_GT(std::abs((1'000'100 - 10'000) - 1'000'000), found.error_ns);
  EXPECT_LE(std::abs(found.ahead_ns - 1'000'000), found.error_ns);
}

TEST(Cores, are_read_and_written_in_the_order_of_preference) {
  EXPECT_THAT(parse_cores("0-2,8"), ElementsAre(0, 1, 2, 8));
  EXPECT_THAT(parse_cores(""), IsEmpty());
  EXPECT_THAT(parse_cores("x,3,-4"), ElementsAre(3));
  EXPECT_THAT(parse_cores("1-99999999"), SizeIs(1023));
  EXPECT_EQ(text_of_cores({8, 9, 10, 0, 1, 5}), "8-10,0-1,5");
  EXPECT_THAT(parse_cores(text_of_cores({8, 9, 10, 0, 1, 5})), ElementsAre(8, 9, 10, 0, 1, 5));
}

TEST(Cores, of_one_machine_are_assigned_once) {
  EXPECT_THAT(share_cores({{"a", {0, 1, 2, 3}, 2}, {"a", {0, 1, 2, 3}, 2}, {"b", {0, 1}, 1}}),
              ElementsAre(ElementsAre(0, 1), ElementsAre(2, 3), ElementsAre(0)));
  // Core masks as mpirun sets them.
  EXPECT_THAT(share_cores({{"a", {2, 3}, 1}, {"a", {0, 1}, 2}}),
              ElementsAre(ElementsAre(2), ElementsAre(0, 1)));
}

TEST(Cores, that_are_too_few_are_assigned_to_no_node) {
  EXPECT_THAT(share_cores({{"a", {0, 1}, 1}, {"a", {0, 1}, 2}, {"b", {0}, 1}}),
              ElementsAre(IsEmpty(), IsEmpty(), ElementsAre(0)));
}

TEST(Cores, a_scope_on_other_cores_restores_the_mask) {
  const std::vector<int> before = own_cores();
  {
    const OnCores there({before.back()});
    EXPECT_THAT(own_cores(), ElementsAre(before.back()));
  }
  EXPECT_EQ(own_cores(), before);
  {
    const OnCores nowhere({});
    EXPECT_EQ(own_cores(), before);
  }
}

TEST(CoreAdvice, masks_that_are_too_narrow_are_reported_with_a_fix) {
  const tool::CoreAdvice bound =
      tool::advise_on_cores({{1, "left", "a", {0}, "mpirun"}, {2, "left", "a", {1}, "mpirun"}}, 4);
  EXPECT_THAT(bound.notes, ElementsAre("node 1 on left: cores 0, bound by mpirun",
                                       "node 2 on left: cores 1, bound by mpirun"));
  EXPECT_THAT(
      bound.warnings,
      ElementsAre(AllOf(
          HasSubstr("left: 4 threads of each of 2 nodes may use cores 0-1 by mpirun, too few"),
          HasSubstr("mpirun --map-by slot:PE=4"))));
  const tool::CoreAdvice wide =
      tool::advise_on_cores({{1, "left", "a", {0, 1, 2, 3}, ""}, {2, "right", "b", {0, 1}, ""}}, 2);
  EXPECT_THAT(wide.notes, IsEmpty());
  EXPECT_THAT(wide.warnings, IsEmpty());
}

}  // namespace
}  // namespace latchlab::ib

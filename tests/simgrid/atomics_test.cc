// The atomic unit: slots, hold times, the window, and accesses during a hold.

#include <algorithm>

#include "tests/simgrid/fixture.h"

namespace latchlab::simtest {
namespace {

class Atomics : public SimWorld {
 protected:
  Atomics() { nic().request_gap = {}; }
  // Many atomics at once; the time between the first and the last completion, per atomic.
  Duration interval(const std::vector<Verb>& verbs);
};

constexpr int kMany = 41;

Duration Atomics::interval(const std::vector<Verb>& verbs) {
  const std::vector<Shot*> shots = shoot_all(verbs);
  EXPECT_EQ(run(), RunEnd::finished);
  const auto [first, last] = std::minmax_element(
      shots.begin(), shots.end(), [](const Shot* a, const Shot* b) { return a->done < b->done; });
  return ((*last)->done - (*first)->done) / static_cast<std::int64_t>(verbs.size() - 1);
}

TEST_F(Atomics, matching_atomics_on_one_word_go_at_one_per_hold) {
  EXPECT_EQ(interval(std::vector<Verb>(kMany, faa_verb(kWord, 1))), nic().hold_8);
  EXPECT_EQ(world().peek(kWord), static_cast<std::uint64_t>(kMany));
}

TEST_F(Atomics, failing_swaps_on_one_word_go_at_one_per_shorter_hold) {
  world().poke(kWord, 1);
  EXPECT_EQ(interval(std::vector<Verb>(kMany, cas_verb(kWord, 0, 2))), nic().hold_8_failed);
  EXPECT_EQ(world().peek(kWord), 1U);
}

TEST_F(Atomics, one_of_many_equal_swaps_wins) {
  const std::vector<Shot*> shots = shoot_all(std::vector<Verb>(kMany, cas_verb(kWord, 0, 2)));
  EXPECT_EQ(run(), RunEnd::finished);
  EXPECT_EQ(std::count_if(shots.begin(), shots.end(),
                          [](const Shot* shot) { return shot->completion.value.lo == 0; }),
            1);
}

TEST_F(Atomics, sixteen_byte_atomics_on_one_word_go_at_one_per_hold_of_16_bytes) {
  EXPECT_EQ(interval(std::vector<Verb>(kMany, masked_faa_verb(kWord, 16, {1, 1}, {}))),
            nic().hold_16);
}

TEST_F(Atomics, words_that_share_no_slot_go_at_the_pipelines_rate) {
  std::vector<Verb> verbs;
  for (std::uint64_t i = 0; i < kMany; ++i) verbs.push_back(faa_verb(kWord + 8 * i, 1));
  EXPECT_EQ(interval(verbs), nic().serve_atomic_8);
}

TEST_F(Atomics, words_with_equal_low_address_bits_share_a_slot) {
  std::vector<Verb> verbs;
  for (std::uint64_t i = 0; i < 10; ++i) verbs.push_back(faa_verb(kWord + 4096 * i, 1));
  EXPECT_EQ(interval(verbs), nic().hold_8);
}

TEST_F(Atomics, with_one_slot_everything_is_serial) {
  nic().slots = 1;
  std::vector<Verb> verbs;
  for (std::uint64_t i = 0; i < 10; ++i) verbs.push_back(faa_verb(kWord + 8 * i, 1));
  EXPECT_EQ(interval(verbs), nic().hold_8);
}

TEST_F(Atomics, read_overtakes_a_held_slot) {
  const std::vector<Shot*> hot = shoot_all(std::vector<Verb>(20, faa_verb(kWord, 1)));
  const Shot& read = shoot(read_verb(kWord), kStart + microseconds(2));
  EXPECT_EQ(run(), RunEnd::finished);
  EXPECT_EQ(read.took(), travel() + nic().serve_read + nic().read);
  EXPECT_GT(hot.back()->done, read.done);
}

TEST_F(Atomics, cold_atomic_waits_behind_hot_ones_when_the_window_is_full) {
  nic().window = 2;
  shoot_all(std::vector<Verb>(10, faa_verb(kWord, 1)));
  const Shot& cold = shoot(faa_verb(kWord + 8, 1), kStart + nanoseconds(300));
  EXPECT_EQ(run(), RunEnd::finished);
  // The hot ones start 500 ns apart, the first at 1120 ns. The cold one is the eleventh in line
  // and is admitted when the ninth has been executed.
  const Time admitted =
      kStart + nic().post + nic().one_way + nic().serve_atomic_8 + nic().hold_8 * 9;
  // Its answer waits for that of the tenth.
  EXPECT_EQ(cold.done, admitted + nic().hold_8 + on_wire(12) + nic().one_way + nic().completion);
}

TEST_F(Atomics, cold_atomic_is_not_delayed_by_hot_ones_inside_the_window) {
  nic().window = 11;
  shoot_all(std::vector<Verb>(10, faa_verb(kWord, 1)));
  const Shot& cold = shoot(faa_verb(kWord + 8, 1), kStart + nanoseconds(300));
  EXPECT_EQ(run(), RunEnd::finished);
  EXPECT_EQ(cold.took(), travel() + nic().serve_atomic_8 + nic().hold_8);
}

// ---- during a hold ----
// The atomic of these tests is in its slot from 1120 to 1620 (failing: 1420) ns.

TEST_F(Atomics, write_during_a_matching_swap_is_lost) {
  const Shot& swap = shoot(cas_verb(kWord, 0, 5));
  const Shot& write = shoot(write_verb(kWord, 9), kStart + nanoseconds(200), kThere);
  EXPECT_EQ(run(), RunEnd::finished);
  EXPECT_TRUE(write.completion.ok());
  EXPECT_EQ(swap.completion.value.lo, 0U);
  EXPECT_EQ(world().peek(kWord), 5U);
}

TEST_F(Atomics, write_during_a_failing_swap_stays) {
  world().poke(kWord, 1);
  const Shot& swap = shoot(cas_verb(kWord, 0, 5));
  shoot(write_verb(kWord, 9), kStart + nanoseconds(200), kThere);
  EXPECT_EQ(run(), RunEnd::finished);
  EXPECT_EQ(swap.completion.value.lo, 1U);
  EXPECT_EQ(world().peek(kWord), 9U);
}

TEST_F(Atomics, write_before_or_after_the_hold_is_not_lost) {
  const Shot& swap = shoot(cas_verb(kWord, 7, 5), kStart + nanoseconds(100));
  shoot(write_verb(kWord, 7), kStart, kThere);
  shoot(write_verb(kWord + 8, 9), kStart + nanoseconds(700), kThere);
  shoot(cas_verb(kWord + 8, 0, 5), kStart);
  EXPECT_EQ(run(), RunEnd::finished);
  EXPECT_EQ(swap.completion.value.lo, 7U);
  EXPECT_EQ(world().peek(kWord), 5U);
  EXPECT_EQ(world().peek(kWord + 8), 9U);
}

Task<void> store_at(Verbs& verbs, RemoteAddr word, std::uint64_t value) {
  co_await verbs.store(word, value);
}

TEST_F(Atomics, cpu_store_during_a_matching_atomic_is_lost_and_during_a_failing_one_stays) {
  Verbs& cpu = add_client(kServer);
  Verbs& other_cpu = add_client(kServer);
  world().poke(kWord + 8, 1);
  shoot(faa_verb(kWord, 1));
  shoot(cas_verb(kWord + 8, 0, 5));
  spawn(cpu, store_at(cpu, kWord, 9), kStart + nanoseconds(1200));
  spawn(other_cpu, store_at(other_cpu, kWord + 8, 9), kStart + nanoseconds(1200));
  EXPECT_EQ(run(), RunEnd::finished);
  EXPECT_EQ(world().peek(kWord), 1U);
  EXPECT_EQ(world().peek(kWord + 8), 9U);
}

TEST_F(Atomics, sixteen_byte_atomic_writes_both_words_whole) {
  shoot(masked_cas_verb(kWord, 16, {}, {}, {3, 0}, {~0ULL, 0}));
  shoot(write_verb(kWord + 8, 9), kStart + nanoseconds(200), kThere);
  EXPECT_EQ(run(), RunEnd::finished);
  EXPECT_EQ(world().peek(kWord), 3U);
  EXPECT_EQ(world().peek(kWord + 8), 0U);
}

// ---- statistics of the NIC ----

TEST_F(Atomics, utilisation_counts_exactly_what_falls_into_the_interval) {
  nic().window = 4;
  shoot_all(std::vector<Verb>(10, faa_verb(kWord, 1)));
  // Holds last from 1120 to 6120 ns. The window's fourth place is taken from 1180 ns, when the
  // fourth atomic arrives, to the end of the seventh (4620 ns), when the last has been admitted.
  const Time opens = kStart + nanoseconds(1300);
  EXPECT_EQ(run(opens), RunEnd::reached);
  world().reset_stats();
  EXPECT_EQ(run(opens + nanoseconds(1000)), RunEnd::reached);
  NicStats stats = world().busiest_server();
  EXPECT_EQ(stats.hottest_slot_busy, nanoseconds(1000));
  EXPECT_EQ(stats.window_full, nanoseconds(1000));
  EXPECT_EQ(stats.pipeline_busy, Duration{});
  EXPECT_EQ(run(), RunEnd::finished);
  stats = world().busiest_server();
  EXPECT_EQ(stats.hottest_slot_busy, nanoseconds(6120 - 1300));
  EXPECT_EQ(stats.window_full, nanoseconds(4620 - 1300));
}

TEST_F(Atomics, pipeline_is_never_busy_for_longer_than_the_interval) {
  nic().serve_write = nanoseconds(100);
  shoot_all(std::vector<Verb>(10, write_verb(kWord, 1)));
  const Time opens = kStart + nanoseconds(1350);  // busy from 1100 to 2100
  EXPECT_EQ(run(opens), RunEnd::reached);
  world().reset_stats();
  EXPECT_EQ(run(opens + nanoseconds(300)), RunEnd::reached);
  EXPECT_EQ(world().busiest_server().pipeline_busy, nanoseconds(300));
  EXPECT_EQ(run(), RunEnd::finished);
  EXPECT_EQ(world().busiest_server().pipeline_busy, nanoseconds(750));
}

TEST_F(Atomics, wait_for_the_slot_is_summed_from_the_pipeline_to_the_hold) {
  nic().window = 1;
  shoot_all(std::vector<Verb>(3, faa_verb(kWord, 1)));
  EXPECT_EQ(run(), RunEnd::finished);
  const NicStats stats = world().busiest_server();
  EXPECT_EQ(stats.slot_waits, 3U);
  EXPECT_EQ(stats.slot_wait_total, nanoseconds(480 + 960));
}

}  // namespace
}  // namespace latchlab::simtest

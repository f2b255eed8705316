// TATP as in FissLock's generator of traces: its numbers are known from runs of a second
// implementation, and ShiftLock printed some (4.4).
#include <gtest/gtest.h>

#include "tests/workload/chi_square.h"
#include "tests/workload/tatp_replay.h"

namespace latchlab {
namespace {

constexpr int kLongRun = 1'000'000;
constexpr TatpSpec kOriginal{100'000, true, kShiftLockPopulation};

// The transactions of one client, a million of them.
const TatpReplay& million() {
  static const TatpReplay* const replay = [] {
    auto* made = new TatpReplay(kOriginal);
    made->run(*tatp_of(kOriginal), kLongRun);
    return made;
  }();
  return *replay;
}

TEST(TatpOriginal, has_the_number_of_locks_that_shiftlock_published_unlike_other_populations) {
  EXPECT_EQ(tatp_of(kOriginal)->locks(), 680'236U);
  for (const std::uint64_t population : {1, 2, 383, 385})
    EXPECT_NE(tatp_of({100'000, true, population})->locks(), 680'236U);
}

TEST(TatpOriginal, transactions_have_their_shares) {
  EXPECT_LT(chi_square_of(TatpReplay::list(million().types), kTatpShares), chi_square_limit(7));
}

TEST(TatpOriginal, each_locks_what_its_rows_need_and_no_deleted_row_returns) {
  EXPECT_EQ(million().all(million().types), kLongRun);
  EXPECT_GT(million().followed, 2'000);
  EXPECT_EQ(million().most_needs, 6U);
}

TEST(TatpOriginal, locks_are_shared_as_often_as_published) {
  const TatpReplay& replay = million();
  EXPECT_NEAR(replay.all(replay.shared) / replay.all(replay.needs), 0.807, 0.002);
}

TEST(TatpOriginal, some_transactions_find_nothing_to_lock) {
  const TatpReplay& replay = million();
  EXPECT_NEAR(replay.all(replay.empty) / kLongRun, 0.168, 0.005);
  EXPECT_NEAR(replay.empty[1] / replay.types[1], 0.38, 0.02);
  EXPECT_NEAR(replay.empty[2] / replay.types[2], 0.37, 0.02);
  for (const std::uint32_t type : {0, 3, 4, 5, 6}) EXPECT_EQ(replay.empty[type], 0) << type;
}

TEST(TatpOriginal, each_kind_has_its_average_number_of_locks) {
  const std::vector<double> averages = {1.0, 0.96, 0.63, 1.62, 1.0, 3.7, 1.23};
  for (std::uint32_t type = 0; type < averages.size(); ++type)
    EXPECT_NEAR(million().average_needs(type), averages[type], 0.035) << type;
}

TEST(TatpOriginal, subscribers_are_skewed) {
  EXPECT_LT(chi_square_of(million().low_bits, low_bit_shares()), chi_square_limit(32));
  const auto hottest =
      std::max_element(million().subscribers.begin(), million().subscribers.end(),
                       [](const auto& a, const auto& b) { return a.second < b.second; });
  EXPECT_EQ(hottest->first, 65'536U);
  // All subscribers that can be drawn, times sixteen bits that are set.
  EXPECT_NEAR(hottest->second / (million().types[0] + million().types[4]), 0.00657, 0.0006);
}

TEST(TatpOriginal, types_and_slots_are_skewed_too) {
  const std::vector<double> types = skewed_shares(65'535, 1, 4);
  const std::vector<double> percent = {6.25, 18.75, 18.75, 56.25};
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(types[i] / (4 * 65'536), percent[i] / 100);
  EXPECT_LT(chi_square_of(million().access_types, percent), chi_square_limit(4));
  EXPECT_GT(million().deleted_slots[0], 50);
  EXPECT_LT(chi_square_of(million().deleted_slots, skewed_shares(65'535, 0, 2)),
            chi_square_limit(3));
}

TEST(TatpOriginal, half_of_the_forwarding_rows_share_the_lock_of_a_facility) {
  const TatpPopulation people(kOriginal);
  const std::uint64_t first = people.locks() - 80'000;
  double below = 0;
  std::uint64_t lowest = people.locks();
  for (std::uint32_t s = 1; s <= 100'000; ++s)
    for (std::uint32_t type = 1; type <= kTatpTypes; ++type)
      for (std::uint32_t slot = 0; slot < kTatpSlots; ++slot) {
        const std::uint64_t lock = people.forwarding({s, type}, slot).value;
        below += lock < first ? 1 : 0;
        lowest = std::min(lowest, lock);
      }
  EXPECT_NEAR(below / 1.2e6, 0.5, 0.01);
  EXPECT_GT(lowest, first - 80'000);
}

TEST(TatpOriginal, slot_2_exists_only_if_it_was_drawn_first) {
  const TatpPopulation people(kOriginal);
  std::vector<double> seen(8);  // by the set of existing slots, one bit each
  for (std::uint32_t s = 1; s <= 100'000; ++s)
    for (std::uint32_t type = 1; type <= kTatpTypes; ++type) {
      if (!people.facility({s, type})) continue;
      unsigned slots = 0;
      for (std::uint32_t slot = 0; slot < kTatpSlots; ++slot) {
        const std::uint32_t end = people.end_hour({s, type}, slot);
        if (end == 0) continue;
        slots |= 1U << slot;
        EXPECT_GT(end, slot * kSlotHours);
        EXPECT_LE(end, (slot + 1) * kSlotHours);
      }
      ++seen[slots];
    }
  // No slot; one of each; after 0 or 1 the other one and again the first; after 2 comes 1, then 0.
  EXPECT_EQ(seen[0b101], 0);
  seen.erase(seen.begin() + 0b101);
  EXPECT_LT(chi_square_of(seen, {3, 1, 1, 4, 1, 1, 1}), chi_square_limit(7));
}

TEST(TatpOriginal, types_of_a_subscriber_are_neighbours) {
  const TatpPopulation people(kOriginal);
  for (std::uint32_t s = 1; s <= 100'000; ++s) {
    int changes = 0;
    for (std::uint32_t type = 1; type <= kTatpTypes; ++type)
      changes += people.access(s, type).has_value() != people.access(s, type % 4 + 1).has_value();
    EXPECT_LE(changes, 2);
  }
}

}  // namespace
}  // namespace latchlab

// TATP by its specification, and what holds for both forms.
#include "core/workload/transactions/tatp.h"

#include <gtest/gtest.h>

#include "tests/non_empty.h"
#include "tests/workload/chi_square.h"
#include "tests/workload/tatp_replay.h"

namespace latchlab {
namespace {

using Transactions = std::vector<Transaction>;

Transactions asked(TransactionMix& mix, std::uint32_t client, int count) {
  Transactions all(count);
  for (Transaction& each : all) mix.next(ClientId{client}, each);
  return all;
}

std::string tatp_refusal(std::uint64_t subscribers) {
  const auto mix = make_tatp({subscribers}, {});
  return mix.ok() ? "" : mix.error().message;
}

class Tatp : public ::testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(Forms, Tatp, ::testing::Values(false, true));

TEST_P(Tatp, requests_of_a_client_do_not_depend_on_other_clients) {
  const TatpSpec spec{1'000, GetParam()};
  const auto four = tatp_of(spec, {0, 4, 7}), one = tatp_of(spec, {2, 1, 7});
  for (int i = 0; i < 10'000; ++i) asked(*four, i % 2 == 0 ? 0 : 3, 1);
  const Transactions before = asked(*four, 2, 5'000);
  asked(*four, 1, 10'000);
  const Transactions after = asked(*four, 2, 5'000);
  EXPECT_EQ(asked(*one, 2, 5'000), before);
  EXPECT_EQ(asked(*one, 2, 5'000), after);
}

TEST_P(Tatp, another_client_and_another_seed_ask_for_other_things) {
  const TatpSpec spec{1'000, GetParam()};
  const auto mix = tatp_of(spec, {0, 2, 1}), other = tatp_of(spec, {0, 1, 2});
  const Transactions first = asked(*mix, 0, 100);
  EXPECT_NE(asked(*mix, 1, 100), first);
  EXPECT_NE(asked(*other, 0, 100), first);
}

TEST_P(Tatp, a_population_is_the_same_for_every_seed_but_has_a_seed_of_its_own) {
  const bool original = GetParam();
  EXPECT_EQ(tatp_of({100'000, original, 5}, {0, 1, 1})->locks(),
            tatp_of({100'000, original, 5}, {3, 9, 2})->locks());
  EXPECT_NE(tatp_of({100'000, original, 5})->locks(), tatp_of({100'000, original, 6})->locks());
  EXPECT_EQ(tatp_of({100'000, true, 5})->locks(), tatp_of({100'000, false, 5})->locks());
}

TEST_P(Tatp, transactions_are_the_same_on_every_machine) {
  const auto mix = tatp_of({100'000, GetParam(), 1}, {0, 1, 1});
  std::uint64_t all = 0;
  for (const Transaction& each : asked(*mix, 0, 20'000)) {
    all = hash_of(all, each.type, each.needs.size());
    for (const LockNeed& need : each.needs)
      all = hash_of(all, need.lock.value, static_cast<std::uint64_t>(need.mode));
  }
  EXPECT_EQ(all, GetParam() ? 14715913026172458374U : 13608856379642340798U);
}

TEST_P(Tatp, small_populations_work_as_well) {
  for (const std::uint64_t subscribers : {2, 3, 5, 17}) {
    const TatpSpec spec{subscribers, GetParam()};
    const auto mix = tatp_of(spec);
    for (const Transaction& each : non_empty(asked(*mix, 0, 20'000))) {
      std::set<std::uint64_t> locks;
      for (const LockNeed& need : each.needs) {
        EXPECT_TRUE(locks.insert(need.lock.value).second);
        EXPECT_GE(need.lock.value, 5U);
        EXPECT_LT(need.lock.value, mix->locks());
      }
    }
  }
}

TEST_P(Tatp, every_lock_except_those_of_forwarding_is_that_of_one_row) {
  const TatpPopulation people({1'000, GetParam()});
  std::vector<std::uint64_t> locks;
  for (std::uint32_t s = 1; s <= 1'000; ++s) {
    locks.push_back(people.subscriber(s).value);
    int access = 0, facilities = 0;
    for (std::uint32_t type = 1; type <= kTatpTypes; ++type) {
      if (const auto lock = people.access(s, type); lock && ++access > 0)
        locks.push_back(lock->value);
      if (const auto lock = people.facility({s, type}); lock && ++facilities > 0)
        locks.push_back(lock->value);
      for (std::uint32_t slot = 0; slot < kTatpSlots; ++slot)
        EXPECT_TRUE(people.facility({s, type}) || people.end_hour({s, type}, slot) == 0);
    }
    EXPECT_GE(access, 1);
    EXPECT_GE(facilities, 1);
  }
  std::sort(locks.begin(), locks.end());
  ASSERT_FALSE(locks.empty());
  for (std::size_t i = 0; i < locks.size(); ++i) ASSERT_EQ(locks[i], 5 + i);
  EXPECT_EQ(people.locks(), 5 + locks.size() + 800);
}

TEST(TatpSkew, is_that_of_the_specification) {
  EXPECT_EQ(skew_of({100'000}), 65'535U);
  EXPECT_EQ(skew_of({1'000'000}), 65'535U);
  EXPECT_EQ(skew_of({1'000'001}), 1'048'575U);
  EXPECT_EQ(skew_of({2'000'000, true}), 65'535U);
  Rng rng(1);
  std::vector<double> hours(24);
  for (int i = 0; i < 100'000; ++i) ++hours[draw_skewed(rng, 65'535, 1, 24) - 1];
  EXPECT_LT(chi_square_of(hours, skewed_shares(65'535, 1, 24)), chi_square_limit(24));
}

TEST(TatpRows, exist_for_any_of_the_four_types_and_three_slots) {
  const TatpPopulation people(TatpSpec{});
  std::vector<double> types(16), slots(8), active(2);
  for (std::uint32_t s = 1; s <= 100'000; ++s) {
    unsigned set = 0;
    for (std::uint32_t type = 1; type <= kTatpTypes; ++type) {
      set |= people.access(s, type) ? 1U << (type - 1) : 0U;
      if (!people.facility({s, type})) continue;
      ++active[people.active({s, type}) ? 1 : 0];
      unsigned hours = 0;
      for (std::uint32_t slot = 0; slot < kTatpSlots; ++slot)
        hours |= people.end_hour({s, type}, slot) != 0 ? 1U << slot : 0U;
      ++slots[hours];
    }
    ++types[set];
  }
  EXPECT_EQ(types[0], 0);
  types.erase(types.begin());
  // One, two, three and four types are equally likely; there are four sets of one type, six of two,
  // and so on.
  EXPECT_LT(chi_square_of(types, {3, 3, 2, 3, 2, 2, 3, 3, 2, 2, 3, 2, 3, 3, 12}),
            chi_square_limit(15));
  EXPECT_LT(chi_square_of(slots, {3, 1, 1, 1, 1, 1, 1, 3}), chi_square_limit(8));
  EXPECT_LT(chi_square_of(active, {15, 85}), chi_square_limit(2));
}

// The specification's shares of transactions that succeed. The rows of hot subscribers are fixed by
// the population, so several populations are needed.
TEST(TatpBySpecification,
     succeeds_as_often_as_specified_and_rows_are_inserted_and_deleted_in_turn) {
  std::array<double, 7> types{}, found{};
  std::vector<double> access(kTatpTypes), slots(kTatpSlots), bits(32);
  double needs = 0, shared = 0, empty = 0;
  std::size_t most = 0;
  for (std::uint64_t population = 1; population <= 8; ++population) {
    const TatpSpec spec{100'000, false, population};
    TatpReplay replay(spec);
    replay.run(*tatp_of(spec, {0, 1, population}), 150'000);
    EXPECT_GT(replay.followed, 500);
    for (std::uint32_t type = 0; type < 7; ++type) types[type] += replay.types[type];
    for (const std::uint32_t type : {1, 5, 6}) found[type] += replay.forwarding[type];
    found[2] += replay.needs[2];
    found[3] += replay.needs[3] - replay.types[3];
    for (std::size_t i = 0; i < access.size(); ++i) access[i] += replay.access_types[i];
    for (std::size_t i = 0; i < slots.size(); ++i) slots[i] += replay.deleted_slots[i];
    for (std::size_t i = 0; i < bits.size(); ++i) bits[i] += replay.low_bits[i];
    needs += replay.all(replay.needs);
    shared += replay.all(replay.shared);
    empty += replay.all(replay.empty);
    most = std::max(most, replay.most_needs);
  }
  EXPECT_LT(chi_square_of(TatpReplay::list(types), kTatpShares), chi_square_limit(7));
  EXPECT_LT(chi_square_of(access, {1, 1, 1, 1}), chi_square_limit(4));
  EXPECT_GT(slots[0], 100);
  EXPECT_LT(chi_square_of(slots, {1, 1, 1}), chi_square_limit(3));
  EXPECT_LT(chi_square_of(bits, low_bit_shares()), chi_square_limit(32));
  EXPECT_NEAR(found[1] / types[1], new_destinations(), 0.008);
  EXPECT_NEAR(found[2] / types[2], 0.625, 0.015);
  EXPECT_NEAR(found[3] / types[3], 0.625, 0.015);
  EXPECT_NEAR(found[5] / types[5], 0.3125, 0.015);
  EXPECT_NEAR(found[6] / types[6], 0.3125, 0.015);
  EXPECT_EQ(most, 6U);
  EXPECT_NEAR(shared / needs, 0.8, 0.01);
  EXPECT_NEAR(empty / 1.2e6, 0.169, 0.005);
}

TEST(TatpBySpecification, no_row_of_forwarding_has_the_lock_of_another_row) {
  const TatpPopulation people(TatpSpec{});
  for (std::uint32_t s = 1; s <= 100'000; ++s)
    for (std::uint32_t type = 1; type <= kTatpTypes; ++type)
      for (std::uint32_t slot = 0; slot < kTatpSlots; ++slot)
        ASSERT_GE(people.forwarding({s, type}, slot).value, people.locks() - 80'000);
}

TEST(TatpSpecs, that_are_invalid_are_refused_with_the_valid_range) {
  EXPECT_EQ(tatp_refusal(1),
            "tatp subscribers is 1; expected a number from 2 to 10000000, such as 100000");
  EXPECT_EQ(tatp_refusal(0),
            "tatp subscribers is 0; expected a number from 2 to 10000000, such as 100000");
  EXPECT_EQ(tatp_refusal(10'000'001),
            "tatp subscribers is 10000001; expected a number from 2 to 10000000, such as 100000");
  EXPECT_EQ(tatp_refusal(2), "");
}

TEST(TatpSpecs, types_have_names) {
  const auto names = tatp_of({2})->type_names();
  EXPECT_EQ(names.size(), kTatpShares.size());
  EXPECT_EQ(names[4], "update_location");
}

}  // namespace
}  // namespace latchlab

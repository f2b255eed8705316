// TPC-C by blocks of rows: what the published traces lock, and the specification's transactions
// seen as blocks.
#include "core/workload/transactions/tpcc_blocks.h"

#include <gtest/gtest.h>

#include <map>

#include "tests/non_empty.h"
#include "tests/workload/tpcc_draws.h"

namespace latchlab {
namespace {

constexpr TpccHomes kShiftLock{.warehouses = 500, .machines = 5, .clients_per_machine = 48};
constexpr ClientId kLastMachine{4 * 48};
constexpr int kDraws = 300'000;

const TpccLayout& layout() {
  static const TpccLayout blocks({0, 1, 11, 41, 51, 61, 71, 81, 111}, 121);
  return blocks;
}

std::vector<Transaction> drawn_by(ClientId client, bool original = true, int count = kDraws) {
  TpccBlocks mix({kShiftLock, original}, {.first = client.value, .count = 1, .seed = 1});
  return drawn_of(mix, client, count);
}

const std::vector<Transaction>& of_last_machine() {
  static const std::vector<Transaction> drawn = drawn_by(kLastMachine);
  return drawn;
}

// The probabilities of NU(a, n) divided by or modulo `width`.
std::vector<double> uneven_parts(std::uint32_t a, std::uint32_t n, std::uint32_t blocks) {
  std::vector<double> parts(blocks);
  for (std::uint32_t low = 0; low < a; ++low)
    for (std::uint32_t high = 0; high < n; ++high) parts[(low | high) % n % blocks] += 1.0 / a / n;
  return parts;
}

TEST(TpccBlocks, are_60500_locks_of_which_60490_are_used) {
  TpccBlocks mix({kShiftLock}, {.first = kLastMachine.value});
  EXPECT_EQ(mix.locks(), 60'500U);
  std::uint64_t highest = 0;
  for (const Transaction& transaction : non_empty(of_last_machine())) {
    ASSERT_TRUE(has_no_lock_twice(transaction, mix.locks()));
    for (const LockNeed& need : transaction.needs) {
      ASSERT_NE(layout().table_of(need), static_cast<std::size_t>(TpccTable::item));
      highest = std::max(highest, need.lock.value);
    }
  }
  EXPECT_EQ(highest + 1, 60'490U);
}

TEST(TpccBlocks, have_the_shares_of_the_mix) {
  std::vector<double> seen(5);
  for (const Transaction& transaction : of_last_machine()) ++seen[transaction.type];
  EXPECT_LT(chi_square(seen, {.45, .43, .04, .04, .04}), kFour);
}

// Means by type, weighted with the shares of the mix: so the number of draws of each type does not
// matter.
TEST(TpccBlocks, have_the_numbers_and_modes_of_the_traces) {
  std::vector<double> times(5), needs(5), exclusive(5);
  std::size_t most = 0;
  for (const Transaction& transaction : of_last_machine()) {
    ++times[transaction.type];
    needs[transaction.type] += static_cast<double>(transaction.needs.size());
    most = std::max(most, transaction.needs.size());
    for (const LockNeed& need : transaction.needs)
      exclusive[transaction.type] += need.mode == LockMode::exclusive ? 1 : 0;
  }
  double all = 0, excluding = 0;
  const std::vector<double> shares = {.45, .43, .04, .04, .04};
  for (std::size_t type = 0; type < 5; ++type) {
    all += shares[type] * needs[type] / times[type];
    excluding += shares[type] * exclusive[type] / times[type];
  }
  EXPECT_NEAR(all, 8.70, 0.005);
  EXPECT_NEAR(needs[0] / times[0], 14.6, 0.05);
  EXPECT_NEAR(excluding / all, 0.864, 0.0005);
  EXPECT_EQ(most, 16U);
}

TEST(TpccBlocks, are_requested_in_the_order_of_the_recipe) {
  const std::vector<std::string> shapes = {"wDcONSL", "WDCH", "col", "NOlC", "dls"};
  int descending = 0;
  for (const Transaction& transaction : of_last_machine()) {
    ASSERT_EQ(layout().shape_of(transaction), shapes[transaction.type]);
    const auto above = [](LockNeed a, LockNeed b) { return a.lock < b.lock; };
    if (transaction.type == 0)
      descending +=
          std::is_sorted(transaction.needs.begin(), transaction.needs.end(), above) ? 0 : 1;
  }
  EXPECT_GT(descending, kDraws * 44 / 100);
}

TEST(TpccBlocks, of_homes_belong_to_the_machine_and_are_equally_frequent) {
  std::vector<double> seen(100);
  for (const Transaction& transaction : of_last_machine()) {
    const std::uint64_t home = layout().warehouse_of(transaction.needs.front());
    ASSERT_GE(home, 400U);
    ++seen[home - 400];
  }
  EXPECT_LT(chi_square_of_even(seen), kNinetyNine);
}

TEST(TpccBlocks, of_remote_customers_belong_to_another_machine_in_15_of_100_payments) {
  std::vector<double> far(400);
  double times = 0, payments = 0;
  for (const Transaction& transaction : of_last_machine()) {
    const std::uint64_t home = layout().warehouse_of(transaction.needs.front());
    const bool pays = transaction.type == 1;
    payments += pays ? 1 : 0;
    for (const LockNeed& need : transaction.needs) {
      const std::uint64_t warehouse = layout().warehouse_of(need);
      if (warehouse == home) continue;
      ASSERT_TRUE(pays && layout().shape_of({0, {need}}) == "C");
      ASSERT_LT(warehouse, 400U);
      ++far[warehouse];
      ++times;
    }
  }
  EXPECT_LT(chi_square_of_share(times, payments, 0.15), kOne);
  EXPECT_LT(chi_square_of_even(far), kThreeHundredNinetyNine);
}

// Customers are drawn unevenly: compared with all pairs of draws.
TEST(TpccBlocks, of_customers_follow_the_recipes_nu) {
  std::vector<double> paid(30), delivered(30), ordered(30);
  for (const Transaction& transaction : of_last_machine()) {
    if (transaction.type == 4) continue;
    std::vector<double>& seen = transaction.type == 0   ? ordered
                                : transaction.type == 3 ? delivered
                                                        : paid;
    ++seen[layout().row_of(layout().first_in(transaction, TpccTable::customer))];
  }
  const std::vector<double> named = uneven_parts(256, 1000, 30);
  const std::vector<double> numbered = uneven_parts(1024, 3000, 30);
  std::vector<double> both(30);
  for (std::size_t i = 0; i < 30; ++i) both[i] = 0.6 * named[i] + 0.4 * numbered[i];
  EXPECT_LT(chi_square(paid, both), kTwentyNine);
  EXPECT_LT(chi_square(delivered, numbered), kTwentyNine);
  std::vector<double> thousands(30);
  for (std::uint32_t low = 0; low < 1024; ++low)
    for (std::uint32_t high = 0; high < 3000; ++high)
      for (std::size_t district = 0; district < 10; ++district)
        thousands[3 * district + (low | high) % 3000 / 1000] += 0.1 / 1024 / 3000;
  EXPECT_LT(chi_square(ordered, thousands), kTwentyNine);
}

TEST(TpccBlocks, of_inserted_rows_rotate_and_the_three_of_an_order_rotate_together) {
  std::map<TpccTable, std::uint64_t> last;
  for (const Transaction& transaction : of_last_machine()) {
    if (transaction.type > 1) continue;
    const auto turn_of = [&](TpccTable table) {
      return layout().row_of(layout().first_in(transaction, table));
    };
    const TpccTable table = transaction.type == 0 ? TpccTable::orders : TpccTable::history;
    const std::uint64_t turn = turn_of(table);
    if (last.contains(table)) {
      ASSERT_EQ(turn, (last[table] + 1) % 10);
    }
    last[table] = turn;
    if (transaction.type == 1) continue;
    ASSERT_EQ(turn_of(TpccTable::new_order), turn);
    ASSERT_EQ(turn_of(TpccTable::order_line), turn);
  }
  // Clients begin at any block.
  TpccBlocks mix({kShiftLock}, {.first = 0, .count = 1000});
  std::vector<double> seen(10);
  Transaction transaction;
  for (std::uint32_t client = 0; client < 1000; ++client) {
    do mix.next(ClientId{client}, transaction);
    while (transaction.type != 0);
    ++seen[layout().row_of(layout().first_in(transaction, TpccTable::orders))];
  }
  EXPECT_LT(chi_square_of_even(seen), kNine);
}

TEST(TpccBlocks, of_one_client_depend_only_on_the_seed_and_its_number) {
  EXPECT_TRUE((follows_from_seed_and_number<TpccBlocks, TpccBlocksSpec>({kShiftLock, true})));
  EXPECT_TRUE((follows_from_seed_and_number<TpccBlocks, TpccBlocksSpec>({kShiftLock, false})));
}

TEST(TpccBlocks, of_one_machine_alone_are_all_at_home) {
  TpccBlocks mix({{.warehouses = 1}}, {});
  for (const Transaction& transaction : non_empty(drawn_of(mix, ClientId{0}, 10'000)))
    ASSERT_TRUE(has_no_lock_twice(transaction, 121));
}

TEST(TpccBlocks, of_the_specification_belong_to_the_rows_district) {
  const std::vector<std::string> shapes = {"wDcONSL", "WDCH", "col", "NOLC", "dls"};
  double remote = 0, orders = 0;
  for (const Transaction& transaction : drawn_by(kLastMachine, false, 20'000)) {
    ASSERT_TRUE(has_no_lock_twice(transaction, 60'500));
    const auto of = [&](TpccTable table) {
      return layout().row_of(layout().first_in(transaction, table));
    };
    if (transaction.type == 3) {
      EXPECT_EQ(transaction.needs.size(), 40U);
      EXPECT_EQ(layout().shape_of(transaction).substr(0, 8), "NOLCNOLC");
    } else if (transaction.type == 0) {
      ++orders;
      const std::uint64_t district = of(TpccTable::district);
      EXPECT_EQ(of(TpccTable::customer) / 3, district);
      EXPECT_EQ(of(TpccTable::orders), district);
      EXPECT_EQ(of(TpccTable::new_order), district);
      EXPECT_EQ(of(TpccTable::order_line), district);
      const std::uint64_t home = layout().warehouse_of(transaction.needs.front());
      for (const LockNeed& need : transaction.needs)
        remote += layout().warehouse_of(need) == home ? 0 : 1;
    } else {
      EXPECT_EQ(layout().shape_of(transaction), shapes[transaction.type]);
    }
  }
  // Of ten lines each is remote with probability 1 in 100, except that one in a thousand (no item)
  // has no stock.
  EXPECT_NEAR(remote / orders, 0.0999, 0.014);
}

}  // namespace
}  // namespace latchlab

// TPC-C by rows: what the generator of DSLR's authors locks, and long reads.
#include "core/workload/transactions/tpcc_rows.h"

#include <gtest/gtest.h>

#include "core/workload/placement.h"
#include "tests/non_empty.h"
#include "tests/workload/tpcc_draws.h"

namespace latchlab {
namespace {

constexpr TpccHomes kLow{.warehouses = 160, .machines = 16, .clients_per_machine = 4};
constexpr TpccHomes kAnywhere{
    .warehouses = 160, .machines = 16, .clients_per_machine = 4, .anywhere = true};
constexpr ClientId kFourteenth{4 * 3 + 2};  // on the fourth machine
constexpr int kRowDraws = 100'000;

const TpccLayout& rows_layout() {
  static const TpccLayout rows(
      {0, 1, 11, 30'011, 60'011, 90'011, 120'011, 420'011, 520'011, 620'011}, 620'012);
  return rows;
}

std::vector<Transaction> drawn_with(const TpccRowsSpec& spec, int count = kRowDraws) {
  TpccRows mix(spec, {.first = kFourteenth.value, .count = 1, .seed = 1});
  return drawn_of(mix, kFourteenth, count);
}

std::vector<double> mean_locks(std::uint32_t lines) {
  std::vector<double> locks(5), times(5);
  for (const Transaction& transaction : drawn_with({.homes = kLow, .lines_per_order = lines})) {
    locks[transaction.type] += static_cast<double>(transaction.needs.size());
    ++times[transaction.type];
  }
  for (std::size_t type = 0; type < 5; ++type) locks[type] /= times[type];
  return locks;
}

TEST(TpccRows, of_a_warehouse_are_together_on_one_server) {
  const TpccRows mix({.homes = kLow}, {});
  LockTableSpec table;
  table.count = mix.locks();
  table.placement = PlacementKind::partitioned;
  const Placement placement(table, 16);
  for (std::uint64_t warehouse = 0; warehouse < 160; ++warehouse) {
    const std::uint64_t first = warehouse * kRowsPerWarehouse;
    EXPECT_EQ(placement.place_of(LockId{first}).server, warehouse / 10);
    EXPECT_EQ(placement.place_of(LockId{first + kScannedTable}).server, warehouse / 10);
  }
}

TEST(TpccRows, have_the_shares_of_the_mix) {
  for (const bool original : {true, false}) {
    std::vector<double> seen(5);
    const int count = original ? kRowDraws : 20'000;
    for (const Transaction& transaction :
         drawn_with({.homes = kLow, .original = original}, count)) {
      ASSERT_TRUE(has_no_lock_twice(transaction, 160 * kRowsPerWarehouse));
      ++seen[transaction.type];
    }
    EXPECT_LT(chi_square(seen, {.45, .43, .04, .04, .04}), kFour);
  }
}

TEST(TpccRows, are_requested_in_the_order_of_the_recipe) {
  const std::vector<std::string> shapes = {"wDcONiSL", "WDCH", "col", "NOLC", "dls"};
  for (const std::uint32_t lines : {1U, 10U})
    for (const Transaction& transaction :
         non_empty(drawn_with({.homes = kLow, .lines_per_order = lines})))
      ASSERT_EQ(rows_layout().shape_of(transaction), shapes[transaction.type]);
}

// The recipe with ten lines per order; the numbers are those that FissLock's generator, which is
// derived from it, notes.
TEST(TpccRows, have_the_numbers_of_the_generator) {
  const std::vector<double> ten = mean_locks(10), one = mean_locks(1);
  const std::vector<double> expected_ten = {17, 5.2, 12.8, 13, 21};
  const std::vector<double> expected_one = {8, 5.2, 3.8, 4, 3};
  for (std::size_t type = 0; type < 5; ++type) {
    EXPECT_NEAR(ten[type], expected_ten[type], 0.07);
    EXPECT_NEAR(one[type], expected_one[type], 0.07);
  }
}

TEST(TpccRows, of_homes_belong_to_the_machine_or_to_any_equally_often) {
  std::vector<double> own(10), any(160);
  for (const Transaction& transaction : drawn_with({.homes = kLow})) {
    const std::uint64_t home = rows_layout().warehouse_of(transaction.needs.front());
    ASSERT_EQ(home / 10, 3U);
    ++own[home - 30];
  }
  for (const Transaction& transaction : drawn_with({.homes = kAnywhere})) {
    const std::uint64_t home = rows_layout().warehouse_of(transaction.needs.front());
    ++any[home];
    for (const LockNeed& need : transaction.needs)
      ASSERT_EQ(rows_layout().warehouse_of(need), home);
  }
  EXPECT_LT(chi_square_of_even(own), kNine);
  EXPECT_LT(chi_square_of_even(any), 235.3);  // 159
}

TEST(TpccRows, of_remote_customers_belong_to_another_machine_in_15_of_100_payments) {
  double payments = 0, far = 0;
  for (const Transaction& transaction : drawn_with({.homes = kLow})) {
    const bool pays = transaction.type == 1;
    payments += pays ? 1 : 0;
    const std::uint64_t home = rows_layout().warehouse_of(transaction.needs.front());
    bool away = false;
    for (const LockNeed& need : transaction.needs) {
      if (rows_layout().warehouse_of(need) == home) continue;
      ASSERT_TRUE(pays && rows_layout().shape_of({0, {need}}) == "C");
      ASSERT_NE(rows_layout().warehouse_of(need) / 10, 3U);
      away = true;
    }
    far += away ? 1 : 0;
  }
  EXPECT_LT(chi_square_of_share(far, payments, 0.15), kOne);
}

TEST(TpccRows, of_one_client_depend_only_on_the_seed_and_its_number) {
  for (const bool original : {true, false})
    EXPECT_TRUE((follows_from_seed_and_number<TpccRows, TpccRowsSpec>(
        {.homes = kLow, .original = original, .scans_ppb = 10'000'000})));
}

// One in a hundred is of type scan, and the other transactions do not change, except for the lock
// of the table.
TEST(TpccRows, with_scans_do_not_change_the_other_transactions) {
  for (const bool original : {true, false}) {
    const TpccRowsSpec plain{.homes = kLow, .original = original};
    TpccRowsSpec with = plain;
    with.scans_ppb = 10'000'000;
    TpccRows without(plain, {.first = kFourteenth.value, .count = 1, .seed = 1});
    EXPECT_EQ(without.type_names().at(5), "scan");
    double scans = 0;
    const int count = original ? kRowDraws : 20'000;
    Transaction expected;
    for (Transaction found : drawn_with(with, count)) {
      if (found.type == 5) {
        ++scans;
        ASSERT_EQ(rows_layout().shape_of(found), "t");
        ASSERT_EQ(rows_layout().warehouse_of(found.needs.front()) / 10, 3U);
        continue;
      }
      without.next(kFourteenth, expected);
      const bool changes = rows_layout().shape_of(expected).find('C') != std::string::npos;
      const std::string shape = rows_layout().shape_of(found);
      ASSERT_EQ(shape.find('T') != std::string::npos, changes);
      if (changes) {
        ASSERT_LT(shape.find('T'), shape.find('C'));
      }
      std::erase_if(found.needs, [](LockNeed need) { return rows_layout().table_of(need) == 9; });
      ASSERT_EQ(found, expected);
    }
    EXPECT_LT(chi_square_of_share(scans, count, 0.01), kOne);
  }
}

// Scans of orders instead of customers: transactions that change orders lock the table exclusively.
TEST(TpccRows, with_scans_of_orders_lock_that_table) {
  const TpccRowsSpec spec{.homes = kLow, .scans_ppb = 10'000'000, .scans_orders = true};
  for (const Transaction& transaction : non_empty(drawn_with(spec))) {
    const std::string shape = rows_layout().shape_of(transaction);
    if (transaction.type == 5) {
      ASSERT_EQ(shape, "t");
    } else if (shape.find('O') != std::string::npos) {
      ASSERT_EQ(shape.find('T') + 1, shape.find('O')) << shape;
    } else {
      ASSERT_EQ(shape.find('T'), std::string::npos) << shape;
    }
  }
}

// The words' tables, capital for IX, or S for a scan, in the order and at the places of the recipe.
TEST(TpccRows, with_intention_locks_take_each_table_before_its_rows) {
  const std::vector<std::string> shapes = {"wDcONiSL", "WDCH", "col", "NOLC", "dls"};
  TpccRowsSpec spec{.homes = kLow, .scans_ppb = 10'000'000, .intention_locks = true};
  spec.scans_orders = true;
  TpccRows without({.homes = kLow}, {.first = kFourteenth.value, .count = 1, .seed = 1});
  Transaction plain;
  for (const Transaction& transaction : non_empty(drawn_with(spec))) {
    if (transaction.type == 5) {
      ASSERT_TRUE(transaction.needs.empty());
      ASSERT_EQ(transaction.tables.size(), 1U);
      ASSERT_EQ(transaction.tables[0].mode, TableMode::shared);
      ASSERT_EQ(transaction.tables[0].word.value % kRowsPerWarehouse, 30'011U);
      continue;
    }
    without.next(kFourteenth, plain);
    ASSERT_EQ(transaction.needs, plain.needs);
    std::string shape;
    for (const TableWant& table : transaction.tables) {
      const bool exclusive = table.mode == TableMode::intention_exclusive;
      const LockNeed word{table.word, exclusive ? LockMode::exclusive : LockMode::shared};
      const LockNeed& row = transaction.needs.at(table.before);
      ASSERT_EQ(row.mode, word.mode);
      ASSERT_EQ(rows_layout().table_of(word), rows_layout().table_of(row));
      ASSERT_EQ(rows_layout().warehouse_of(word), rows_layout().warehouse_of(row));
      shape += rows_layout().shape_of({0, {word}});
    }
    ASSERT_EQ(shape, shapes[transaction.type]);
  }
}

TEST(TpccRows, of_the_specification_lock_no_items_and_only_rows_of_their_warehouses) {
  double items = 0, locks = 0;
  for (const Transaction& transaction : drawn_with({.homes = kLow, .original = false}, 20'000))
    for (const LockNeed& need : transaction.needs) {
      ++locks;
      const std::size_t table = rows_layout().table_of(need);
      items += table >= static_cast<std::size_t>(TpccTable::item) ? 1 : 0;
    }
  EXPECT_EQ(items, 0);
  RecordProperty("locks_per_transaction_times_100", static_cast<int>(locks / 200));
}

}  // namespace
}  // namespace latchlab

// TPC-C's transactions by the specification: the mix, NURand, and what each accesses.
#include "core/workload/transactions/tpcc_program.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "tests/non_empty.h"
#include "tests/workload/tpcc_draws.h"

namespace latchlab {
namespace {

constexpr TpccHomes kHomes{.warehouses = 8, .machines = 2};
constexpr int kOrders = 100'000;

std::vector<TpccTouches> runs_of(TpccType type, int count, std::uint64_t seed = 1) {
  TpccProgram program(kHomes, seed);
  TpccClient client = make_tpcc_clients(kHomes, {.seed = seed}).front();
  std::vector<TpccTouches> runs(static_cast<std::size_t>(count));
  for (TpccTouches& touches : runs) program.run(type, client, touches);
  return runs;
}

const std::vector<TpccTouches>& orders() {
  static const std::vector<TpccTouches> runs = runs_of(TpccType::new_order, kOrders);
  return runs;
}

std::string shape_of(const TpccTouches& touches) {
  std::string shape;
  for (const TpccTouch& touch : touches)
    shape += (touch.mode == LockMode::shared ? "wdcohnlsi"
                                             : "WDCOHNLSI")[static_cast<std::size_t>(touch.table)];
  return shape;
}

std::string repeated(const std::string& what, std::uint32_t times) {
  std::string all;
  for (std::uint32_t n = 0; n < times; ++n) all += what;
  return all;
}

// The distribution of NURand(A, 1, n) - 1 if C is 0, for A one less than a power of two: low bits
// that contain those of a number result from as many draws as the number has subsets.
std::vector<double> nurand_law(std::uint32_t a, std::uint32_t n) {
  std::vector<double> ways((n | a) + 1);
  for (std::uint32_t number = 1; number <= n; ++number)
    ways[number] = std::pow(2, std::popcount(number & a));
  for (std::uint32_t bit = 1; bit <= a; bit *= 2)
    for (std::uint32_t i = 0; i < ways.size(); ++i)
      if ((i & bit) != 0) ways[i] += ways[i - bit];
  std::vector<double> law(n);
  for (std::uint32_t i = 0; i < ways.size(); ++i) law[i % n] += ways[i] / (a + 1.0) / n;
  return law;
}

// The least chi-square, over all C, of rows that NURand(A, 1, n) drew, in a hundred equal parts.
double best_fit(const std::vector<std::uint32_t>& rows, std::uint32_t a, std::uint32_t n) {
  const std::vector<double> law = nurand_law(a, n);
  const std::uint32_t width = n / 100;
  std::vector<double> parts(100), seen(n), until(2 * n + 1);
  for (std::uint32_t row = 0; row < n; ++row) parts[row / width] += law[row];
  for (const std::uint32_t row : rows) ++seen[row];
  for (std::uint32_t i = 0; i < 2 * n; ++i) until[i + 1] = until[i] + seen[i % n];
  double least = 1e99;
  for (std::uint32_t c = 0; c <= a; ++c) {
    std::vector<double> times(100);
    for (std::uint32_t part = 0; part < 100; ++part)
      times[part] = until[c + (part + 1) * width] - until[c + part * width];
    least = std::min(least, chi_square(times, parts));
  }
  return least;
}

TEST(TpccProgram, new_order_accesses_what_its_clause_says) {
  const TpccProgram program(kHomes, 1);
  std::vector<double> lines(11), districts(10);
  double remote = 0, stocks = 0, rolled_back = 0;
  for (const TpccTouches& touches : orders()) {
    ASSERT_GE(touches.size(), 13U);
    const std::uint32_t count = program.lines_of(touches[3].row).count;
    const std::string whole = "wDcON" + repeated("SL", count);
    const std::string found = shape_of(touches);
    ASSERT_TRUE(found == whole || found + "SL" == whole) << found;
    rolled_back += found == whole ? 0 : 1;
    ++lines[count - 5];
    ++districts[touches[1].row];
    EXPECT_EQ(touches[2].row / 3000, touches[1].row);
    EXPECT_EQ(touches[3].row / 3000, touches[1].row);
    EXPECT_EQ(touches[4].row, touches[3].row);
    for (std::size_t i = 5; i < touches.size(); i += 2) {
      ++stocks;
      remote += touches[i].warehouse == touches[0].warehouse ? 0 : 1;
      EXPECT_EQ(touches[i + 1].warehouse, touches[0].warehouse);
    }
  }
  EXPECT_LT(chi_square_of_share(rolled_back, kOrders, 0.01), kOne);
  EXPECT_LT(chi_square_of_share(remote, stocks, 0.01), kOne);
  EXPECT_LT(chi_square_of_even(districts), kNine);
  EXPECT_EQ(std::count(lines.begin(), lines.end(), 0), 0);
}

TEST(TpccProgram, orders_have_5_to_15_lines_equally_often_and_300000_in_all) {
  const TpccProgram program(kHomes, 1);
  std::vector<double> seen(11);
  std::uint32_t next = 0;
  for (std::uint32_t order = 0; order < 30'000; ++order) {
    const TpccProgram::Lines lines = program.lines_of(order);
    ASSERT_EQ(lines.first, next);
    ASSERT_TRUE(lines.count >= 5 && lines.count <= 15);
    next += lines.count;
    if (order % 2 == 0) ++seen[lines.count - 5];  // the other has the rest of 20
  }
  EXPECT_EQ(next, 300'000U);
  EXPECT_LT(chi_square_of_even(seen), kTen);
}

TEST(TpccProgram, draws_customers_and_items_by_nurand_with_one_c_for_all) {
  for (std::uint64_t seed = 1; seed < 4; ++seed) {
    std::vector<std::uint32_t> customers, items;
    for (const TpccTouches& touches : runs_of(TpccType::new_order, 30'000, seed))
      for (const TpccTouch& touch : touches) {
        if (touch.table == TpccTable::customer) customers.push_back(touch.row % 3000);
        if (touch.table == TpccTable::stock) items.push_back(touch.row);
      }
    EXPECT_LT(best_fit(customers, 1023, 3000), kNinetyNine);
    EXPECT_LT(best_fit(items, 8191, 100'000), kNinetyNine);
  }
}

TEST(TpccProgram, pays_for_remote_customers_in_15_and_by_name_in_60_of_100_payments) {
  const TpccProgram program(kHomes, 1);
  std::vector<bool> named(3000);
  for (std::uint32_t name = 0; name < 1000; ++name) {
    const std::uint32_t customer = program.customer_named(name);
    EXPECT_TRUE(customer == name || (customer >= 1000 && customer < 3000));
    EXPECT_FALSE(named[customer]);
    named[customer] = true;
  }
  double by_number = 0, remote = 0, found = 0;
  for (const TpccTouches& touches : orders()) by_number += named[touches[2].row % 3000] ? 1 : 0;
  std::vector<double> far(8);
  const std::vector<TpccTouches> payments = runs_of(TpccType::payment, kOrders);
  for (const TpccTouches& touches : payments) {
    ASSERT_EQ(shape_of(touches), "WDCH");
    EXPECT_EQ(touches[3].row / 3000, touches[1].row);
    const bool away = touches[2].warehouse != touches[0].warehouse;
    remote += away ? 1 : 0;
    if (away)
      ++far[(touches[2].warehouse + 8 - touches[0].warehouse) % 8];
    else
      EXPECT_EQ(touches[2].row / 3000, touches[1].row);
    found += named[touches[2].row % 3000] ? 1 : 0;
  }
  EXPECT_LT(chi_square_of_share(remote, kOrders, 0.15), kOne);
  far.erase(far.begin());  // the warehouse itself
  EXPECT_LT(chi_square_of_even(far), kNine);
  EXPECT_NEAR(found / kOrders, 0.6 + 0.4 * by_number / kOrders, 0.007);  // four deviations
}

TEST(TpccProgram, reads_an_order_with_all_its_lines) {
  const TpccProgram program(kHomes, 1);
  for (const TpccTouches& touches : non_empty(runs_of(TpccType::order_status, 1000))) {
    const TpccProgram::Lines lines = program.lines_of(touches[1].row);
    ASSERT_EQ(shape_of(touches), "co" + repeated("l", lines.count));
    EXPECT_EQ(touches[2].row, lines.first);
    EXPECT_EQ(touches[0].row / 3000, touches[1].row / 3000);
  }
}

TEST(TpccProgram, delivers_an_order_of_each_district) {
  const TpccProgram program(kHomes, 1);
  for (const TpccTouches& touches : non_empty(runs_of(TpccType::delivery, 1000))) {
    std::string expected;
    std::uint32_t district = 0;
    for (const TpccTouch& touch : touches) {
      if (touch.table != TpccTable::orders) continue;
      EXPECT_EQ(touch.row / 3000, district++);
      expected += "NO" + repeated("L", program.lines_of(touch.row).count) + "C";
    }
    EXPECT_EQ(district, 10U);
    EXPECT_EQ(shape_of(touches), expected);
  }
}

TEST(TpccProgram, stock_level_reads_lines_of_20_orders_and_their_stock) {
  for (const TpccTouches& touches : non_empty(runs_of(TpccType::stock_level, 1000))) {
    const std::string shape = shape_of(touches);
    const std::size_t stock = shape.find('s');
    ASSERT_EQ(shape, "d" + std::string(stock - 1, 'l') + std::string(shape.size() - stock, 's'));
    const std::size_t lines = stock - 1;
    EXPECT_TRUE(lines >= 190 && lines <= 210);  // ten pairs of orders, or nine and two halves
    EXPECT_LE(shape.size() - stock, lines);
    EXPECT_GT(shape.size() - stock, lines * 9 / 10);
    for (const TpccTouch& touch : touches)
      if (touch.table == TpccTable::order_line) {
        EXPECT_EQ(touch.row / 30'000, touches[0].row);
      }
  }
}

}  // namespace
}  // namespace latchlab

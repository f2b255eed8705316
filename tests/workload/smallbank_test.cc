// Which accounts the transactions of a bank lock.
#include "core/workload/transactions/smallbank.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "tests/modes.h"
#include "tests/workload/chi_square.h"

namespace latchlab {
namespace {

constexpr int kTransactions = 200'000;

std::unique_ptr<TransactionMix> bank_of(const SmallBankSpec& spec, const MixClients& clients = {}) {
  return std::move(make_smallbank(spec, clients)).value();
}

std::vector<Transaction> bank_asked(TransactionMix& mix, std::uint32_t client, int count) {
  std::vector<Transaction> all(count);
  for (Transaction& each : all) mix.next(ClientId{client}, each);
  return all;
}

std::string bank_refusal(const SmallBankSpec& spec) {
  const auto mix = make_smallbank(spec, {});
  return mix.ok() ? "" : mix.error().message;
}

// Modes and kinds of account, with the customers in the order of their first use: "Xs0 Xc0".
std::string shape_of(const Transaction& transaction, std::uint64_t accounts) {
  std::string shape;
  std::vector<std::uint64_t> customers;
  for (const LockNeed& need : transaction.needs) {
    const bool savings = need.lock.value < accounts;
    const std::uint64_t customer = savings ? need.lock.value : need.lock.value - accounts;
    std::size_t n = 0;
    while (n < customers.size() && customers[n] != customer) ++n;
    if (n == customers.size()) customers.push_back(customer);
    shape += (shape.empty() ? "" : " ") + std::string(need.mode == kX ? "X" : "S") +
             (savings ? "s" : "c") + std::to_string(n + 1);
  }
  return shape;
}

using Shapes = std::vector<std::string>;
const Shapes kSpecified = {"Xs1 Xc1 Xc2", "Ss1 Sc1", "Xc1", "Xc1 Xc2", "Xs1", "Ss1 Xc1"};
const Shapes kShiftLocks = {"Xc1 Xs2", "", "Xc1", "Xc1 Xc2", "Xs1", "Xc1"};

void expect_shapes(const SmallBankSpec& spec, const Shapes& shapes,
                   const std::vector<double>& shares) {
  const auto mix = bank_of(spec);
  std::vector<double> types(shapes.size());
  for (const Transaction& each : bank_asked(*mix, 0, kTransactions)) {
    ASSERT_EQ(shape_of(each, spec.accounts), shapes[each.type]) << each.type;
    ++types[each.type];
    for (const LockNeed& need : each.needs) ASSERT_LT(need.lock.value, mix->locks());
  }
  EXPECT_EQ(mix->locks(), 2 * spec.accounts);
  EXPECT_EQ(mix->type_names().size(), shapes.size());
  EXPECT_LT(chi_square_of(types, shares), chi_square_limit(6));
}

const std::vector<double> kShiftLockPercent = {15, 15, 15, 25, 15, 15};
const std::vector<double> kDecLockPercent = {15, 15, 15, 26, 15, 14};

// Even with two customers, each transaction that needs two has both.
TEST(SmallBank, locks_what_the_specification_says_in_both_mixes) {
  for (const std::uint64_t accounts : {2ULL, 3ULL, 1'000'000ULL}) {
    expect_shapes({.accounts = accounts}, kSpecified, kShiftLockPercent);
    expect_shapes({.accounts = accounts, .declock_shares = true}, kSpecified, kDecLockPercent);
  }
}

TEST(SmallBank, locks_what_the_published_artifacts_lock) {
  expect_shapes({.original = true}, kShiftLocks, kShiftLockPercent);
  expect_shapes({.accounts = 100'000, .original = true, .declock_shares = true}, kSpecified,
                kDecLockPercent);
}

// How often the second customer has the smaller number, for each type that has two.
std::pair<double, double> backwards(const SmallBankSpec& spec) {
  double times[2] = {}, back[2] = {};
  for (const Transaction& each : bank_asked(*bank_of(spec), 0, kTransactions)) {
    if (each.type != 0 && each.type != 3) continue;
    const int n = each.type == 3 ? 1 : 0;
    ++times[n];
    const std::uint64_t first = each.needs.front().lock.value % spec.accounts;
    back[n] += each.needs.back().lock.value % spec.accounts < first ? 1 : 0;
  }
  return {back[0] / times[0], back[1] / times[1]};
}

TEST(SmallBank, customers_are_in_the_order_of_their_numbers_if_the_artifact_has_that) {
  const auto specified = backwards({});
  EXPECT_NEAR(specified.first, 0.5, 0.01);
  EXPECT_NEAR(specified.second, 0.5, 0.01);
  const auto shiftlock = backwards({.original = true});
  EXPECT_NEAR(shiftlock.first, 0.5, 0.01);
  EXPECT_EQ(shiftlock.second, 0);
  const auto declock = backwards({.original = true, .declock_shares = true});
  EXPECT_EQ(declock.first, 0);
  EXPECT_EQ(declock.second, 0);
}

TEST(SmallBank, customers_are_uniform_unless_configured_otherwise) {
  std::vector<double> first(20), second(20);
  for (const Transaction& each : bank_asked(*bank_of({.accounts = 20}), 0, kTransactions)) {
    ++first[each.needs.front().lock.value % 20];
    if (each.type == 3) ++second[each.needs.back().lock.value % 20];
  }
  const std::vector<double> alike(20, 1);
  EXPECT_LT(chi_square_of(first, alike), chi_square_limit(20));
  EXPECT_LT(chi_square_of(second, alike), chi_square_limit(20));
}

TEST(SmallBank, customers_follow_zipf_and_the_second_is_drawn_from_the_rest) {
  constexpr std::size_t kAccounts = 20;
  SmallBankSpec spec{.accounts = kAccounts, .declock_shares = true};
  spec.distribution.kind = DistributionKind::zipf;
  std::vector<double> shares, first(kAccounts), second(kAccounts), seconds(kAccounts);
  double sum = 0;
  for (std::size_t i = 1; i <= kAccounts; ++i) shares.push_back(std::pow(i, -0.99));
  for (const double share : shares) sum += share;
  for (std::size_t a = 0; a < kAccounts; ++a)
    for (std::size_t b = 0; b < kAccounts; ++b)
      if (a != b) seconds[b] += shares[a] * shares[b] / (sum - shares[a]);
  for (const Transaction& each : bank_asked(*bank_of(spec), 0, kTransactions)) {
    ++first[each.needs.front().lock.value % kAccounts];
    if (each.type == 3) ++second[each.needs.back().lock.value % kAccounts];
  }
  EXPECT_LT(chi_square_of(first, shares), chi_square_limit(kAccounts));
  EXPECT_LT(chi_square_of(second, seconds), chi_square_limit(kAccounts));
}

// The second customer is another one, although the distribution has only one.
TEST(SmallBank, a_distribution_of_one_customer_still_has_two) {
  SmallBankSpec spec{.accounts = 10};
  spec.distribution.kind = DistributionKind::hotspot;
  spec.distribution.hot_locks_ppb = 1;
  spec.distribution.hot_accesses_ppb = 1'000'000'000;
  int with_another = 0;
  for (const Transaction& each : bank_asked(*bank_of(spec), 0, 1'000)) {
    if (each.type != 3) continue;
    EXPECT_EQ(each.needs, (std::vector<LockNeed>{{LockId{10}, kX}, {LockId{11}, kX}}));
    ++with_another;
  }
  EXPECT_GT(with_another, 0);
}

TEST(SmallBank, requests_of_a_client_do_not_depend_on_other_clients) {
  const auto four = bank_of({}, {0, 4, 7}), one = bank_of({}, {2, 1, 7});
  bank_asked(*four, 3, 100);
  const auto before = bank_asked(*four, 2, 500);
  bank_asked(*four, 1, 100);
  const auto after = bank_asked(*four, 2, 500);
  EXPECT_EQ(bank_asked(*one, 2, 500), before);
  EXPECT_EQ(bank_asked(*one, 2, 500), after);
  EXPECT_NE(bank_asked(*four, 0, 500), before);
  EXPECT_NE(bank_asked(*bank_of({}, {2, 1, 8}), 2, 500), before);
}

TEST(SmallBank, transactions_are_the_same_on_every_machine) {
  std::vector<std::string> all;
  for (const Transaction& each : bank_asked(*bank_of({}), 0, 6)) {
    all.push_back(std::to_string(each.type));
    for (const LockNeed& need : each.needs) all.back() += " " + std::to_string(need.lock.value);
  }
  EXPECT_EQ(all, (std::vector<std::string>{"0 733003 1733003 1684127", "3 1929278 1582920",
                                           "3 1731879 1356191", "3 1902276 1132501",
                                           "1 214377 1214377", "3 1785942 1648462"}));
}

TEST(SmallBank, invalid_parameters_are_refused_with_the_valid_range) {
  EXPECT_EQ(
      bank_refusal({.accounts = 1}),
      "smallbank accounts is 1; expected a number from 2 to 140737488355328, such as 1000000");
  EXPECT_EQ(bank_refusal({.accounts = (std::uint64_t{1} << 47U) + 1}),
            "smallbank accounts is 140737488355329; expected a number from 2 to 140737488355328, "
            "such as 1000000");
  SmallBankSpec spec;
  spec.distribution.kind = DistributionKind::zipf;
  spec.distribution.theta_ppb = -1'000'000'000;
  EXPECT_EQ(bank_refusal(spec), "distribution theta is -1; expected a number from 0 to 20");
}

}  // namespace
}  // namespace latchlab

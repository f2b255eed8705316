#pragma once
// Helpers for the tests of TPC-C's mixes, over many transactions.

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "core/workload/transactions/tpcc.h"

namespace latchlab {

// Chi-square of counts against the same number of shares of one. It is compared with the 99.99 %
// quantile for one degree of freedom less than there are shares.
inline double chi_square(const std::vector<double>& seen, const std::vector<double>& parts) {
  double total = 0, sum = 0;
  for (const double times : seen) total += times;
  for (std::size_t i = 0; i < parts.size(); ++i)
    sum += std::pow(seen[i] - total * parts[i], 2) / (total * parts[i]);
  return sum;
}
inline double chi_square_of_even(const std::vector<double>& seen) {
  return chi_square(seen, std::vector<double>(seen.size(), 1.0 / static_cast<double>(seen.size())));
}
inline double chi_square_of_share(double times, double of, double share) {
  return chi_square({times, of - times}, {share, 1 - share});
}
constexpr double kOne = 15.14, kFour = 23.51, kNine = 33.72, kTen = 35.56, kTwentyNine = 66.15;
constexpr double kNinetyNine = 160.06, kThreeHundredNinetyNine = 512.7;

inline std::vector<Transaction> drawn_of(TransactionMix& mix, ClientId client, int count) {
  std::vector<Transaction> drawn(static_cast<std::size_t>(count));
  for (Transaction& transaction : drawn) mix.next(client, transaction);
  return drawn;
}

inline bool has_no_lock_twice(const Transaction& transaction, std::uint64_t locks) {
  std::set<std::uint64_t> seen;
  for (const LockNeed& need : transaction.needs)
    if (need.lock.value >= locks || !seen.insert(need.lock.value).second) return false;
  return true;
}

// Tables of a warehouse in the order of TpccTable (and what follows), by their begin.
class TpccLayout {
 public:
  TpccLayout(std::vector<std::uint64_t> first, std::uint64_t of_warehouse)
      : first_(std::move(first)), of_warehouse_(of_warehouse) {}
  std::uint64_t warehouse_of(LockNeed need) const { return need.lock.value / of_warehouse_; }
  std::size_t table_of(LockNeed need) const {
    const std::uint64_t place = need.lock.value % of_warehouse_;
    return static_cast<std::size_t>(std::upper_bound(first_.begin(), first_.end(), place) -
                                    first_.begin()) -
           1;
  }
  std::uint64_t row_of(LockNeed need) const {
    return need.lock.value % of_warehouse_ - first_[table_of(need)];
  }
  // Letters of tables, capital if requested exclusively; runs of one letter are merged.
  std::string shape_of(const Transaction& transaction) const {
    std::string shape;
    for (const LockNeed& need : transaction.needs) {
      const bool shared = need.mode == LockMode::shared;
      const char letter = (shared ? "wdcohnlsit" : "WDCOHNLSIT")[table_of(need)];
      if (shape.empty() || shape.back() != letter) shape += letter;
    }
    return shape;
  }
  const LockNeed& first_in(const Transaction& transaction, TpccTable table) const {
    return *std::find_if(transaction.needs.begin(), transaction.needs.end(), [&](LockNeed need) {
      return table_of(need) == static_cast<std::size_t>(table);
    });
  }

 private:
  std::vector<std::uint64_t> first_;
  std::uint64_t of_warehouse_;
};

// Whether the requests of a client depend only on the seed and its number, not on other clients or
// on the order of calls. Clients 0 to 9.
template <class Mix, class Spec>
bool follows_from_seed_and_number(const Spec& spec) {
  Mix all(spec, {.first = 0, .count = 10, .seed = 3});
  Mix late(spec, {.first = 7, .count = 2, .seed = 3});
  Mix other(spec, {.first = 7, .count = 2, .seed = 4});
  Transaction one, others;
  std::vector<Transaction> seen;
  int same = 0;
  for (std::uint32_t i = 0; i < 1000; ++i) {
    for (std::uint32_t client = 0; client < 10; ++client)
      for (std::uint32_t again = 0; again < (client == 7 ? 1 : (i + client) % 3); ++again) {
        all.next(ClientId{client}, one);
        if (client == 7) seen.push_back(one);
      }
  }
  for (const Transaction& transaction : seen) {
    late.next(ClientId{7}, one);
    late.next(ClientId{8}, others);
    if (one != transaction || one == others) return false;
    other.next(ClientId{7}, others);
    same += one == others ? 1 : 0;
  }
  return same < 50;
}

}  // namespace latchlab

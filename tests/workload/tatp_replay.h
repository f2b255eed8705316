#pragma once
// Follows a client's transactions of TATP row by row: checks that each locks what its kind needs,
// and that rows of forwarding exist or not as earlier transactions left them. Counts what tests ask
// for.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "core/workload/transactions/tatp.h"

namespace latchlab {

class TatpReplay {
 public:
  explicit TatpReplay(const TatpSpec& spec) : spec_(spec), people(spec) {
    for (std::uint32_t s = 1; s <= people.subscribers(); ++s)
      for (std::uint32_t type = 1; type <= kTatpTypes; ++type) {
        if (const auto lock = people.access(s, type)) access_.emplace(lock->value, Owner{s, type});
        if (const auto lock = people.facility({s, type}))
          facilities_.emplace(lock->value, Owner{s, type});
      }
  }

  void follow(const Transaction& transaction);
  void run(TransactionMix& mix, int transactions, ClientId client = ClientId{0}) {
    for (Transaction transaction; transactions > 0 && !::testing::Test::HasFailure();
         --transactions) {
      mix.next(client, transaction);
      follow(transaction);
    }
  }

  double average_needs(std::uint32_t type) const { return needs[type] / types[type]; }
  double all(const std::array<double, 7>& of) const {
    double sum = 0;
    for (const double each : of) sum += each;
    return sum;
  }
  static std::vector<double> list(const std::array<double, 7>& of) {
    return {of.begin(), of.end()};
  }

  // Counts by type of transaction.
  std::array<double, 7> types{}, needs{}, shared{}, empty{}, forwarding{};
  double forwarding_needs = 0;  // of rows, in GND
  std::size_t most_needs = 0;
  std::vector<double> low_bits = std::vector<double>(32);  // of subscribers - 1, GSD and UL
  std::map<std::uint32_t, double> subscribers;             // of GSD and UL
  // Counts for subscribers that have all of them.
  std::vector<double> access_types = std::vector<double>(kTatpTypes);
  std::vector<double> deleted_slots = std::vector<double>(kTatpSlots);  // if all slots existed
  double followed = 0;  // rows that were seen to be inserted or deleted

 private:
  using Owner = std::pair<std::uint32_t, std::uint32_t>;                // subscriber, type
  using Row = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>;  // and slot

  bool there(Row row) const {
    const auto changed = changed_.find(row);
    const auto [s, type, slot] = row;
    return changed != changed_.end() ? changed->second : people.end_hour({s, type}, slot) != 0;
  }
  std::uint32_t subscriber_of(const LockNeed& need) const {
    return static_cast<std::uint32_t>(need.lock.value - people.subscriber(1).value + 1);
  }
  void expect_subscriber(const LockNeed& need, LockMode mode) const {
    EXPECT_EQ(need.mode, mode);
    EXPECT_GE(subscriber_of(need), 1U);
    EXPECT_LE(subscriber_of(need), people.subscribers());
  }
  void get_new_destination(const std::vector<LockNeed>& wanted);
  void change(std::uint32_t subscriber, LockId lock, bool from, bool to);
  void insert(const std::vector<LockNeed>& wanted);
  void remove(const std::vector<LockNeed>& wanted);

  TatpSpec spec_;
  std::map<std::uint64_t, Owner> access_, facilities_;
  std::map<Row, bool> changed_;
  // Facilities for which the changed row is ambiguous, since another row has the same lock.
  std::set<Owner> unclear_;

 public:
  const TatpPopulation people;
};

inline void TatpReplay::follow(const Transaction& transaction) {
  const std::vector<LockNeed>& wanted = transaction.needs;
  const std::uint32_t type = transaction.type;
  ++types[type];
  needs[type] += static_cast<double>(wanted.size());
  most_needs = std::max(most_needs, wanted.size());
  if (wanted.empty()) ++empty[type];
  std::set<std::uint64_t> different;
  for (const LockNeed& need : wanted) {
    EXPECT_GE(need.lock.value, 5U);
    EXPECT_LT(need.lock.value, people.locks());
    EXPECT_TRUE(different.insert(need.lock.value).second) << "type " << type;
    if (need.mode == LockMode::shared) ++shared[type];
  }
  switch (type) {
    case 0:
    case 4:
      ASSERT_EQ(wanted.size(), 1U);
      expect_subscriber(wanted[0], type == 0 ? LockMode::shared : LockMode::exclusive);
      ++low_bits[(subscriber_of(wanted[0]) - 1) % 32];
      ++subscribers[subscriber_of(wanted[0])];
      return;
    case 1:
      return get_new_destination(wanted);
    case 2: {
      if (wanted.empty()) return;
      ASSERT_EQ(wanted.size(), 1U);
      EXPECT_EQ(wanted[0].mode, LockMode::shared);
      const auto [s, of] = access_.at(wanted[0].lock.value);
      bool all = true;
      for (std::uint32_t each = 1; each <= kTatpTypes; ++each)
        all = all && people.access(s, each).has_value();
      if (all) ++access_types[of - 1];
      return;
    }
    case 3:
      ASSERT_GE(wanted.size(), 1U);
      ASSERT_LE(wanted.size(), 2U);
      expect_subscriber(wanted[0], LockMode::exclusive);
      if (wanted.size() == 1) return;
      EXPECT_EQ(wanted[1].mode, LockMode::exclusive);
      EXPECT_EQ(facilities_.at(wanted[1].lock.value).first, subscriber_of(wanted[0]));
      return;
    case 5:
      return insert(wanted);
    default:
      ASSERT_EQ(type, 6U);
      return remove(wanted);
  }
}

inline void TatpReplay::get_new_destination(const std::vector<LockNeed>& wanted) {
  if (wanted.empty()) return;
  EXPECT_EQ(shared[1], needs[1]);
  const auto [s, of] = facilities_.at(wanted[0].lock.value);
  const TatpFacility facility{s, of};
  if (wanted.size() > 1) ++forwarding[1];
  forwarding_needs += static_cast<double>(wanted.size() - 1);
  if (!spec_.original && !people.active(facility)) {
    EXPECT_EQ(wanted.size(), 1U);
  }
  if (unclear_.contains({s, of})) return;
  std::uint32_t slot = 0;
  for (std::size_t i = 1; i < wanted.size(); ++i, ++slot) {  // in the order of their slots
    while (slot < kTatpSlots &&
           (people.forwarding(facility, slot) != wanted[i].lock || !there({s, of, slot})))
      ++slot;
    ASSERT_LT(slot, kTatpSlots);
  }
}

// The row is known if it is the only one of the subscriber that has the lock.
inline void TatpReplay::change(std::uint32_t subscriber, LockId lock, bool from, bool to) {
  std::vector<Row> rows;
  for (std::uint32_t type = 1; type <= kTatpTypes; ++type)
    for (std::uint32_t slot = 0; slot < kTatpSlots; ++slot)
      if (const TatpFacility facility{subscriber, type};
          people.forwarding(facility, slot) == lock && people.facility(facility))
        rows.emplace_back(subscriber, type, slot);
  ASSERT_FALSE(rows.empty());
  if (rows.size() > 1) {
    for (const auto& [s, type, slot] : rows) unclear_.emplace(s, type);
    return;
  }
  const auto [s, type, slot] = rows[0];
  if (unclear_.contains({s, type})) return;
  ASSERT_EQ(there(rows[0]), from) << "of " << s << ", " << type << ", slot " << slot;
  ++followed;
  bool all = from && !to;
  for (std::uint32_t each = 0; each < kTatpSlots; ++each)
    all =
        all && there({s, type, each}) &&
        people.forwarding({s, type}, each) != people.forwarding({s, type}, (each + 1) % kTatpSlots);
  if (all) ++deleted_slots[slot];
  changed_[rows[0]] = to;
}

inline void TatpReplay::insert(const std::vector<LockNeed>& wanted) {
  ASSERT_GE(wanted.size(), 1U);
  expect_subscriber(wanted[0], LockMode::shared);
  const std::uint32_t s = subscriber_of(wanted[0]);
  std::size_t at = 1;
  const LockNeed* row = nullptr;
  for (std::uint32_t type = 1; type <= kTatpTypes; ++type) {
    const auto lock = people.facility({s, type});
    if (!lock) continue;
    ASSERT_LT(at, wanted.size());
    EXPECT_EQ(wanted[at].lock, *lock);
    if (wanted[at].mode == LockMode::exclusive) row = &wanted[at];  // by the hash
    ++at;
  }
  ASSERT_LE(wanted.size(), at + 1);
  if (wanted.size() > at) {
    EXPECT_EQ(row, nullptr);
    row = &wanted[at];
    EXPECT_EQ(row->mode, LockMode::exclusive);
  }
  if (row == nullptr) return;
  ++forwarding[5];
  change(s, row->lock, spec_.original, true);
}

inline void TatpReplay::remove(const std::vector<LockNeed>& wanted) {
  ASSERT_GE(wanted.size(), 1U);
  ASSERT_LE(wanted.size(), 2U);
  expect_subscriber(wanted[0], LockMode::shared);
  if (wanted.size() == 1) return;
  ++forwarding[6];
  EXPECT_EQ(wanted[1].mode, LockMode::exclusive);
  change(subscriber_of(wanted[0]), wanted[1].lock, true, false);
}

// The distribution of draw_skewed().
inline std::vector<double> skewed_shares(std::uint64_t skew, std::uint64_t first,
                                         std::uint64_t last) {
  std::vector<double> shares(last - first + 1);
  for (std::uint64_t a = 0; a <= skew; ++a)
    for (std::uint64_t b = first; b <= last; ++b) ++shares[(a | b) % shares.size()];
  return shares;
}

// An OR of two bits: zero in one of four cases.
inline std::vector<double> low_bit_shares() {
  std::vector<double> shares(32, 1);
  for (unsigned value = 0; value < 32; ++value)
    for (unsigned bit = 0; bit < 5; ++bit) shares[value] *= (value >> bit & 1U) != 0 ? 3 : 1;
  return shares;
}

inline std::unique_ptr<TransactionMix> tatp_of(const TatpSpec& spec,
                                               const MixClients& clients = {}) {
  return std::move(make_tatp(spec, clients)).value();
}

// How often GND finds a row of forwarding in the specification: by the existing slots (none, any
// one, any two or all, each number equally often), the drawn slot, and the drawn hour.
inline double new_destinations() {
  const std::vector<double> weights = {3, 1, 1, 1, 1, 1, 1, 3};  // of 12
  double found = 0;
  for (unsigned slots = 0; slots < 8; ++slots)
    for (unsigned last = 0; last < kTatpSlots; ++last)
      for (unsigned hour = 1; hour <= 24; ++hour) {
        double none = 1;
        for (unsigned slot = 0; slot <= last; ++slot) {
          double over = 0;  // of eight lengths
          for (unsigned hours = 1; hours <= kSlotHours; ++hours)
            over += slot * kSlotHours + hours <= hour ? 1 : 0;
          if ((slots >> slot & 1U) != 0) none *= over / kSlotHours;
        }
        found += weights[slots] / 12 / kTatpSlots / 24 * (1 - none);
      }
  return 0.625 * 0.85 * found;  // the facility exists, and it is active
}

inline const std::vector<double> kTatpShares = {35, 10, 35, 2, 14, 2, 2};

}  // namespace latchlab

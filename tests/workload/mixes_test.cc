// Transactions as sections, and what sections of object stores and indexes request.
#include "core/workload/transactions/mixes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "core/scenario/index.h"
#include "core/workload/micro.h"
#include "tests/workload/wanted.h"

namespace latchlab {
namespace {

constexpr ClientId kFirst{0};

WorkloadSpec transactions(MixKind mix) {
  WorkloadSpec spec;
  spec.kind = WorkloadKind::transactions;
  spec.transactions.mix = mix;
  spec.transactions.subscribers = 1000;
  spec.transactions.accounts = 1000;
  return spec;
}

std::uint64_t locks_of(const WorkloadSpec& spec, std::uint32_t clients) {
  return make_mix({spec, 1, 0, clients, 1, 2}).value()->locks();
}

class EachMix : public testing::TestWithParam<std::tuple<MixKind, bool>> {};

// The maximum decides which locks are refused, so it must not be too small.
TEST_P(EachMix, requests_at_least_one_lock_and_at_most_its_maximum) {
  WorkloadSpec spec = transactions(std::get<0>(GetParam()));
  spec.transactions.original = std::get<1>(GetParam());
  const std::uint64_t locks = locks_of(spec, 4);
  const auto sections = std::move(make_transactions({spec, locks, 0, 4, 1, 2})).value();
  std::size_t most = 0;
  for (int i = 0; i < 20'000; ++i) {
    const SectionWanted wanted = wanted_of(*sections, ClientId{static_cast<std::uint32_t>(i % 4)});
    ASSERT_FALSE(wanted.parts.empty());
    std::set<std::uint64_t> numbers;
    for (const PartWanted& part : wanted.parts) {
      ASSERT_LT(part.lock.value, locks);
      ASSERT_TRUE(part.mode.has_value());
      ASSERT_TRUE(numbers.insert(part.lock.value).second);
    }
    most = std::max(most, wanted.parts.size());
  }
  EXPECT_LE(most, sections->most_parts());
  EXPECT_GT(most, 1U);
}

INSTANTIATE_TEST_SUITE_P(all, EachMix,
                         testing::Combine(testing::Values(MixKind::tatp, MixKind::tpcc_blocks,
                                                          MixKind::tpcc_rows, MixKind::smallbank),
                                          testing::Bool()));

TEST(Transactions, over_too_few_locks_are_refused) {
  const WorkloadSpec spec = transactions(MixKind::smallbank);
  const auto refused = make_transactions({spec, 1999, 0, 1, 1});
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("set it to 2000"), std::string::npos);
  EXPECT_TRUE(make_transactions({spec, 2000, 0, 1, 1}));
}

MicroSetup setup_of(const WorkloadSpec& spec, std::uint64_t locks) {
  MicroSetup setup;
  setup.spec = spec;
  setup.locks.count = locks;
  setup.find_lock = [](LockId id) { return LockRef{id, RemoteAddr{NodeId{1}, 64 * id.value}}; };
  return setup;
}

TEST(Transactions, read_all_that_they_lock_and_acquire_it_in_the_requested_order) {
  WorkloadSpec spec = transactions(MixKind::tpcc_blocks);
  spec.transactions.original = true;
  spec.critical_section = microseconds(7);
  spec.remote_ops = 1;
  spec.object_bytes = 64;
  spec.patience = milliseconds(10);
  for (const bool sorted : {true, false}) {
    spec.locks_sorted = sorted;
    const auto workload = std::move(MicroWorkload::make(setup_of(spec, locks_of(spec, 1)))).value();
    bool ascending = true;
    for (int i = 0; i < 200; ++i) {
      Section section;
      ASSERT_TRUE(workload->next(kFirst, section));
      EXPECT_TRUE(section.transaction);
      EXPECT_EQ(section.work.reads, 1U);
      EXPECT_EQ(section.work.writes, 1U);
      EXPECT_EQ(section.work.bytes, 64U);
      EXPECT_EQ(section.work.hold, microseconds(7));
      EXPECT_EQ(section.patience, milliseconds(10));
      const auto later = [](const Want& one, const Want& other) {
        return one.lock.id.value < other.lock.id.value;
      };
      ascending = ascending && std::is_sorted(section.wants.begin(), section.wants.end(), later);
    }
    EXPECT_EQ(ascending, sorted);
  }
}

// All machines share the warehouses, so their number does not grow with the machines.
TEST(Transactions, with_common_homes_use_all_warehouses_from_all_machines) {
  for (const MixKind mix : {MixKind::tpcc_blocks, MixKind::tpcc_rows}) {
    WorkloadSpec spec = transactions(mix);
    spec.transactions.original = true;
    spec.transactions.warehouses = 2;
    const std::uint64_t own = locks_of(spec, 4);  // two clients on a machine
    spec.transactions.common_homes = true;
    ASSERT_EQ(locks_of(spec, 4) * 2, own);
    const std::uint64_t of_warehouse = own / 4;
    const auto sections = std::move(make_transactions({spec, own / 2, 0, 4, 1, 2})).value();
    for (std::uint32_t client = 0; client < 4; ++client) {
      std::set<std::uint64_t> homes;
      for (int i = 0; i < 100; ++i)
        homes.insert(wanted_of(*sections, ClientId{client}).parts[0].lock.value / of_warehouse);
      EXPECT_EQ(homes, (std::set<std::uint64_t>{0, 1}));
    }
  }
}

// A lock that can grant longer leases must know the length before it grants.
TEST(Transactions, with_a_scan_hold_their_lock_for_longer_and_announce_it) {
  WorkloadSpec spec = transactions(MixKind::tpcc_rows);
  spec.transactions.original = true;
  spec.transactions.scans_ppb = 500'000'000;
  spec.transactions.scan_time = milliseconds(15);
  spec.critical_section = microseconds(7);
  const auto workload = std::move(MicroWorkload::make(setup_of(spec, locks_of(spec, 1)))).value();
  int scans = 0;
  for (int i = 0; i < 200; ++i) {
    Section section;
    ASSERT_TRUE(workload->next(kFirst, section));
    const bool scan = section.wants.size() == 1;
    scans += scan ? 1 : 0;
    const Duration hold = microseconds(scan ? 15'007 : 7);
    EXPECT_EQ(section.work.hold, hold);
    EXPECT_EQ(section.options.expected_hold, hold);
  }
  EXPECT_NEAR(scans, 100, 30);
}

TEST(Objects, are_read_under_shared_and_written_under_exclusive_locks) {
  WorkloadSpec spec;
  spec.kind = WorkloadKind::object_store;
  spec.objects.bytes = 414;
  spec.read_ratio_ppb = 650'000'000;
  const auto workload = std::move(MicroWorkload::make(setup_of(spec, 100))).value();
  int gets = 0;
  for (int i = 0; i < 10'000; ++i) {
    Section section;
    ASSERT_TRUE(workload->next(kFirst, section));
    ASSERT_EQ(section.wants.size(), 1U);
    EXPECT_EQ(section.work.bytes, 416U);
    const bool get = section.wants[0].mode == LockMode::shared;
    EXPECT_EQ(section.work.reads, get ? 1U : 0U);
    EXPECT_EQ(section.work.writes, get ? 0U : 1U);
    gets += get ? 1 : 0;
  }
  EXPECT_NEAR(gets, 6500, 200);  // four standard deviations
}

TEST(Index, locks_the_leaf_for_an_update_and_reads_the_path_of_a_lookup) {
  WorkloadSpec spec;
  spec.kind = WorkloadKind::index;
  spec.index = {.keys = 1000, .leaf_keys = 10, .fanout = 10, .uncached_levels = 2};
  ASSERT_EQ(leaves_of(spec.index), 100U);
  ASSERT_EQ(inner_levels_of(spec.index), 2U);
  ASSERT_EQ(nodes_of(spec.index), 111U);
  spec.read_ratio_ppb = 500'000'000;
  const auto sections = std::move(make_parts({spec, 111, 0, 1, 1})).value();
  int lookups = 0;
  for (int i = 0; i < 1000; ++i) {
    const SectionWanted wanted = wanted_of(*sections, kFirst);
    const bool lookup = wanted.parts.empty();
    ASSERT_EQ(wanted.lookups.size(), lookup ? 3U : 2U);
    const LockId leaf = lookup ? wanted.lookups[2] : wanted.parts[0].lock;
    EXPECT_LT(leaf.value, 100U);
    EXPECT_EQ(wanted.lookups[0], LockId{110});  // the root
    EXPECT_EQ(wanted.lookups[1], LockId{100 + leaf.value / 10});
    EXPECT_EQ(wanted.bytes, 1024U);
    lookups += lookup ? 1 : 0;
    if (lookup) continue;
    EXPECT_EQ(wanted.parts[0].mode, LockMode::exclusive);
    EXPECT_EQ(wanted.write_bytes, 16U);
  }
  EXPECT_NEAR(lookups, 500, 70);
}

}  // namespace
}  // namespace latchlab

// Which sections the micro workload requests.
#include "core/workload/micro.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "core/workload/grouped.h"

namespace latchlab {
namespace {

constexpr ClientId kClient{0};

MicroSetup setup_of(std::uint64_t locks) {
  MicroSetup setup;
  setup.locks.count = locks;
  setup.find_lock = [](LockId id) { return LockRef{id, RemoteAddr{NodeId{1}, 64 * id.value}}; };
  setup.now = [](ClientId) { return Time{}; };
  setup.window = seconds(1);
  return setup;
}

std::unique_ptr<MicroWorkload> made(const MicroSetup& setup) {
  return std::move(MicroWorkload::make(setup)).value();
}

Section next(MicroWorkload& workload, ClientId client = kClient) {
  Section section;
  EXPECT_TRUE(workload.next(client, section));
  return section;
}

TEST(Sections, are_of_one_lock_unless_configured_otherwise) {
  const auto workload = made(setup_of(10));
  const Section section = next(*workload);
  EXPECT_EQ(section.wants.size(), 1U);
  EXPECT_EQ(section.wants[0].mode, LockMode::exclusive);
  EXPECT_EQ(section.upgrades, 0U);
  EXPECT_EQ(section.on_abort, OnAbort::retry);
  EXPECT_FALSE(section.arrived.has_value());
  EXPECT_EQ(workload->held_at_once(), 1U);
}

// Each of the 20 ordered pairs of 5 locks has the same probability; each of 10 if sorted.
TEST(Sections, of_several_locks_have_distinct_locks_and_equally_likely_pairs) {
  constexpr int kDraws = 100'000;
  for (const bool sorted : {true, false}) {
    MicroSetup setup = setup_of(5);
    setup.spec.locks_per_section = 2;
    setup.spec.locks_sorted = sorted;
    const auto workload = made(setup);
    EXPECT_EQ(workload->held_at_once(), 2U);
    std::map<std::pair<std::uint64_t, std::uint64_t>, double> seen;
    for (int i = 0; i < kDraws; ++i) {
      const Section section = next(*workload);
      ASSERT_EQ(section.wants.size(), 2U);
      const auto first = section.wants[0].lock.id.value, second = section.wants[1].lock.id.value;
      ASSERT_NE(first, second);
      if (sorted) {
        ASSERT_LT(first, second);
      }
      ++seen[{first, second}];
    }
    const std::size_t pairs = sorted ? 10 : 20;
    ASSERT_EQ(seen.size(), pairs);
    double chi_square = 0;
    const double expected = kDraws / static_cast<double>(pairs);
    for (const auto& [pair, times] : seen) chi_square += std::pow(times - expected, 2) / expected;
    EXPECT_LT(chi_square, sorted ? 27.9 : 43.8);  // 9 and 19 degrees of freedom: 1 in 1000
  }
}

TEST(Sections, of_all_locks_are_found_even_if_one_lock_takes_all_accesses) {
  MicroSetup setup = setup_of(4);
  setup.spec.distribution.kind = DistributionKind::hotspot;
  setup.spec.distribution.hot_locks_ppb = 1;
  setup.spec.distribution.hot_accesses_ppb = 1'000'000'000;
  setup.spec.locks_per_section = 4;
  const auto workload = made(setup);
  const Section section = next(*workload);
  for (std::uint64_t i = 0; i < 4; ++i) EXPECT_EQ(section.wants[i].lock.id, LockId{i});
}

TEST(Sections, for_update_are_shared_and_upgraded_as_often_as_configured) {
  constexpr int kDraws = 100'000;
  MicroSetup setup = setup_of(10);
  setup.spec.read_ratio_ppb = 500'000'000;
  setup.spec.update_ratio_ppb = 300'000'000;
  setup.spec.upgrade_ratio_ppb = 250'000'000;
  setup.spec.locks_per_section = 2;
  const auto workload = made(setup);
  std::map<LockMode, int> modes;
  int upgraded = 0;
  for (int i = 0; i < kDraws; ++i) {
    const Section section = next(*workload);
    EXPECT_EQ(section.wants[0].mode, section.wants[1].mode);
    ++modes[section.wants[0].mode];
    EXPECT_TRUE(section.upgrades == 0 || section.wants[0].mode == LockMode::update);
    EXPECT_TRUE(section.upgrades == 0 || section.upgrades == 2);
    if (section.upgrades > 0) ++upgraded;
  }
  EXPECT_NEAR(modes[LockMode::shared], 50'000, 800);  // five standard deviations
  EXPECT_NEAR(modes[LockMode::update], 30'000, 730);
  EXPECT_NEAR(modes[LockMode::exclusive], 20'000, 640);
  EXPECT_NEAR(upgraded, 7'500, 420);
}

TEST(Sections, access_objects_by_reads_or_writes_as_their_mode_allows) {
  MicroSetup setup = setup_of(10);
  setup.spec.remote_ops = 3;
  setup.spec.object_bytes = 64;
  setup.spec.read_ratio_ppb = 300'000'000;
  setup.spec.update_ratio_ppb = 400'000'000;
  setup.spec.upgrade_ratio_ppb = 500'000'000;
  const auto workload = made(setup);
  for (int i = 0; i < 1000; ++i) {
    const Section section = next(*workload);
    const LockMode mode = section.wants[0].mode;
    const bool writes = mode == LockMode::exclusive || section.upgrades > 0;
    EXPECT_EQ(section.work.writes, writes ? 3U : 0U);
    EXPECT_EQ(section.work.reads, writes ? 0U : 3U);
    EXPECT_EQ(section.work.bytes, 64U);
  }
}

TEST(Sections, have_the_configured_reaction_to_an_abort) {
  MicroSetup setup = setup_of(10);
  setup.spec.gives_back = true;
  setup.spec.retry_pause = microseconds(3);
  const Section section = next(*made(setup));
  EXPECT_EQ(section.on_abort, OnAbort::give_back);
  EXPECT_EQ(section.pause, microseconds(3));
}

TEST(Sections, of_a_script_are_those_of_their_client_in_order_of_time) {
  MicroSetup setup = setup_of(10);
  setup.clients = 2;
  setup.now = [](ClientId) { return Time{} + seconds(5); };  // a clock that is ahead
  setup.spec.arrivals.kind = ArrivalKind::script;
  setup.spec.arrivals.script = {{microseconds(9), 1, 4, ScriptedArrival::Mode::shared},
                                {microseconds(1), 0, 3, ScriptedArrival::Mode::exclusive},
                                {microseconds(2), 1, 5, ScriptedArrival::Mode::update}};
  const auto workload = made(setup);
  const Section first = next(*workload, ClientId{1});
  EXPECT_EQ(first.arrived, Time{} + seconds(5) + microseconds(2));
  EXPECT_EQ(first.wants[0].lock.id, LockId{5});
  EXPECT_EQ(first.wants[0].mode, LockMode::update);
  EXPECT_EQ(next(*workload, ClientId{1}).wants[0].mode, LockMode::shared);
  Section none;
  EXPECT_FALSE(workload->next(ClientId{1}, none));
  EXPECT_EQ(next(*workload, ClientId{0}).wants[0].lock.id, LockId{3});
}

TEST(Sections, that_arrive_at_random_divide_the_rate_among_clients) {
  MicroSetup setup = setup_of(10);
  setup.clients = 4;
  setup.spec.arrivals = {ArrivalKind::poisson, 1'000'000, {}};
  const auto workload = made(setup);
  std::vector<Time> last;
  for (std::uint32_t client = 0; client < 4; ++client) {
    Section section;
    for (int i = 0; i < 10'000; ++i) section = next(*workload, ClientId{client});
    EXPECT_NEAR((*section.arrived - Time{}).seconds(), 40e-3, 2e-3);  // 5 standard deviations
    last.push_back(*section.arrived);
  }
  EXPECT_NE(last[0], last[1]);
  EXPECT_EQ(workload->start_offset(kClient), Duration{});
}

// A group's clients draw what they would draw alone: random streams belong to clients of the run.
TEST(Sections, of_groups_are_drawn_by_each_clients_own_streams) {
  MicroSetup one = setup_of(1000), two = setup_of(1000);
  two.first_client = 1;
  two.clients = 2;
  two.spec.read_ratio_ppb = 1'000'000'000;
  MicroSetup all = setup_of(1000);
  all.clients = 3;
  const auto grouped = std::move(GroupedWorkload::make({one, two})).value();
  const auto whole = made(all);
  for (const ClientId client : {ClientId{2}, ClientId{0}, ClientId{1}}) {
    Section section;
    ASSERT_TRUE(grouped->next(client, section));
    EXPECT_EQ(section.wants[0].lock.id, next(*whole, client).wants[0].lock.id);
    EXPECT_EQ(section.wants[0].mode, client.value == 0 ? LockMode::exclusive : LockMode::shared);
  }
}

}  // namespace
}  // namespace latchlab

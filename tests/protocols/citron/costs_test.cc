// The verbs and round trips of citron.

#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "tests/conformance/simulation.h"
#include "tests/protocols/harness.h"

#if LATCHLAB_WITH_SIMGRID

namespace latchlab::citron_tests {
namespace {

using namespace testing;
using K = VerbKind;

// One client without contention, in the simulator: the cost of each acquisition and each release.
struct Spent {
  ActorTally verbs;
  double trips = 0;
};
struct CycleCost {
  Spent acquire, release;
};

// A leg takes 100 us, so that all other costs hardly count.
constexpr Duration kLeg = microseconds(100);

class Alone {
 public:
  Alone(ParamValues params, std::vector<Extent> extents) : extents_(std::move(extents)) {
    const ProtocolEntry& entry = *find_protocol("citron");
    ParamSet set = entry.info.resolve("repaired");
    set.set("t_wait", seconds(1));  // no client is too late
    set.set("split_time", Duration{});
    set.set(params);
    protocol_ = entry.make(set);
    WorldShape shape;
    world_ = std::make_unique<World>(*protocol_, shape);
    SimgridOptions options = plain_options();
    options.clocks = {};
    options.nic.jitter = Duration{};
    options.nic.one_way = kLeg;
    backend_ = make_simgrid(world_->plan(), options);
    world_->attach(*backend_);
  }

  std::vector<CycleCost> run() {
    backend_->spawn(world_->verbs(ClientId{0}), all(), Time{});
    EXPECT_EQ(backend_->run_until(Time{} + seconds(100)), RunEnd::finished);
    EXPECT_EQ(turns_.size(), extents_.size());
    turns_.resize(extents_.size());
    return turns_;
  }

 private:
  Task<void> all() {
    Verbs& verbs = world_->verbs(ClientId{0});
    LockClient& client = world_->client(ClientId{0});
    for (const Extent& extent : extents_) {
      CycleCost turn;
      Time since = verbs.now();
      const Want want{world_->lock(LockId{0}), LockMode::exclusive, extent, GrantId{}};
      const AcquireResult result = co_await client.acquire(want, {});
      turn.acquire = spent(verbs, since);
      const Grant grant = std::get<Grant>(result);
      since = verbs.now();
      co_await client.release(grant);
      turn.release = spent(verbs, since);
      turns_.push_back(turn);
    }
  }
  static Spent spent(Verbs& verbs, Time since) {
    const double length = (verbs.now() - since).nanoseconds();
    return {std::exchange(verbs.tally(), ActorTally{}), length / (kLeg * 2).nanoseconds()};
  }

  std::vector<Extent> extents_;
  std::vector<CycleCost> turns_;
  std::unique_ptr<Protocol> protocol_;
  std::unique_ptr<World> world_;
  std::unique_ptr<Backend> backend_;
};

struct Kinds {
  std::uint32_t reads = 0, bits = 0, counts = 0, mutex = 0;  // READ, masked CAS, masked FAA, FAA
};

void expect_spent(const Spent& spent, const Kinds& verbs, double trips) {
  EXPECT_EQ(spent.verbs.reads(), verbs.reads);
  EXPECT_EQ(spent.verbs.of(K::masked_cas), verbs.bits);
  EXPECT_EQ(spent.verbs.of(K::masked_faa), verbs.counts);
  EXPECT_EQ(spent.verbs.of(K::faa), verbs.mutex);
  EXPECT_EQ(spent.verbs.one_sided(), verbs.reads + verbs.bits + verbs.counts + verbs.mutex);
  EXPECT_EQ(spent.verbs.calls + spent.verbs.sends, 0U);
  EXPECT_NEAR(spent.trips, trips, 0.05);
}

// Two round trips of 11 READs, and of a CAS, 3 FAAs and a READ; to release, one of a CAS and 3
// FAAs.
TEST(citron_timed, costs_of_a_leaf) {
  const CycleCost turn = Alone({}, {{5, 10}}).run()[0];
  expect_spent(turn.acquire, {.reads = 11 + 1, .bits = 1, .counts = 3}, 2);
  expect_spent(turn.release, {.bits = 1, .counts = 3}, 1);
}
TEST(citron_timed, costs_of_a_leaf_without_the_fast_path) {
  const CycleCost turn =
      Alone({{"batch_search", false}, {"batch_occupy", false}}, {{5, 10}}).run()[0];
  expect_spent(turn.acquire, {.reads = 11 + 1, .bits = 1, .counts = 3}, 3);
  expect_spent(turn.release, {.bits = 1, .counts = 3}, 1);
}

// A ticket with 10 READs; then a CAS of the node, four of leaves, FAAs at heights 2, 6 and 8, and a
// READ.
TEST(citron_timed, costs_of_a_node_above_leaves) {
  const CycleCost turn = Alone({}, {{0, 256}}).run()[0];
  expect_spent(turn.acquire, {.reads = 10 + 1, .bits = 1 + 4, .counts = 1 + 3}, 2);
  expect_spent(turn.release, {.bits = 4, .counts = 1 + 3}, 1);
}
TEST(citron_timed, costs_of_a_node_above_leaves_that_waits) {
  const ParamValues waits = {{"lock_children", false}, {"t_wait", kLeg * 6}};
  const CycleCost turn = Alone(waits, {{0, 256}}).run()[0];
  expect_spent(turn.acquire, {.reads = 10 + 1 + 1, .bits = 1, .counts = 1 + 3}, 3 + 3);
  expect_spent(turn.release, {.counts = 1 + 3}, 1);
}

// At height 5: T_wait, and a READ for each of m levels.
TEST(citron_timed, costs_of_an_inner_node) {
  const CycleCost turn = Alone({{"t_wait", kLeg * 6}}, {{0, 65'536}}).run()[0];
  expect_spent(turn.acquire, {.reads = 6 + 1 + 4, .bits = 1, .counts = 1 + 2}, 3 + 3);
  expect_spent(turn.release, {.counts = 1 + 2}, 1);
}
TEST(citron_timed, costs_of_an_inner_node_without_the_fast_path) {
  const ParamValues params = {
      {"t_wait", kLeg * 8}, {"batch_search", false}, {"batch_occupy", false}};
  const CycleCost turn = Alone(params, {{0, 65'536}}).run()[0];
  // T_wait begins when Occ is set; a round trip ends when the ancestors have been notified.
  expect_spent(turn.acquire, {.reads = 6 + 1 + 4, .bits = 1, .counts = 1 + 2}, 4 + 4);
  expect_spent(turn.release, {.counts = 1 + 2}, 1);
}

// Two leaves are acquired one after the other and released at once.
TEST(citron_timed, costs_of_two_leaves) {
  const CycleCost turn = Alone({}, {{60, 10}}).run()[0];
  expect_spent(turn.acquire, {.reads = 2 * 12, .bits = 2, .counts = 2 * 3}, 4);
  expect_spent(turn.release, {.bits = 2, .counts = 2 * 3}, 1);
}

// The mutex is acquired before and released after.
TEST(citron_timed, costs_of_units_beyond_the_tree) {
  const std::vector<CycleCost> turns = Alone({}, {{(1 << 28) - 1, 2}, {1 << 28, 5}}).run();
  expect_spent(turns[0].acquire, {.reads = 12, .bits = 1 + 1, .counts = 3, .mutex = 1}, 3);
  expect_spent(turns[0].release, {.bits = 1, .counts = 3, .mutex = 1}, 2);
  expect_spent(turns[1].acquire, {.reads = 1, .bits = 1, .mutex = 1}, 2);
  expect_spent(turns[1].release, {.mutex = 1}, 1);
}

TEST(citron_timed, choosing_nodes_costs_cpu_time_and_no_round_trip) {
  const std::vector<CycleCost> turns =
      Alone({{"split_time", kLeg}, {"t_wait", kLeg * 6}}, {{0, 64}, {0, 65'536}}).run();
  EXPECT_NEAR(turns[0].acquire.trips, 2, 0.05);  // one leaf needs no choosing
  EXPECT_NEAR(turns[1].acquire.trips, 6.5, 0.05);
}

}  // namespace
}  // namespace latchlab::citron_tests

#endif

// sherman's locks in the memory of the server's RNIC and in that of its host.

#if LATCHLAB_WITH_SIMGRID

#include <algorithm>

#include "tests/conformance/simulation.h"
#include "tests/protocols/harness.h"

namespace latchlab::sherman_tests {
namespace {

constexpr std::uint32_t kClients = 4;  // on a node each, of a lock each

// The RNIC's memory is slow, and so is the path through it to host memory, so that the times show
// which one was used.
constexpr Duration kAtomic = milliseconds(1);
constexpr Duration kWrite = milliseconds(2);
constexpr Duration kCrossing = milliseconds(5);
constexpr Duration kSoon = microseconds(100);

SimgridOptions slow_memory() {
  SimgridOptions options = plain_options();
  options.clocks = {};
  options.nic.device_hold_8 = kAtomic;
  options.nic.device_write = kWrite;
  options.nic.pcie_per_verb = kCrossing;
  return options;
}

struct Taken {
  std::vector<Duration> to_take;
  std::vector<Duration> to_leave;
};

Task<void> take_own(World& world, ClientId me, Taken& taken) {
  Verbs& verbs = world.verbs(me);
  Time since = verbs.now();
  const Want want{world.lock(LockId{me.value})};
  const AcquireResult result = co_await world.client(me).acquire(want, {});
  taken.to_take.push_back(verbs.now() - since);
  co_await verbs.sleep(Time{} + seconds(1) - verbs.now());
  since = verbs.now();
  const Grant held = std::get<Grant>(result);
  co_await world.client(me).release(held);
  taken.to_leave.push_back(verbs.now() - since);
}

// All clients acquire at the same time and release at the same time.
Taken taken_at_once(World& world) {
  const auto backend = make_simgrid(world.plan(), slow_memory());
  world.attach(*backend);
  Taken taken;
  for (std::uint32_t i = 0; i < kClients; ++i)
    backend->spawn(world.verbs(ClientId{i}), take_own(world, ClientId{i}, taken), Time{});
  EXPECT_EQ(backend->run_until(testing::end_of_run(kNever)), RunEnd::finished);
  EXPECT_EQ(taken.to_leave.size(), kClients);
  for (std::vector<Duration>* each : {&taken.to_take, &taken.to_leave})
    std::sort(each->begin(), each->end());
  return taken;
}

class ShermanTable : public ::testing::TestWithParam<bool> {
 protected:
  ShermanTable() {
    const ProtocolEntry& entry = *find_protocol("sherman");
    lock_ = entry.make(entry.info.resolve("reconstructed"));
    WorldShape shape;
    shape.client_nodes = shape.locks.count = kClients;
    shape.clients_per_node = 1;
    shape.locks.device_memory = GetParam();
    world_ = std::make_unique<World>(*lock_, shape);
  }
  std::unique_ptr<Protocol> lock_;
  std::unique_ptr<World> world_;
};
INSTANTIATE_TEST_SUITE_P(timed, ShermanTable, ::testing::Bool(), [](const auto& made) {
  return std::string(made.param ? "device" : "host");
});

TEST_P(ShermanTable, lies_in_the_memory_that_was_chosen) {
  const WorldPlan plan = world_->plan();
  for (std::uint64_t i = 0; i < kClients; ++i) {
    const RemoteAddr entry = world_->lock(LockId{i}).entry;
    const std::uint64_t on_device = plan.nodes[entry.node.value - 1U].device_bytes;
    EXPECT_EQ(entry.offset + world_->entry_bytes() <= on_device, GetParam());
    EXPECT_EQ(entry.offset < on_device, GetParam());
  }
}

// In the RNIC's memory, atomics and WRITEs take that memory's time and cross no bus. In host memory
// they wait for each other on the bus.
TEST_P(ShermanTable, costs_what_the_memory_costs_in_which_it_lies) {
  const Taken seen = taken_at_once(*world_);
  if (GetParam()) {
    EXPECT_GE(seen.to_take.front(), kAtomic);
    EXPECT_LT(seen.to_take.back(), kAtomic + kSoon);
    EXPECT_GE(seen.to_leave.front(), kWrite);
    EXPECT_LT(seen.to_leave.back(), kWrite + kSoon);
    return;
  }
  for (const std::vector<Duration>& each : {seen.to_take, seen.to_leave}) {
    EXPECT_LT(each.front(), kSoon);
    EXPECT_GE(each.back(), kCrossing * (kClients - 1));
    EXPECT_LT(each.back(), kCrossing * (kClients - 1) + kSoon);
  }
}

// With packed locks at least `apart_bytes` apart, the last client waits for `atomics` atomics, its
// own included, both when each client acquires a lock of its own and when each releases it.
void expect_in_a_row(std::uint64_t apart_bytes, int atomics) {
  const ProtocolEntry& entry = *find_protocol("sherman");
  const auto lock = entry.make(entry.info.resolve("packed"));
  WorldShape shape;
  shape.client_nodes = shape.locks.count = kClients;
  shape.clients_per_node = 1;
  shape.locks.device_memory = true;
  shape.locks.stride_bytes = apart_bytes;
  World world(*lock, shape);
  const Taken seen = taken_at_once(world);
  for (const std::vector<Duration>* each : {&seen.to_take, &seen.to_leave}) {
    EXPECT_GE(each->front(), kAtomic);
    EXPECT_LT(each->front(), kAtomic + kSoon);
    EXPECT_GE(each->back(), kAtomic * atomics);
    EXPECT_LT(each->back(), kAtomic * atomics + kSoon);
  }
}

// To the RNIC a word is one address, whichever of its locks a client wants.
TEST(timed, sherman_packed_locks_wait_for_other_locks_of_their_word) {
  expect_in_a_row(0, kClients);
}
TEST(timed, sherman_packed_locks_in_separate_words_do_not_wait_for_each_other) {
  expect_in_a_row(8, 1);
}

}  // namespace
}  // namespace latchlab::sherman_tests

#endif

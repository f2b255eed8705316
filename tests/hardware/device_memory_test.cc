// Tables in the RNIC's own memory. The conformance suite, which runs over device memory as well,
// checks that locks find the same in it as in host memory.

#include "backends/ibverbs/memory.h"
#include "tests/hardware/pair.h"
#include "tests/hardware/worlds.h"

namespace latchlab::ib {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr std::uint64_t kFrom = 4096;
constexpr std::uint64_t kTo = 12 * 1024;

class DeviceMemoryOf : public Worlds {
 protected:
  void SetUp() override {
    Worlds::SetUp();
    if (!on_hardware()) return;
    device_ = must(Device::open({}));
    if (device_->facts().own_memory == 0) GTEST_SKIP() << "needs a device with memory of its own";
  }
  // Zeros except for a word of each kind.
  std::unique_ptr<Memory> memory_with(Memory::OnDevice where) {
    const auto image = [](NodeId, std::uint64_t offset, std::span<std::uint64_t> words) {
      for (std::size_t i = 0; i < words.size(); ++i) words[i] = first_value(offset + 8 * i);
    };
    return must(Memory::make(*device_, kServer, kBytes, image, where));
  }
  // The error of a world whose server has so many bytes of device memory.
  static std::string refusal(std::uint64_t bytes, bool agents) {
    WorldPlan plan;
    plan.nodes = {{kServer, bytes, true, true, bytes}};
    plan.clients = 1;
    IbverbsOptions options;
    options.software_atomics = agents;
    const auto made = make_ibverbs(plan, options);
    return made.ok() ? "" : made.error().text();
  }

  std::unique_ptr<Device> device_;
};

TEST_F(DeviceMemoryOf, an_rnic_covers_only_the_requested_range) {
  const auto memory = memory_with({kFrom, kTo});
  const Region& there = memory->on_device();
  EXPECT_EQ(there.address_of(kFrom + 8), 8U);
  EXPECT_EQ(there.bytes, kTo - kFrom);
  EXPECT_NE(there.remote_key, memory->table().remote_key);
  EXPECT_EQ(memory->find(kFrom, 8)->remote_key, there.remote_key);
  EXPECT_EQ(memory->find(kTo - 8, 8)->remote_key, there.remote_key);
  EXPECT_EQ(memory->find(kFrom - 8, 8)->remote_key, memory->table().remote_key);
  EXPECT_EQ(memory->find(kTo, 8)->remote_key, memory->table().remote_key);
  EXPECT_FALSE(memory->find(kFrom - 8, 16)) << "half of it is elsewhere";
  EXPECT_FALSE(memory->find(kTo - 8, 16)) << "half of it is elsewhere";
  for (const std::uint64_t at : {kFrom - 8, kFrom, kTo - 8, kTo})
    EXPECT_EQ(memory->peek(at), first_value(at));
  memory->poke(kFrom, 7);
  EXPECT_EQ(memory->peek(kFrom), 7U);
}

TEST_F(DeviceMemoryOf, an_rnic_is_not_accessible_to_the_cpu) {
  const auto memory = memory_with({kFrom, kTo});
  EXPECT_EQ(*memory->word(kTo), first_value(kTo));
  EXPECT_DEATH(memory->word(kTo - 8), "CPU access to memory of an RNIC");
  EXPECT_DEATH(memory->host(kFrom - 8, 16), "CPU access to memory of an RNIC");
}

// A peer that reached host memory at these offsets would change words that the test does not read.
TEST_F(DeviceMemoryOf, a_server_is_reached_by_verbs_of_peers) {
  WorldPlan plan;
  plan.nodes = {{kServer, kBytes, true, false, kTo}, {kHere, kBytes, false, true}};
  plan.clients = 1;
  IbverbsOptions options;
  options.device_from = kFrom;
  const auto world = hardware_world(plan, options);
  Verbs& client = world->add_actor(ActorKind::client, kHere, ClientId{0});
  const auto body = [](Verbs& verbs) -> Task<void> {
    for (const std::uint64_t at : {kFrom - 8, kFrom, kTo - 8, kTo})
      co_await verbs.fetch_add(RemoteAddr{kServer, at}, at);
    const Completion beyond = co_await verbs.read(RemoteAddr{kServer, kTo - 8}, 16);
    EXPECT_EQ(beyond.status, VerbStatus::access_error);
  };
  world->spawn(client, body(client), Time{});
  EXPECT_EQ(world->run_until(Time{} + seconds(60)), RunEnd::finished);
  for (const std::uint64_t at : {kFrom - 8, kFrom, kTo - 8, kTo})
    EXPECT_EQ(world->peek({kServer, at}), at);
}

TEST_F(DeviceMemoryOf, an_rnic_is_freed_with_the_world) {
  const std::uint64_t most = device_->facts().own_memory / 4096 * 4096;
  for (int i = 0; i < 3; ++i) EXPECT_EQ(refusal(most, false), "") << i;
}

TEST_F(DeviceMemoryOf, an_rnic_that_is_too_small_is_an_error_that_names_both_sizes) {
  const std::uint64_t most = device_->facts().own_memory;
  EXPECT_THAT(refusal(most + 4096, false),
              AllOf(HasSubstr(std::to_string(most + 4096)), HasSubstr(std::to_string(most)),
                    HasSubstr("locks.memory: host")));
}

TEST_F(DeviceMemoryOf, an_rnic_is_refused_with_agents) {
  EXPECT_THAT(refusal(kTo, true), HasSubstr("agents"));
}

TEST(DeviceMemoryOfNone, is_refused_with_a_fix) {
  if (!on_hardware()) GTEST_SKIP() << "needs an RDMA device and LATCHLAB_WORLD=ibverbs";
  const auto device = must(Device::open({}));
  if (device->facts().own_memory > 0) GTEST_SKIP() << "needs a device without memory of its own";
  const auto made = DeviceMemory::make(*device, 4096);
  ASSERT_FALSE(made.ok());
  EXPECT_THAT(made.error().text(),
              AllOf(HasSubstr("max_dm_size is 0"), HasSubstr("locks.memory: host")));
}

}  // namespace
}  // namespace latchlab::ib

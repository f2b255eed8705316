#pragma once
// A world on this machine's RDMA device, all of it in this process: node 1 is a server, nodes 2 and
// 3 have clients.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

#include "core/world/backend.h"
#include "tests/conformance/hardware.h"

namespace latchlab::ib {

inline constexpr NodeId kServer{1};
inline constexpr NodeId kHere{2};
inline constexpr NodeId kThere{3};
inline constexpr std::uint64_t kBytes = 64 * 1024;

// The initial value of the word at this offset of any node.
constexpr std::uint64_t first_value(std::uint64_t offset) {
  return 0x0101'0101'0101'0101ULL * (1 + offset / 8 % 251);
}

class Worlds : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!on_hardware()) GTEST_SKIP() << "needs an RDMA device and LATCHLAB_WORLD=ibverbs";
  }
  void make(const IbverbsOptions& options = {}) {
    WorldPlan plan;
    plan.nodes = {{kServer, kBytes, true, false},
                  {kHere, kBytes, false, true},
                  {kThere, kBytes, false, true}};
    plan.clients = 16;
    plan.image = [](NodeId, std::uint64_t offset, std::span<std::uint64_t> words) {
      for (std::size_t i = 0; i < words.size(); ++i) words[i] = first_value(offset + 8 * i);
    };
    world_ = hardware_world(plan, options);
  }
  Backend& world() { return *world_; }
  IbverbsBackend& hardware() { return dynamic_cast<IbverbsBackend&>(*world_); }
  void drop() { world_.reset(); }
  Verbs& add_client(NodeId node = kHere) {
    return world_->add_actor(ActorKind::client, node, ClientId{clients_++});
  }
  Verbs& add_server(CallHandler& handler) {
    Verbs& server = world_->add_actor(ActorKind::server, kServer, ClientId{});
    world_->serve_calls(server, handler);
    return server;
  }
  void spawn(Verbs& verbs, Task<void> body) { world_->spawn(verbs, std::move(body), Time{}); }
  // To be called before another world is created.
  void forget_clients() { clients_ = 0; }
  // Every client's body ends, within a time far longer than any working run takes.
  void run() { EXPECT_EQ(world_->run_until(Time{} + seconds(120)), RunEnd::finished); }

 private:
  std::unique_ptr<Backend> world_;
  std::uint32_t clients_ = 0;
};

}  // namespace latchlab::ib

#pragma once
// A small world for RMA-RW's tests in which each client runs a body of its own, and the costs of
// its acquisitions and releases are counted.

#include <functional>
#include <memory>
#include <vector>

#include "tests/protocols/harness.h"

namespace latchlab::rma_rw_tests {

using testing::number;
using testing::seeds;
using testing::text;

inline constexpr const char* kRepairedTree = "hpdc16_repaired";

struct Cost {
  std::uint64_t atomics = 0;
  std::uint64_t reads = 0;
  std::uint64_t writes = 0;
  std::uint64_t sends = 0;
  bool operator==(const Cost&) const = default;
};
inline void PrintTo(const Cost& cost, std::ostream* out) {
  *out << cost.atomics << " atomics, " << cost.reads << " reads, " << cost.writes << " writes, "
       << cost.sends << " sends";
}

struct Platform {
  std::uint32_t clients_per_node = 1;
  TopologySpec topology = {};
  std::unique_ptr<Backend> (*make)(const WorldPlan&) = nullptr;  // null: explorer, or hardware
};
// Racks of two nodes; the first node is the server.
inline Platform racks(std::uint32_t clients_per_node = 1) {
  Platform platform{clients_per_node};
  platform.topology.kind = TopologyKind::fat_tree;
  platform.topology.down = {2, 4};
  platform.topology.up = platform.topology.parallel = {1, 1};
  return platform;
}

class Scene {
 public:
  using Body = std::function<Task<void>(Scene&, ClientId)>;

  Scene(const std::string& profile, const ParamValues& sets, std::vector<Body> bodies,
        std::uint64_t seed, std::uint64_t locks = 1, const Platform& platform = {})
      : bodies_(std::move(bodies)), locks_(locks) {
    const ProtocolEntry& entry = *find_protocol("rma_rw");
    ParamSet params = entry.info.resolve(profile);
    for (const auto& [name, value] : sets) params.set(name, value);
    protocol_ = entry.make(params);
    WorldShape shape;
    shape.clients_per_node = platform.clients_per_node;
    shape.client_nodes = static_cast<std::uint32_t>(bodies_.size()) / shape.clients_per_node;
    shape.topology = platform.topology;
    shape.locks.count = locks;
    shape.seed = seed;
    world_ = std::make_unique<World>(*protocol_, shape);
    ExplorerOptions options;
    options.seed = seed;
    options.max_steps = 50'000;
    backend_ = platform.make ? platform.make(world_->plan())
                             : testing::make_world(world_->plan(), *protocol_, options);
    world_->attach(*backend_);
  }
  RunEnd run() {
    for (std::uint32_t i = 0; i < bodies_.size(); ++i)
      backend_->spawn(verbs(i), bodies_[i](*this, ClientId{i}), Time{});
    return backend_->run_until(testing::end_of_run(kNever));
  }

  Verbs& verbs(std::uint32_t client) { return world_->verbs(ClientId{client}); }
  LockClient& client(ClientId id) { return world_->client(id); }
  LockRef lock(std::uint64_t id = 0) { return world_->lock(LockId{id}); }
  // All entries, decoded.
  std::string entry() {
    std::string text;
    for (std::uint64_t id = 0; id < locks_; ++id)
      text += (id == 0 ? "" : "; ") + protocol_->decode(words(id));
    return text;
  }
  bool free() {
    for (std::uint64_t id = 0; id < locks_; ++id)
      if (!protocol_->is_free(lock(id).entry, words(id))) return false;
    return true;
  }
  const World& world() const { return *world_; }
  Backend& backend() { return *backend_; }
  std::uint64_t peek(RemoteAddr word) { return backend_->peek(word); }
  // What this client has spent since the last call.
  Cost cost(ClientId id) {
    ActorTally& tally = world_->verbs(id).tally();
    const Cost cost = {tally.atomics(), tally.reads(), tally.writes(), tally.sends};
    tally = {};
    return cost;
  }

 private:
  std::vector<std::uint64_t> words(std::uint64_t id) {
    std::vector<std::uint64_t> words;
    for (std::uint64_t at = 0; at < world_->entry_bytes(); at += 8)
      words.push_back(backend_->peek(lock(id).entry + at));
    return words;
  }

  std::vector<Body> bodies_;
  std::uint64_t locks_;
  std::unique_ptr<Protocol> protocol_;
  std::unique_ptr<World> world_;
  std::unique_ptr<Backend> backend_;
};

// What client `id` spent on acquisition and release, for each pair.
using Bill = std::vector<Cost>;

inline Task<void> pairs(Scene& scene, ClientId id, LockMode mode, int count, Bill* bill) {
  for (int i = 0; i < count; ++i) {
    Want want{scene.lock(), mode};
    const AcquireResult result = co_await scene.client(id).acquire(want, {});
    bill->push_back(scene.cost(id));
    const Grant grant = std::get<Grant>(result);
    co_await scene.client(id).release(grant);
    bill->push_back(scene.cost(id));
  }
}

// One client without contention.
inline Bill alone(const std::string& profile, const ParamValues& sets, LockMode mode, int count,
                  std::uint32_t nodes = 1) {
  Bill bill;
  std::vector<Scene::Body> bodies(nodes, [](Scene&, ClientId) -> Task<void> { co_return; });
  bodies.back() = [&](Scene& here, ClientId id) { return pairs(here, id, mode, count, &bill); };
  Scene scene(profile, sets, std::move(bodies), 1);
  EXPECT_EQ(scene.run(), RunEnd::finished);
  EXPECT_TRUE(scene.free()) << scene.entry();
  return bill;
}

}  // namespace latchlab::rma_rw_tests

#pragma once
// A small world for RMA-RW's tests in which each client follows a body of its own, and what its
// acquisitions and releases cost is counted.

#include <functional>
#include <memory>
#include <vector>

#include "tests/protocols/harness.h"

namespace latchlab::rma_rw_tests {

using testing::number;
using testing::seeds;
using testing::text;

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

class Scene {
 public:
  using Body = std::function<Task<void>(Scene&, ClientId)>;

  Scene(const std::string& profile, const ParamValues& sets, std::vector<Body> bodies,
        std::uint64_t seed, std::uint64_t locks = 1)
      : bodies_(std::move(bodies)) {
    const ProtocolEntry& entry = *find_protocol("rma_rw");
    ParamSet params = entry.info.resolve(profile);
    for (const auto& [name, value] : sets) params.set(name, value);
    protocol_ = entry.make(params);
    WorldShape shape;
    shape.client_nodes = static_cast<std::uint32_t>(bodies_.size());
    shape.locks.count = locks;
    shape.seed = seed;
    world_ = std::make_unique<World>(*protocol_, shape);
    ExplorerOptions options;
    options.seed = seed;
    options.max_steps = 50'000;
    backend_ = testing::make_world(world_->plan(), *protocol_, options);
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
  std::string entry() {
    const RemoteAddr at = lock().entry;
    const std::vector<std::uint64_t> words = {backend_->peek(at), backend_->peek(at + 8)};
    return protocol_->decode(words);
  }
  bool free() {
    const RemoteAddr at = lock().entry;
    const std::vector<std::uint64_t> words = {backend_->peek(at), backend_->peek(at + 8)};
    return protocol_->is_free(at, words);
  }
  // What this client has asked for since it was asked last.
  Cost cost(ClientId id) {
    ActorTally& tally = world_->verbs(id).tally();
    const Cost cost = {tally.atomics(), tally.reads(), tally.writes(), tally.sends};
    tally = {};
    return cost;
  }

 private:
  std::vector<Body> bodies_;
  std::unique_ptr<Protocol> protocol_;
  std::unique_ptr<World> world_;
  std::unique_ptr<Backend> backend_;
};

// What client `id` has paid for acquisition and release, one pair after the other.
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

// Nobody else is there.
inline Bill alone(const std::string& profile, const ParamValues& sets, LockMode mode, int count) {
  Bill bill;
  Scene scene(profile, sets,
              {[&](Scene& here, ClientId id) { return pairs(here, id, mode, count, &bill); }}, 1);
  EXPECT_EQ(scene.run(), RunEnd::finished);
  EXPECT_TRUE(scene.free()) << scene.entry();
  return bill;
}

}  // namespace latchlab::rma_rw_tests

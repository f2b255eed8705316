#pragma once
// One client without contention, in the simulator: the cost of each acquisition and each release.

#if LATCHLAB_WITH_SIMGRID

#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "tests/conformance/simulation.h"
#include "tests/protocols/harness.h"

namespace latchlab::citron_tests {

struct Spent {
  ActorTally verbs;
  double trips = 0;
};
struct CycleCost {
  Spent acquire, release;
};

// A leg takes 100 us, so that all other costs hardly count.
inline constexpr Duration kLeg = microseconds(100);

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

}  // namespace latchlab::citron_tests

#endif

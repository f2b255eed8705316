#pragma once
// Runs in which some clients live on the node of the lock, and an observer that records whether the
// cohorts keep their order and take turns.

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "tests/protocols/promises.h"

namespace latchlab::alock_tests {

// Lock 0 is on the first node. The clients of that node are the local cohort, all other clients the
// remote one.
inline testing::RunSetup cohorts(std::uint32_t nodes, std::uint32_t clients_per_node,
                                 const std::string& profile = "") {
  testing::RunSetup setup;
  setup.protocol = "alock";
  setup.profile = profile;
  setup.client_nodes = setup.servers = nodes;
  setup.clients_per_node = clients_per_node;
  setup.colocated = true;
  return setup;
}

// For one lock, the order in which the clients of each cohort arrived and acquired it.
class Turns final : public LoopObserver, public FirstEffect::Listener {
 public:
  void watch(const World& world) { world_ = &world; }

  void acquire_begins(ClientId client, const Want&) override {
    FirstEffect& effect = world_->verbs(client).first_effect();
    effect.listener = this;
    effect.arm();
  }
  void first_effect(ClientId client) override { waiting_[cohort(client)].push_back(client); }
  void acquired(ClientId client, const Grant&) override {
    const std::size_t mine = cohort(client);
    std::vector<ClientId>& queue = waiting_[mine];
    if (queue.front() != client) ++out_of_order_[mine];
    queue.erase(std::find(queue.begin(), queue.end(), client));
    in_a_row_[1 - mine] = 0;
    in_a_row_[mine] = waiting_[1 - mine].empty() ? 0 : in_a_row_[mine] + 1;
    longest_[mine] = std::max(longest_[mine], in_a_row_[mine]);
  }

  // 0: the local cohort, 1: the remote one.
  std::uint64_t out_of_order(std::size_t cohort) const { return out_of_order_[cohort]; }
  // Consecutive grants while a client of the other cohort waited.
  std::uint64_t longest(std::size_t cohort) const { return longest_[cohort]; }

 private:
  std::size_t cohort(ClientId client) const {
    return world_->node_of(client) == world_->lock(LockId{0}).entry.node ? 0 : 1;
  }

  const World* world_ = nullptr;
  std::array<std::vector<ClientId>, 2> waiting_;
  std::array<std::uint64_t, 2> out_of_order_ = {}, in_a_row_ = {}, longest_ = {};
};

inline testing::Outcome run_watched(testing::RunSetup setup, std::uint64_t seed, Turns& turns) {
  setup.also = &turns;
  testing::CaseRun run(setup, seed);
  turns.watch(run.world());
  return run.go();
}

}  // namespace latchlab::alock_tests

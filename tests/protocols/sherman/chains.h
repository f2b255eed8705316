#pragma once
// How often sherman's lock is handed over within a node, as seen from outside: an acquisition
// without an atomic of its own.

#include <algorithm>
#include <vector>

#include "tests/protocols/promises.h"

namespace latchlab::sherman_tests {

using testing::crowd;
using testing::number;
using testing::Outcome;
using testing::RunSetup;
using testing::seeds;
using testing::text;

// Observes which clients of one lock acquire it in a row.
class Chains final : public LoopObserver {
 public:
  explicit Chains(std::uint32_t clients) : atomics_(clients) {}
  void watch(const World& world) { world_ = &world; }

  void acquired(ClientId client, const Grant&) override {
    const std::uint64_t now = world_->verbs(client).tally().atomics();
    const bool own = now != std::exchange(atomics_[client.value], now);
    in_a_row_ = own ? 0 : in_a_row_ + 1;
    handed_ += own ? 0 : 1;
    longest_ = std::max(longest_, in_a_row_);
  }
  void released(ClientId client, const Grant&, ReleaseResult) override {
    atomics_[client.value] = world_->verbs(client).tally().atomics();
  }

  std::uint64_t handed() const { return handed_; }
  std::uint64_t longest() const { return longest_; }

 private:
  const World* world_ = nullptr;
  std::vector<std::uint64_t> atomics_;  // by client, when it was last observed
  std::uint64_t handed_ = 0;
  std::uint64_t in_a_row_ = 0;
  std::uint64_t longest_ = 0;
};

struct Watched {
  Outcome outcome;
  std::uint64_t handed = 0;
  std::uint64_t longest = 0;
};

inline Watched watch(RunSetup setup, std::uint64_t seed) {
  Chains chains(setup.client_nodes * setup.clients_per_node);
  setup.also = &chains;
  testing::CaseRun run(setup, seed);
  chains.watch(run.world());
  Watched watched;
  watched.outcome = run.go();
  watched.handed = chains.handed();
  watched.longest = chains.longest();
  return watched;
}

inline RunSetup neighbours(const char* protocol, std::uint32_t nodes, std::uint32_t clients,
                           ParamValues params = {}) {
  RunSetup setup;
  setup.protocol = protocol;
  setup.client_nodes = nodes;
  setup.clients_per_node = clients;
  setup.operations = 6;
  setup.params = std::move(params);
  return setup;
}

// Four locks in a word of 8 bytes.
inline ParamValues packed(ParamValues more = {}) {
  more.insert(more.end(), {{"packed", true}, {"unlock_by", text("faa")}});
  return more;
}

// Clients hold all of three locks at once, repeatedly, and each of them exclusively.
inline void expect_sound_with_several_held(RunSetup setup) {
  setup.locks = 3;
  setup.section = [](ClientId, std::uint64_t count, const World& world, Section& section) {
    if (count >= 3) return false;
    for (const std::uint64_t id : {0, 1, 2}) section.wants.push_back(Want{world.lock(LockId{id})});
    section.work.hold = nanoseconds(20);
    return true;
  };
  const std::uint64_t clients = setup.client_nodes * setup.clients_per_node;
  for (std::uint64_t seed = 1; seed <= seeds(100); ++seed) {
    const Outcome outcome = testing::run(setup, seed);
    ASSERT_EQ(outcome.end, RunEnd::finished) << "seed " << seed;
    ASSERT_TRUE(outcome.safe()) << outcome.violation;
    ASSERT_EQ(outcome.acquired, 3 * 3 * clients);
  }
}

}  // namespace latchlab::sherman_tests

#pragma once
// The phases (core/verbs/phases.h) of acquisitions and releases, whose lengths runs report, and the
// labelled paths that they take.

#include <optional>
#include <set>
#include <string>
#include <utility>
#include <variant>

#include "tests/protocols/promises.h"

namespace latchlab::testing {

class Marks final : public PhaseSink {
 public:
  void mark(Phase phase) override {
    text_ += " " + std::string(kPhaseNames.at(static_cast<std::size_t>(phase)));
  }
  void was(Phase phase) override { mark(phase); }
  void recovery_begins() override {}
  void recovery_ends() override {}
  std::string taken() { return std::exchange(text_, {}); }

 private:
  std::string text_;
};

inline Task<void> marked_rounds(World& world, ClientId me, const RunSetup& setup,
                                std::set<std::string>& seen) {
  Verbs& verbs = world.verbs(me);
  Marks marks;
  verbs.measure_phases(&marks);
  for (std::uint64_t i = 0; i < setup.operations; ++i) {
    const bool shared = verbs.random(100) < setup.shared_percent;
    const Want want{world.lock(LockId{0}), shared ? LockMode::shared : LockMode::exclusive};
    const AcquireResult result = co_await world.client(me).acquire(want, {});
    seen.insert("acquire" + marks.taken());
    const Grant* const grant = std::get_if<Grant>(&result);
    if (grant == nullptr) break;
    const Grant held = *grant;
    co_await verbs.sleep(setup.hold);
    co_await world.client(me).release(held);
    seen.insert("release" + marks.taken());
  }
  verbs.measure_phases(nullptr);
}

// The phases of every acquisition and release in many orders, as "acquire IA RT"; or of one client
// only.
inline std::set<std::string> phases_of(const RunSetup& setup,
                                       std::optional<std::uint32_t> of = {}) {
  std::set<std::string> seen;
  std::set<std::string> others;
  const auto protocol =
      find_protocol(setup.protocol)->make(params_of(setup, *find_protocol(setup.protocol)));
  for (std::uint64_t seed = 1; seed <= seeds(100); ++seed) {
    WorldShape shape;
    shape.client_nodes = setup.client_nodes;
    shape.clients_per_node = setup.clients_per_node;
    shape.servers = setup.servers;
    shape.colocated = setup.colocated;
    shape.seed = seed;
    World world(*protocol, shape);
    ExplorerOptions options;
    options.seed = seed;
    options.max_steps = setup.max_steps;
    const auto backend = make_world(world.plan(), *protocol, options);
    world.attach(*backend);
    for (std::uint32_t i = 0; i < shape.clients(); ++i)
      backend->spawn(world.verbs(ClientId{i}),
                     marked_rounds(world, ClientId{i}, setup, of.value_or(i) == i ? seen : others),
                     Time{});
    EXPECT_EQ(backend->run_until(end_of_run(kNever)), RunEnd::finished) << "seed " << seed;
  }
  return seen;
}

// The labels that one run passes.
inline Labels reached_in(const RunSetup& setup, std::uint64_t seed, Outcome& outcome) {
  paths::forget();
  paths::record(true);
  outcome = run(setup, seed);
  paths::record(false);
  return labels(setup.protocol, true);
}

// The labels that many orders of a crowd pass.
inline Labels reached_by_crowd(const RunSetup& setup) {
  expect_reached(setup, {});
  return labels(setup.protocol, true);
}

}  // namespace latchlab::testing

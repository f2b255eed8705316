#pragma once
// Clients of one node in the simulator, which ask for one lock at times of their own, so that their
// order is known.

#if LATCHLAB_WITH_SIMGRID

#include <vector>

#include "tests/conformance/simulation.h"
#include "tests/protocols/harness.h"

namespace latchlab::sherman_tests {

struct Round {
  std::uint32_t clients = 1;
  ParamValues params = {};  // over the default profile's
  Duration apart = {};      // between two requests
  bool device_memory = false;
};

struct Rounds {
  ActorTally verbs;                  // of all clients
  std::vector<std::uint32_t> order;  // in which they acquired the lock, over all rounds
};

inline Task<void> take_part(World& world, ClientId me, const Round& round, int rounds,
                            Rounds& seen) {
  Verbs& verbs = world.verbs(me);
  const Duration mine = round.apart * me.value;
  for (int i = 0; i < rounds; ++i) {
    co_await verbs.sleep(Time{} + milliseconds(10) * i + mine - verbs.now());
    const Want want{world.lock(LockId{0})};
    const AcquireResult result = co_await world.client(me).acquire(want, {});
    seen.order.push_back(me.value);
    co_await verbs.sleep(microseconds(100));
    const Grant held = std::get<Grant>(result);
    co_await world.client(me).release(held);
    co_await verbs.flush();  // an unlock that no client has waited for
  }
}

// The lock is held for 100 us each time, and a round lasts 10 ms.
inline Rounds play(const char* protocol, const Round& round, int rounds = 1) {
  const ProtocolEntry& entry = *find_protocol(protocol);
  ParamSet params = entry.info.resolve(entry.info.profiles.front().name);
  for (const auto& [name, value] : round.params) params.set(name, value);
  const auto lock = entry.make(params);
  WorldShape shape;
  shape.clients_per_node = round.clients;
  shape.locks.device_memory = round.device_memory;
  World world(*lock, shape);
  SimgridOptions options = plain_options();
  options.clocks = {};
  const auto backend = make_simgrid(world.plan(), options);
  world.attach(*backend);
  Rounds seen;
  for (std::uint32_t i = 0; i < round.clients; ++i)
    backend->spawn(world.verbs(ClientId{i}), take_part(world, ClientId{i}, round, rounds, seen),
                   Time{});
  EXPECT_EQ(backend->run_until(testing::end_of_run(kNever)), RunEnd::finished);
  for (std::uint32_t i = 0; i < round.clients; ++i) seen.verbs += world.verbs(ClientId{i}).tally();
  const std::uint64_t word = backend->peek(world.lock(LockId{0}).entry);
  EXPECT_EQ(lock->decode({&word, 1}), "free");
  return seen;
}

}  // namespace latchlab::sherman_tests

#endif

#pragma once
// Clients that count in the object of a lock, and leave the last WRITE to the lock.

#include "tests/protocols/marks.h"
#include "tests/protocols/sections.h"
#if LATCHLAB_WITH_SIMGRID
#include "tests/conformance/simulation.h"
#endif

namespace latchlab::sherman_tests {

struct Counting {
  std::uint64_t entered = 0;
  std::uint64_t lost =
      0;  // how often a client read another count than the earlier ones had written
};

inline Task<void> count_up(World& world, ClientId me, Counting& seen) {
  Verbs& verbs = world.verbs(me);
  const RemoteAddr object = world.object_of(LockId{0});
  for (int i = 0; i < 3; ++i) {
    const Want want{world.lock(LockId{0})};
    const AcquireResult result = co_await world.client(me).acquire(want, {});
    const Grant held = std::get<Grant>(result);
    const Completion before = co_await verbs.read(object);
    if (before.value.lo != seen.entered++) ++seen.lost;
    const Verb last = write_verb(object, before.value.lo + 1);
    co_await world.client(me).write_and_release(last, held);
  }
}

// Three clients on each of so many nodes, in an order that the seed determines.
inline std::uint64_t lost_writes(const char* name, const ParamValues& params, std::uint32_t nodes,
                                 std::uint64_t seed) {
  const ProtocolEntry& entry = *find_protocol(name);
  ParamSet set = entry.small_params();
  for (const auto& [key, value] : params) set.set(key, value);
  const auto lock = entry.make(set);
  WorldShape shape;
  shape.client_nodes = nodes;
  shape.clients_per_node = 3;
  shape.object_bytes = 8;
  World world(*lock, shape);
  ExplorerOptions options;
  options.seed = seed;
  const auto backend = testing::make_world(world.plan(), *lock, options);
  world.attach(*backend);
  Counting seen;
  for (std::uint32_t i = 0; i < shape.clients(); ++i)
    backend->spawn(world.verbs(ClientId{i}), count_up(world, ClientId{i}, seen), Time{});
  EXPECT_EQ(backend->run_until(testing::end_of_run(kNever)), RunEnd::finished);
  return seen.lost;
}

#if LATCHLAB_WITH_SIMGRID
// A section that writes and releases, without contention in the simulator: the time from the end of
// its acquisition on.
inline Task<void> write_once(World& world, bool together, Duration& took) {
  const ClientId me{0};
  Verbs& verbs = world.verbs(me);
  const Want want{world.lock(LockId{0})};
  const AcquireResult result = co_await world.client(me).acquire(want, {});
  const Grant held = std::get<Grant>(result);
  const Time begins = verbs.now();
  const Verb last = write_verb(world.object_of(LockId{0}), 1);
  if (together) {
    co_await world.client(me).write_and_release(last, held);
  } else {
    co_await verbs.issue(last);
    co_await world.client(me).release(held);
  }
  took = verbs.now() - begins;
}

inline Duration time_of_a_section(const char* profile, bool together) {
  const ProtocolEntry& entry = *find_protocol("sherman");
  const auto lock = entry.make(entry.info.resolve(profile));
  WorldShape shape;
  shape.object_bytes = 8;
  World world(*lock, shape);
  const auto backend = make_simgrid(world.plan(), plain_options());
  world.attach(*backend);
  Duration took;
  backend->spawn(world.verbs(ClientId{0}), write_once(world, together, took), Time{});
  EXPECT_EQ(backend->run_until(testing::end_of_run(kNever)), RunEnd::finished);
  return took;
}
#endif

}  // namespace latchlab::sherman_tests

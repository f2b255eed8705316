#pragma once
// What the tests of every lock check in the same way: entries that look free, labelled paths, and
// the order in which clients acquire the lock.

#include <string>
#include <vector>

#include "core/base/paths.h"
#include "tests/protocols/harness.h"

namespace latchlab::testing {

// Three clients, one per node: dslr's small counters have no room for more.
inline RunSetup crowd(const std::string& protocol, const std::string& profile = "") {
  RunSetup setup;
  setup.protocol = protocol;
  setup.profile = profile;
  setup.client_nodes = 3;
  setup.clients_per_node = 1;
  setup.operations = 6;
  setup.shared_percent = 40;
  return setup;
}

// ---- Protocol::is_free ----

// The entry looks free after all clients have released, and never while a client holds the lock.
inline void expect_free_when_all_have_gone(const RunSetup& setup) {
  for (std::uint64_t seed = 1; seed <= seeds(100); ++seed) {
    const Outcome outcome = run(setup, seed);
    ASSERT_EQ(outcome.end, RunEnd::finished) << "seed " << seed;
    ASSERT_TRUE(outcome.free) << "seed " << seed << ": " << outcome.entry;
    ASSERT_EQ(outcome.looked_free, 0U) << "seed " << seed;
  }
}

inline bool is_free(const char* protocol, const std::vector<std::uint64_t>& words) {
  const ProtocolEntry& entry = *find_protocol(protocol);
  const auto made = entry.make(entry.info.resolve(entry.info.profiles.front().name));
  return made->is_free(RemoteAddr{NodeId{1}, 4096}, words);
}

// Client 0 of a crowd crashes when it holds the lock. Returns the outcome of an order that ends so.
inline Outcome after_a_death(const char* protocol, bool (*ends_so)(const Outcome&)) {
  RunSetup setup = crowd(protocol);
  setup.dies = {0};
  const std::uint64_t seed = first_seed(setup, 50, ends_so);
  EXPECT_GT(seed, 0U) << protocol;
  return run(setup, seed);
}
inline void expect_taken_by_the_dead(const char* protocol) {
  LATCHLAB_NEEDS_EXPLORER("searches for an order");
  EXPECT_FALSE(
      after_a_death(protocol, [](const Outcome& o) { return o.end != RunEnd::finished; }).free);
}
inline void expect_free_once_repaired(const char* protocol) {
  LATCHLAB_NEEDS_EXPLORER("searches for an order");
  const auto repaired = [](const Outcome& o) {
    return o.end == RunEnd::finished && o.recoveries > 0;
  };
  EXPECT_TRUE(after_a_death(protocol, repaired).free);
}

// A timeout of the lock (parameter `timeout`, off in `reconstructed`) needs clocks, however short
// it is.
inline void expect_clocks_needed_for_a_timeout(const char* protocol) {
  using ::testing::Contains;
  const ProtocolEntry& entry = *find_protocol(protocol);
  ParamSet params = entry.info.resolve("reconstructed");
  EXPECT_THAT(entry.make(params)->needs(), ::testing::Not(Contains(Capability::timing)));
  params.set("timeout", picoseconds(1));
  EXPECT_THAT(entry.make(params)->needs(), Contains(Capability::timing));
}

// The most holders of one lock at once, in many orders, in each of which all clients finish.
inline std::uint64_t most_inside(const RunSetup& setup) {
  std::uint64_t most = 0;
  for (std::uint64_t seed = 1; seed <= seeds(50); ++seed) {
    const Outcome outcome = run(setup, seed);
    EXPECT_EQ(outcome.end, RunEnd::finished) << outcome.entry;
    most = std::max(most, outcome.most_inside);
  }
  return most;
}

// ---- labelled paths, without the prefix that names the lock ----

using Labels = std::vector<std::string>;

inline Labels labels(const std::string& protocol, bool reached) {
  Labels found;
  const std::string prefix = protocol + ": ";
  for (const paths::PathState& path : paths::all(prefix))
    if (path.reached == reached) found.emplace_back(path.label.substr(prefix.size()));
  return found;
}

// The labels that many orders pass.
inline Labels reached(const RunSetup& setup) {
  paths::forget();
  paths::record(true);
  for (std::uint64_t seed = 1; seed <= 60; ++seed) (void)run(setup, seed);
  paths::record(false);
  return labels(setup.protocol, true);
}

inline void expect_reached(const RunSetup& setup, const Labels& some) {
  LATCHLAB_NEEDS_EXPLORER("reaches rare paths by many orders");
  EXPECT_THAT(reached(setup), ::testing::IsSupersetOf(some));
}

// A crowd without failures takes at least the ordinary paths and none of the rare ones, which are
// known labels.
inline void expect_paths(const RunSetup& setup, const Labels& ordinary, const Labels& rare) {
  expect_reached(setup, ordinary);
  if (!on_hardware()) {
    EXPECT_THAT(labels(setup.protocol, false), ::testing::IsSupersetOf(rare));
  }
}

// ---- first come, first served ----

// Returns whether the entry shows that `count` clients have arrived.
using Arrived = InlineFunction<bool(const Words& entry, std::uint32_t count)>;

struct Queue {
  World* world = nullptr;
  Arrived arrived;
  std::uint32_t clients = 0;
  std::uint32_t shared_from = ~0U;  // clients from here on are readers
  std::vector<std::uint32_t> order;
};

inline Task<void> until_arrived(Queue& queue, ClientId me, std::uint32_t count) {
  const Queue* const seen_by = &queue;
  RemoteWait wait;
  wait.add(read_verb(queue.world->lock(LockId{0}).entry));
  wait.classify = [seen_by, count](const ProbeValues& values) {
    return seen_by->arrived(values[0], count) ? Verdict::done : Verdict::pending;
  };
  co_await queue.world->verbs(me).await_remote(wait);
}

inline Task<void> one_turn(Queue& queue, ClientId me) {
  co_await until_arrived(queue, me, me.value);
  LockClient& client = queue.world->client(me);
  const LockMode mode = me.value >= queue.shared_from ? LockMode::shared : LockMode::exclusive;
  const LockRef lock = queue.world->lock(LockId{0});
  const AcquireResult result = co_await client.acquire(Want{lock, mode}, {});
  const Grant* grant = std::get_if<Grant>(&result);
  if (grant == nullptr) co_return;
  queue.order.push_back(me.value);
  if (me.value == 0) co_await until_arrived(queue, me, queue.clients);
  const Grant held = *grant;
  co_await client.release(held);
}

// Clients queue one after the other while the first one holds the lock: in every schedule, writers
// acquire it in their order of arrival, and before readers that arrived later.
inline void expect_order_of_arrival(const char* protocol_name, const Arrived& arrived,
                                    std::uint32_t shared_from = ~0U) {
  const ProtocolEntry& entry = *find_protocol(protocol_name);
  ParamSet params = entry.info.resolve(entry.info.profiles.front().name);
  if (on_hardware())
    for (const char* const name : {"lease", "ttl", "timeout"})
      if (const auto found = params.values().find(name);
          found != params.values().end() && std::get<Duration>(found->second) > Duration{})
        params.set(name, hardware_patience());
  const auto protocol = entry.make(params);
  for (std::uint64_t seed = 1; seed <= seeds(200); ++seed) {
    WorldShape shape;
    shape.client_nodes = 5;
    shape.seed = seed;
    World world(*protocol, shape);
    ExplorerOptions options;
    options.seed = seed;
    options.max_steps = 20'000;
    const auto backend = make_world(world.plan(), *protocol, options);
    world.attach(*backend);
    Queue queue{&world, arrived, shape.clients(), shared_from, {}};
    for (std::uint32_t i = 0; i < shape.clients(); ++i)
      backend->spawn(world.verbs(ClientId{i}), one_turn(queue, ClientId{i}), Time{});
    ASSERT_EQ(backend->run_until(end_of_run(kNever)), RunEnd::finished) << "seed " << seed;
    const auto writers = std::min(shared_from, shape.clients());
    ASSERT_EQ(queue.order.size(), shape.clients()) << "seed " << seed;
    for (std::uint32_t i = 0; i < writers; ++i) ASSERT_EQ(queue.order[i], i) << "seed " << seed;
  }
}

}  // namespace latchlab::testing

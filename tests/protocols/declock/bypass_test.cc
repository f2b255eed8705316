// DecLock in the simulator: how many readers of a node acquire the lock before a writer of another
// node that asked earlier.

#if LATCHLAB_WITH_SIMGRID

#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>

#include "tests/conformance/simulation.h"
#include "tests/modes.h"
#include "tests/protocols/promises.h"

namespace latchlab::declock_tests {
namespace {

using testing::number;
using testing::text;

// The counts of one run, in a process of its own: SimGrid has one engine per process.
std::uint64_t apart(const std::function<std::uint64_t()>& run) {
  int ends[2];
  EXPECT_EQ(pipe(ends), 0);
  const pid_t child = fork();
  if (child == 0) {
    const std::uint64_t count = run();
    const bool told = write(ends[1], &count, sizeof count) == sizeof count;
    _exit(told && !::testing::Test::HasFailure() ? 0 : 1);
  }
  close(ends[1]);
  std::uint64_t count = ~0ULL;
  EXPECT_EQ(read(ends[0], &count, sizeof count), static_cast<ssize_t>(sizeof count));
  close(ends[0]);
  int status = 1;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  return count;
}

// In microseconds. A client asks at this time, or when it has released its previous lock.
struct Request {
  std::uint32_t client = 0;
  std::int64_t at = 0;
  LockMode mode = kX;
  std::int64_t hold = 20;
};
struct Served {
  Request request;
  Time asked;
  Time granted;
};

Task<void> take_turns(World& world, ClientId me, std::vector<Request> asks,
                      std::vector<Served>& served) {
  Verbs& verbs = world.verbs(me);
  for (const Request& request : asks) {
    const Time at = Time{} + microseconds(request.at);
    if (verbs.now() < at) co_await verbs.sleep(at - verbs.now());
    const Want want{world.lock(LockId{0}), request.mode};
    const Time asked = verbs.now();
    const AcquireResult result = co_await world.client(me).acquire(want, {});
    served.push_back({request, asked, verbs.now()});
    co_await verbs.sleep(microseconds(request.hold));
    const Grant held = std::get<Grant>(result);
    co_await world.client(me).release(held);
  }
}

// A lock with these parameters, for nodes of `clients_per_node` clients.
struct Setting {
  std::string profile = "repaired";
  ParamValues params = {};
  std::uint32_t clients_per_node = 4;
};

// Grants in the order in which they are given.
std::vector<Served> serve(const std::vector<Request>& asks, const Setting& setting) {
  const ProtocolEntry& entry = *find_protocol("declock");
  ParamSet set = entry.info.resolve(setting.profile);
  set.set("clock_sync", Duration{});
  set.set("timeout", Duration{});
  for (const auto& [name, value] : setting.params) set.set(name, value);
  const auto lock = entry.make(set);
  WorldShape shape;
  shape.client_nodes = 3;
  shape.clients_per_node = setting.clients_per_node;
  World world(*lock, shape);
  SimgridOptions options = plain_options();
  options.clocks = {};
  const auto backend = make_simgrid(world.plan(), options);
  world.attach(*backend);
  std::vector<Served> served;
  for (std::uint32_t client = 0; client < shape.clients(); ++client) {
    std::vector<Request> own;
    for (const Request& request : asks)
      if (request.client == client) own.push_back(request);
    const ClientId me{client};
    backend->spawn(world.verbs(me), take_turns(world, me, std::move(own), served), Time{});
  }
  EXPECT_EQ(backend->run_until(testing::end_of_run(kNever)), RunEnd::finished);
  EXPECT_EQ(served.size(), asks.size());
  return served;
}

// Readers that asked after this client and acquired the lock before it.
std::uint64_t passed(const std::vector<Served>& served, std::uint32_t client) {
  const auto is_its = [client](const Served& each) { return each.request.client == client; };
  const auto at = std::find_if(served.begin(), served.end(), is_its);
  EXPECT_NE(at, served.end());
  const Time asked = at->asked;
  const auto later = [asked](const Served& each) { return each.asked > asked; };
  return static_cast<std::uint64_t>(std::count_if(served.begin(), at, later));
}

// ---- the node knows of the writer ----

constexpr std::uint32_t kWriter = 8;  // of the third node

// Client 4 of the second node holds the lock. A reader of the first node waits, and behind it a
// writer of the third node. Then readers of the first node request, of which there are always two
// or three.
std::vector<Request> late_readers() {
  std::vector<Request> asks = {{4, 100, kX}, {0, 105, kS}, {kWriter, 110, kX}};
  for (std::int64_t i = 0; i < 60; ++i)
    asks.push_back({static_cast<std::uint32_t>((i + 1) % 4), 130 + 8 * i, kS});
  return asks;
}

std::uint64_t passed_by_late_readers(const Setting& setting) {
  return apart([&setting] { return passed(serve(late_readers(), setting), kWriter); });
}

TEST(timed, declock_lets_no_late_reader_pass_a_writer_known_to_its_node) {
  for (const char* profile : {"repaired", "artifact"})
    for (const char* fairness : {"task_fair", "phase_fair"})
      for (const char* transfer : {"timestamp", "remote_prefer"}) {
        SCOPED_TRACE(::testing::Message() << profile << ", " << fairness << ", " << transfer);
        const ParamValues params = {{"fairness", text(fairness)}, {"transfer", text(transfer)}};
        EXPECT_EQ(passed_by_late_readers({profile, params}), 0U);
      }
}

TEST(timed, declock_lets_late_readers_pass_if_neighbours_are_preferred) {
  EXPECT_GT(passed_by_late_readers({"repaired", {{"transfer", text("local_prefer")}}}), 50U);
}

TEST(timed, declock_lets_late_readers_pass_as_printed) {
  for (const char* fairness : {"task_fair", "phase_fair"})
    EXPECT_GT(passed_by_late_readers({"paper", {{"fairness", text(fairness)}}}), 50U);
}

TEST(timed, declock_grants_the_lock_to_local_bound_readers_in_a_row) {
  for (const char* profile : {"repaired", "artifact"})
    for (const char* fairness : {"task_fair", "phase_fair"})
      for (const std::int64_t bound : {1, 2, 4}) {
        SCOPED_TRACE(::testing::Message() << profile << ", " << fairness << ", " << bound);
        const ParamValues params = {{"fairness", text(fairness)},
                                    {"transfer", text("local_bound")},
                                    {"local_bound", number(bound)}};
        EXPECT_EQ(passed_by_late_readers({profile, params}), static_cast<std::uint64_t>(bound - 1));
      }
}

// Readers that join readers are no handover, and the writer waits for all of them.
TEST(timed, declock_lets_late_readers_pass_if_only_handovers_are_bounded) {
  EXPECT_GT(
      passed_by_late_readers(
          {"repaired", {{"transfer", text("local_bound")}, {"bound_counts", text("handovers")}}}),
      50U);
}

// ---- no client of the node waits, so that the node knows nothing ----

constexpr std::uint32_t kReaders = 8;  // all of the first node

// They hold the lock for 2 us and request again after 3 us, so that at any time at least one of
// them uses the lock.
std::vector<Request> readers_without_end() {
  std::vector<Request> asks;
  for (std::int64_t i = 0; i < 300; ++i)
    for (std::uint32_t client = 0; client < kReaders; ++client)
      asks.push_back({client, 20 + 3 * i + client % 3, kS, 2});
  asks.push_back({kReaders, 100, kX});
  return asks;
}

std::uint64_t passed_without_end(Setting setting) {
  setting.clients_per_node = kReaders;
  return apart([&setting] { return passed(serve(readers_without_end(), setting), kReaders); });
}

TEST(timed, declock_bounds_the_late_readers_that_pass_a_writer) {
  for (const char* fairness : {"task_fair", "phase_fair"})
    for (const char* transfer : {"timestamp", "remote_prefer"})
      for (const std::int64_t after : {0, 1, 7, 20}) {
        SCOPED_TRACE(::testing::Message() << fairness << ", " << transfer << ", " << after);
        const ParamValues params = {{"fairness", text(fairness)},
                                    {"transfer", text(transfer)},
                                    {"look_after", number(after)}};
        const auto bound = static_cast<std::uint64_t>(kReaders * (after + 2));
        EXPECT_LE(passed_without_end({"repaired", params}), bound);
      }
}

TEST(timed, declock_bounds_the_late_readers_that_pass_a_writer_by_local_bound) {
  for (const char* profile : {"repaired", "artifact"})
    for (const char* fairness : {"task_fair", "phase_fair"}) {
      const ParamValues params = {{"fairness", text(fairness)}, {"transfer", text("local_bound")}};
      EXPECT_LE(passed_without_end({profile, params}), 3U) << profile << ", " << fairness;
    }
}

// Readers that join without a look at the queue do not see the writer.
TEST(timed, declock_lets_all_late_readers_pass_an_unknown_writer_as_published_and_as_printed) {
  for (const char* profile : {"artifact", "paper"})
    for (const char* fairness : {"task_fair", "phase_fair"})
      EXPECT_GT(passed_without_end({profile, {{"fairness", text(fairness)}}}), 1'000U)
          << profile << ", " << fairness;
}

// ---- phases ----

// These clients request once each, with clocks that agree; `count` reads the result in the world
// afterwards.
std::uint64_t counted(ParamSet set, const WorldShape& shape, const std::vector<Request>& asks,
                      const std::function<std::uint64_t(World&)>& count) {
  set.set("clock_sync", Duration{});
  const auto lock = find_protocol("declock")->make(set);
  World world(*lock, shape);
  SimgridOptions options = plain_options();
  options.clocks = {};
  const auto backend = make_simgrid(world.plan(), options);
  world.attach(*backend);
  std::vector<Served> served;
  for (const Request& request : asks) {
    const ClientId me{request.client};
    backend->spawn(world.verbs(me), take_turns(world, me, {request}, served), Time{});
  }
  EXPECT_EQ(backend->run_until(testing::end_of_run(kNever)), RunEnd::finished);
  EXPECT_EQ(served.size(), asks.size());
  return count(world);
}

// Three clients of one node, and no other node: two writers, then a reader. The FAAs of all of
// them.
std::uint64_t atomics_here(const ParamValues& params, const char* profile) {
  ParamSet set = find_protocol("declock")->info.resolve(profile);
  set.set("fairness", text("phase_fair"));
  for (const auto& [name, value] : params) set.set(name, value);
  WorldShape shape;
  shape.client_nodes = 1;
  shape.clients_per_node = 3;
  return counted(set, shape, {{0, 100, kX}, {1, 105, kX}, {2, 108, kS}}, [](World& world) {
    std::uint64_t atomics = 0;
    for (std::uint32_t i = 0; i < 3; ++i) atomics += world.verbs(ClientId{i}).tally().atomics();
    return atomics;
  });
}

std::uint64_t atomics_of(const ParamValues& params, const char* profile) {
  return apart([&params, profile] { return atomics_here(params, profile); });
}

TEST(timed, declock_keeps_the_cql_lock_between_writers_if_phases_alternate) {
  for (const char* profile : {"repaired", "paper", "artifact"})
    EXPECT_EQ(atomics_of({}, profile), 4U) << profile;
  EXPECT_EQ(atomics_of({{"readers_first", text("after_writers")}}, "repaired"), 6U);
}

// ---- what a client READs when it begins to wait ----

// Client 1 waits for a client of its node, and the node knows since when client 8 waits.
std::uint64_t reads_of_a_waiter(const char* prefetch) {
  ParamSet set = find_protocol("declock")->info.resolve("repaired");
  set.set("prefetch", text(prefetch));
  WorldShape shape;
  shape.client_nodes = 3;
  shape.clients_per_node = 4;
  return counted(set, shape, {{4, 100, kX}, {0, 105, kX, 60}, {8, 110, kX}, {1, 140, kX}},
                 [](World& world) { return world.verbs(ClientId{1}).tally().reads(); });
}

TEST(timed, declock_prefetches_only_what_its_node_does_not_know_in_profile_published) {
  const auto reads = [](const char* prefetch) {
    return apart([prefetch] { return reads_of_a_waiter(prefetch); });
  };
  EXPECT_EQ(reads("waiting"), reads("never") + 1);
  EXPECT_EQ(reads("unknown"), reads("never"));
}

}  // namespace
}  // namespace latchlab::declock_tests

#endif

// What RMA-RW's clients still send to a failed server: nothing after the first verb that gets no
// answer.

#include <set>

#include "core/protocols/rma_rw/tree.h"
#include "core/protocols/rma_rw/words.h"
#include "tests/protocols/promises.h"
#include "tests/protocols/rma_rw/scene.h"
#include "tests/protocols/timed.h"

#if LATCHLAB_WITH_SIMGRID

namespace latchlab::testing {
namespace {

using rma_rw_tests::Cost;
using rma_rw_tests::Platform;
using rma_rw_tests::Scene;
using ::testing::Contains;

// Atomics and READs.
using Counts = std::set<std::pair<std::uint64_t, std::uint64_t>>;

struct Ends {
  Counts acquisitions;  // of acquisitions that failed
  Counts releases;
};

Task<void> one_pair(Scene& scene, ClientId me, LockMode mode, Ends* ends) {
  co_await scene.verbs(me.value).sleep(nanoseconds(500) * me.value);
  const Want want{scene.lock(me.value), mode};
  const AcquireResult result = co_await scene.client(me).acquire(want, {});
  const Cost acquire = scene.cost(me);
  if (const Aborted* aborted = std::get_if<Aborted>(&result)) {
    EXPECT_EQ(aborted->reason, AbortReason::server_failed);
    ends->acquisitions.insert({acquire.atomics, acquire.reads});
    co_return;
  }
  const Grant grant = std::get<Grant>(result);
  co_await scene.client(me).release(grant);
  const Cost release = scene.cost(me);
  ends->releases.insert({release.atomics, release.reads});
}

// Clients arrive one after the other, each at a lock of its own, so that some are at every step
// when the server fails.
Ends failing(LockMode mode, const ParamValues& sets, std::uint64_t counters = 0) {
  constexpr std::uint32_t kClients = 60;
  Ends ends;
  const auto body = [&](Scene& scene, ClientId id) { return one_pair(scene, id, mode, &ends); };
  Platform platform{kClients};
  platform.make = plain_simulation;
  Scene scene("repaired", sets, std::vector<Scene::Body>(kClients, body), 1, kClients, platform);
  Backend& backend = scene.backend();
  for (std::uint32_t i = 0; i < kClients; ++i) backend.poke(scene.lock(i).entry + 8, counters);
  const NodeId server = scene.lock().entry.node;
  backend.at(Time{} + microseconds(30), [&] { backend.hardware_faults()->crash_node(server); });
  EXPECT_EQ(scene.run(), RunEnd::finished);
  return ends;
}

TEST(timed, rma_rw_readers_send_a_failed_server_no_further_request) {
  // FAA, READ of the tail, swap of departures, FAA of arrivals, FAA back; FAA
  const Ends ends =
      failing(LockMode::shared, {{"reader_threshold", number(4)}}, 4 + 4 * rma_rw::kOneDeparture);
  EXPECT_EQ(ends.acquisitions, (Counts{{1, 0}, {1, 1}, {2, 1}, {3, 1}, {4, 1}, {5, 1}}));
}
TEST(timed, rma_rw_readers_send_a_failed_server_no_further_request_as_in_the_artifact) {
  // FAA, READ of the tail, READ of the counters, FAA of both, FAA back; FAA
  const Ends ends = failing(LockMode::shared,
                            {{"reader_threshold", number(4)}, {"reader_reset", text("subtracted")}},
                            4 + 4 * rma_rw::kOneDeparture);
  EXPECT_EQ(ends.acquisitions, (Counts{{1, 0}, {1, 1}, {1, 2}, {2, 2}, {3, 2}, {4, 2}}));
}
TEST(timed, rma_rw_writers_send_a_failed_server_no_further_request) {
  const Ends ends = failing(LockMode::exclusive, {});
  EXPECT_EQ(ends.acquisitions, (Counts{{1, 0}, {1, 1}, {2, 1}, {2, 2}}));  // swap, READ, mode, READ
  EXPECT_EQ(ends.releases, (Counts{{0, 1}, {1, 1}, {2, 1}}));              // READ, reset, CAS
}

Task<void> hold_for(Scene& scene, ClientId me, Duration hold) {
  const Want want{scene.lock()};
  const AcquireResult result = co_await scene.client(me).acquire(want, {});
  co_await scene.verbs(me.value).sleep(hold);
  const Grant grant = std::get<Grant>(result);
  co_await scene.client(me).release(grant);
}

// The release of a writer whose first READ finds the server failed.
TEST(timed, rma_rw_reports_a_release_that_failed_with_the_server) {
  const auto body = [](Scene& scene, ClientId id) {
    return hold_for(scene, id, microseconds(100));
  };
  Platform platform;
  platform.make = plain_simulation;
  Scene scene("repaired", {}, {body}, 1, 1, platform);
  Backend& backend = scene.backend();
  const NodeId server = scene.lock().entry.node;
  backend.at(Time{} + microseconds(50), [&] { backend.hardware_faults()->crash_node(server); });
  paths::forget();
  paths::record(true);
  EXPECT_EQ(scene.run(), RunEnd::finished);
  paths::record(false);
  EXPECT_THAT(labels("rma_rw", true), Contains("the server fails a release"));
}

Task<void> read_once(Scene& scene, ClientId me, Cost* cost) {
  const Want want{scene.lock(), LockMode::shared};
  const AcquireResult result = co_await scene.client(me).acquire(want, {});
  EXPECT_EQ(std::get<Aborted>(result).reason, AbortReason::server_failed);
  *cost = scene.cost(me);
}

// In a tree the counters are on client nodes, which the server's failure does not affect. A reader
// that polls a counter and the tail gives up when the tail is gone, and does not stay counted.
TEST(timed, rma_rw_ends_a_reader_s_wait_in_a_tree_whose_server_fails) {
  Cost cost;
  const auto body = [&](Scene& scene, ClientId id) { return read_once(scene, id, &cost); };
  Platform platform;
  platform.make = plain_simulation;
  Scene scene("hpdc16_repaired", {{"reader_threshold", number(4)}}, {body}, 1, 1, platform);
  const rma_rw::Options options;
  const rma_rw::Tree tree(options, scene.world(), scene.world().client_node(0));
  const RemoteAddr counters = tree.counter(scene.lock(), 0);
  Backend& backend = scene.backend();
  const NodeId server = scene.lock().entry.node;
  backend.poke(scene.lock().entry, 1);
  backend.poke(counters, 4 + rma_rw::kOneDeparture);
  backend.at(Time{} + microseconds(50), [&] { backend.hardware_faults()->crash_node(server); });
  EXPECT_EQ(scene.run(), RunEnd::finished);
  EXPECT_EQ(cost.atomics, 2U);  // the FAA and its undo
  EXPECT_EQ(scene.peek(counters), 4 + rma_rw::kOneDeparture);
}

}  // namespace
}  // namespace latchlab::testing

#endif

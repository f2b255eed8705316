#pragma once
// A small world in the simulator whose clients, one per node, do what a test writes. A round trip
// takes about two microseconds. One scene per process, because SimGrid has one engine.

#if LATCHLAB_WITH_SIMGRID

#include <memory>
#include <utility>
#include <vector>

#include "core/protocols/citron/client.h"
#include "tests/conformance/simulation.h"
#include "tests/protocols/faulty.h"
#include "tests/protocols/promises.h"

namespace latchlab::citron_tests {

inline constexpr Duration kLease = microseconds(100);
inline constexpr Extent kLow{0, 10};
inline constexpr Extent kNode{0, 256};  // the root, or node 2 of a tree of 1,024 units

// The outcome of one request, in the client's own time since it was made.
struct Seen {
  bool acquired = false;
  AbortReason reason = AbortReason::deadline;
  Duration took;
  ReleaseResult released = ReleaseResult::released;
};

class Scene {
  std::unique_ptr<Protocol> protocol_;

 public:
  // Over the small model's parameters: a tree of 256 units.
  explicit Scene(const ParamValues& params, std::uint32_t clients = 2, std::uint64_t locks = 1)
      : protocol_(made(params)), world(*protocol_, shape_of(clients, locks)) {
    backend = make_simgrid(world.plan(), plain_options());
    world.attach(*backend);
  }

  citron::Client& client(std::uint32_t id) const {
    return static_cast<citron::Client&>(world.client(ClientId{id}));
  }
  Verbs& verbs(std::uint32_t id) const { return world.verbs(ClientId{id}); }
  LockRef lock(std::uint64_t id = 0) const { return world.lock(LockId{id}); }
  Want of(Extent units, std::uint64_t id = 0) const {
    return Want(lock(id), LockMode::exclusive, units, GrantId{});
  }
  NodeId server() const { return lock().entry.node; }

  void starts(std::uint32_t client, Task<void> task, Duration after = {}) {
    backend->spawn(verbs(client), std::move(task), Time{} + after);
  }
  // One request that holds its range for this long.
  void asks(std::uint32_t client, Extent units, Duration after, Duration hold, Seen& seen) {
    starts(client, once(client, units, hold, seen), after);
  }
  // Sets a word of the tree, by its number in level order from 1 on.
  void puts(std::uint64_t number, std::uint64_t word, Duration after = {}) {
    const RemoteAddr addr = node(number);
    backend->at(Time{} + after, [this, addr, word] { backend->poke(addr, word); });
  }
  std::uint64_t word(std::uint64_t number) const { return backend->peek(node(number)); }
  citron::Node inner(std::uint64_t number) const { return kFormat.unpack(word(number)); }
  void server_dies(Duration after) { node_dies(server(), after); }
  void node_dies(NodeId node, Duration after) {
    backend->at(Time{} + after, [this, node] { backend->hardware_faults()->crash_node(node); });
  }
  // Runs until all clients are done. Labels of the paths that were taken are kept.
  void run() {
    paths::forget();
    paths::record(true);
    EXPECT_EQ(backend->run_until(testing::end_of_run(kNever)), RunEnd::finished);
    paths::record(false);
    taken = testing::labels("citron", true);
  }
  bool is_free() const {
    return protocol_->is_free(lock().entry, testing::words_at(*backend, lock().entry, bytes()));
  }
  std::string entry() const {
    return protocol_->decode(testing::words_at(*backend, lock().entry, bytes()));
  }

  static constexpr citron::NodeWord kFormat{15, 3};
  World world;
  std::unique_ptr<Backend> backend;
  testing::Labels taken;

 private:
  RemoteAddr node(std::uint64_t number) const { return lock().entry + 8 * (1 + number); }
  std::uint64_t bytes() const { return world.entry_bytes(); }

  Task<void> once(std::uint32_t id, Extent units, Duration hold, Seen& seen) {
    const Time begin = verbs(id).now();
    const Want want = of(units);
    const AcquireResult result = co_await client(id).acquire(want, {});
    seen.took = verbs(id).now() - begin;
    if (const Aborted* const aborted = std::get_if<Aborted>(&result)) {
      seen.reason = aborted->reason;
      co_return;
    }
    seen.acquired = true;
    const Grant grant = std::get<Grant>(result);
    co_await verbs(id).sleep(hold);
    seen.released = co_await client(id).release(grant);
  }

  static std::unique_ptr<Protocol> made(const ParamValues& params) {
    const ProtocolEntry& entry = *find_protocol("citron");
    ParamSet set = entry.small_params();
    set.set(params);
    return entry.make(set);
  }
  static WorldShape shape_of(std::uint32_t clients, std::uint64_t locks) {
    WorldShape shape;
    shape.client_nodes = clients;
    shape.locks.count = locks;
    return shape;
  }
};

}  // namespace latchlab::citron_tests

#endif

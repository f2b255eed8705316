#pragma once
// A world around dslr whose clients do what a test writes, in the explorer, on hardware or in the
// simulator: see RunSetup. Of RunSetup's other members only these count: profile, params,
// client_nodes with a client each, locks.

#include <string>
#include <utility>

#include "core/protocols/dslr/rules.h"
#include "tests/protocols/harness.h"

namespace latchlab::dslr_tests {

using namespace testing;

class Scene {
  std::unique_ptr<Protocol> protocol_;

 public:
  // `on_a_client`: lock 0 is in the memory of client 0's node.
  explicit Scene(const RunSetup& setup, bool on_a_client = false,
                 const ExplorerOptions& options = {}, std::uint64_t seed = 1)
      : protocol_(find_protocol("dslr")->make(params_of(setup, *find_protocol("dslr")))),
        world(*protocol_, shape_of(setup, on_a_client, seed)),
        backend(setup.make ? setup.make(world.plan())
                           : make_world(world.plan(), *protocol_, options)) {
    world.attach(*backend);
  }

  Want want(LockMode mode, std::uint64_t lock = 0) const {
    return Want(world.lock(LockId{lock}), mode);
  }
  LockClient& client(std::uint32_t id) const { return world.client(ClientId{id}); }
  Verbs& verbs(std::uint32_t id) const { return world.verbs(ClientId{id}); }
  void starts(std::uint32_t client, Task<void> task, Time date = {}) {
    backend->spawn(verbs(client), std::move(task), date);
  }
  RunEnd run() { return backend->run_until(end_of_run(kNever)); }

  std::string entry(std::uint64_t lock = 0) const {
    const std::uint64_t word = backend->peek(world.lock(LockId{lock}).entry);
    return protocol_->decode({&word, 1});
  }
  void put(const dslr::TicketWord& layout, const dslr::Tickets& tickets) {
    backend->poke(world.lock(LockId{0}).entry, layout.pack(tickets).lo);
  }

  World world;
  std::unique_ptr<Backend> backend;

 private:
  static WorldShape shape_of(const RunSetup& setup, bool on_a_client, std::uint64_t seed) {
    WorldShape shape;
    shape.seed = seed;
    shape.client_nodes = setup.client_nodes;
    shape.colocated = on_a_client;
    shape.servers = on_a_client ? setup.client_nodes : 1;
    shape.locks.count = setup.locks;
    return shape;
  }
};

}  // namespace latchlab::dslr_tests

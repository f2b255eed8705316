#pragma once
// Two client nodes with a client each, in the simulator.

#include <memory>
#include <utility>

#include "tests/protocols/promises.h"
#if LATCHLAB_WITH_SIMGRID
#include "tests/conformance/simulation.h"

namespace latchlab::cql_tests {

class TwoClients {
 public:
  // Over profile repaired.
  explicit TwoClients(const ParamValues& changes) {
    const ProtocolEntry& entry = *find_protocol("cql");
    ParamSet params = entry.info.resolve("repaired");
    params.set(changes);
    lock_ = entry.make(params);
    WorldShape shape;
    shape.client_nodes = 2;
    shape.clients_per_node = 1;
    world_ = std::make_unique<World>(*lock_, shape);
    backend_ = plain_simulation(world_->plan());
    world_->attach(*backend_);
  }
  World& world() { return *world_; }
  Backend& backend() { return *backend_; }
  void spawn(ClientId client, Task<void> body, Time start = {}) {
    backend_->spawn(world_->verbs(client), std::move(body), start);
  }

 private:
  std::unique_ptr<Protocol> lock_;
  std::unique_ptr<World> world_;
  std::unique_ptr<Backend> backend_;
};

}  // namespace latchlab::cql_tests
#endif

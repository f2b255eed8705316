#pragma once
// Cases whose clients run sections, for tests of the client loop and of its observers.

#include "tests/protocols/harness.h"
#include "tests/protocols/reference_lock.h"

namespace latchlab::testing {

// What each client does `times` times.
inline RunSetup repeated(const char* protocol, std::uint64_t times,
                         std::function<void(ClientId, const World&, Section&)> fill) {
  RunSetup setup;
  setup.protocol = protocol;
  if (setup.protocol == kReferenceLock) setup.entry = &reference_lock();
  setup.locks = 4;
  setup.section = [times, fill](ClientId client, std::uint64_t count, const World& world,
                                Section& section) {
    if (count >= times) return false;
    fill(client, world, section);
    return true;
  };
  return setup;
}

inline RunSetup alone(RunSetup setup) {
  setup.client_nodes = setup.clients_per_node = 1;
  return setup;
}

inline void want(const World& world, Section& section, std::uint64_t lock,
                 LockMode mode = LockMode::exclusive, Extent extent = {}) {
  section.wants.push_back(Want{world.lock(LockId{lock}), mode, extent, GrantId{}});
}

}  // namespace latchlab::testing

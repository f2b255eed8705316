#pragma once
// Clients of the ideal lock that share a node.

#include "tests/protocols/harness.h"

namespace latchlab::testing {

inline RunSetup ideal(std::uint32_t clients) {
  RunSetup setup;
  setup.protocol = "ideal_local";
  setup.client_nodes = 1;
  setup.clients_per_node = clients;
  setup.shared_percent = 50;
  return setup;
}

}  // namespace latchlab::testing

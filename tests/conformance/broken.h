#pragma once
// Backends that break exactly one promise of the seam, to show that the test of that promise fails.

#include <cstdint>
#include <functional>

#include "core/verbs/wait.h"
#include "tests/conformance/conformance.h"

namespace latchlab::conformance {

// Changes what actors ask for before the backend receives it; an empty function changes nothing.
struct Fault {
  std::function<void(Operation& first, Verbs& verbs)> posting;  // the first verb of a batch
  std::function<void(RemoteWait& wait)> waiting;
  std::function<Transport(Transport wanted)> opening;
  std::function<Reply(const Reply& reply)> replying;
};

using Body = std::function<void(Bench&)>;

// Does the body fail in a backend with this fault?
bool fails(const BackendCase& made, const Body& body);

// The number of kExplorerSeeds explorers with this fault in which the body fails; without the fault
// it must pass in all of them.
int worlds_noticed(const Fault& fault, const Body& body);
// The same for a body that has the fault itself; `sound` is the body without it.
int worlds_noticed(const Body& sound, const Body& broken);

}  // namespace latchlab::conformance

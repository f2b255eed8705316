#pragma once
// Worlds that keep every promise of the seam but one, to show of a body that it notices.

#include <cstdint>
#include <functional>

#include "core/verbs/wait.h"
#include "tests/conformance/conformance.h"

namespace latchlab::conformance {

// What is done to what actors ask for, before the world gets it; what is empty changes nothing.
struct Fault {
  std::function<void(Operation& first, Verbs& verbs)> posting;  // of a batch: the first
  std::function<void(RemoteWait& wait)> waiting;
  std::function<Transport(Transport wanted)> opening;
  std::function<Reply(const Reply& reply)> replying;
};

using Body = std::function<void(Bench&)>;

// Does the body find anything wrong with this world?
bool fails(const BackendCase& made, const Body& body);

// In how many of kExplorerSeeds explorers with this fault the body fails; without the fault it has
// to pass in all of them.
int worlds_noticed(const Fault& fault, const Body& body);
// The same of a body that breaks something itself; `sound` is what it is otherwise.
int worlds_noticed(const Body& sound, const Body& broken);

}  // namespace latchlab::conformance

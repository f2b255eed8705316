#pragma once
// A client whose verbs, messages and calls fail as a test chooses, or which runs a test's code just
// before one of them.

#include <memory>
#include <utility>

#include "core/verbs/wrappers.h"
#include "core/world/world.h"

namespace latchlab::testing {

// A second part for a client of the world, to be used instead of the first one; for protocols that
// give their clients neither words nor endpoints.
class FaultyClient {
 public:
  FaultyClient(const World& world, ClientId client, FaultDecision decide)
      : verbs_(&world.verbs(client), std::move(decide)) {
    ClientEnv env;
    env.verbs = &verbs_;
    env.peers = &world;
    part_ = world.protocol().make_client(env);
  }
  LockClient* operator->() const { return part_.get(); }

 private:
  FaultInjectingVerbs verbs_;
  std::unique_ptr<LockClient> part_;
};

}  // namespace latchlab::testing

#pragma once
// A client whose verbs, messages and calls fail where a test says so, or which does something just
// before one of them.

#include <memory>
#include <utility>

#include "core/verbs/wrappers.h"
#include "core/world/world.h"

namespace latchlab::testing {

// A second part of a client of the world, to be used instead of the first. For protocols that give
// their clients neither words nor endpoints.
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

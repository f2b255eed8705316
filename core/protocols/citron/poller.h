#pragma once
// The background thread of a client node that grows trees (CITRON 4.5), for `scale_up_by: poller`.

#include <vector>

#include "core/base/lookup.h"
#include "core/protocols/citron/options.h"
#include "core/protocols/lock.h"

namespace latchlab::citron {

class Poller final : public NodePart {
 public:
  Poller(const Options& options, const NodeEnv& env) : options_(options), env_(env) {}

  // A visit: a client of the node acquires a range of this lock.
  void uses(LockRef lock);

  // Every `scale_up_poll`, beginning at a random time, looks at the maximizers of these locks.
  Task<void> background(Verbs& verbs) override;

 private:
  const Options& options_;  // the protocol's, which outlives its parts
  const NodeEnv env_;
  std::vector<LockRef> locks_;  // that clients of the node use, in the order of first uses
  Lookup<char> known_;          // these locks
};

}  // namespace latchlab::citron

#pragma once
// What a lock says of a run that it takes, and in which it does not do what its table promises. A
// protocol that has something to say may be one of these besides; `latchlab check` and `latchlab
// run` print it.

#include <string>
#include <vector>

#include "core/protocols/lock.h"

namespace latchlab {

struct AdvisedRun {
  Shape shape;
  bool servers_fail = false;  // a server, or a path to one
};

class RunAdvice {
 public:
  virtual ~RunAdvice() = default;
  // One line each, which names the parameter to set.
  virtual std::vector<std::string> advice(const AdvisedRun& run) const = 0;
};

// Null: it has nothing to say.
inline const RunAdvice* run_advice_of(const Protocol& protocol) {
  return dynamic_cast<const RunAdvice*>(&protocol);
}

}  // namespace latchlab

#pragma once
// Advice of a lock about a run that is accepted, but in which it does not do what its description
// promises. A protocol with advice also derives from RunAdvice; `latchlab check` and `latchlab run`
// print it.

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
  // Lines of advice, each of which names the parameter to set.
  virtual std::vector<std::string> advice(const AdvisedRun& run) const = 0;
};

// Null: the protocol has no advice.
inline const RunAdvice* run_advice_of(const Protocol& protocol) {
  return dynamic_cast<const RunAdvice*>(&protocol);
}

}  // namespace latchlab

#pragma once
// A planted bug, while it is active.

#include "core/protocols/common/planted.h"

namespace latchlab::testing {

// The only way to activate one; tests/tidy finds the names by it.
struct Bug {
  const char* name;
};

class Active {
 public:
  explicit Active(Bug bug) { planted::active = bug.name; }
  ~Active() { planted::active = {}; }
  Active(const Active&) = delete;
  Active& operator=(const Active&) = delete;
};

}  // namespace latchlab::testing

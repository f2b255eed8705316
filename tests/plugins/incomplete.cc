// A plug-in that uses a function which is not defined.

#include "core/protocols/plugin.h"

namespace latchlab {

ProtocolEntry entry_that_is_not_defined();

ProtocolEntry incomplete_entry() {
  return entry_that_is_not_defined();
}

}  // namespace latchlab

LATCHLAB_PLUGIN(latchlab::incomplete_entry)

// A plug-in that uses what nobody defines.

#include "core/protocols/plugin.h"

namespace latchlab {

ProtocolEntry entry_that_nobody_wrote();

ProtocolEntry incomplete_entry() {
  return entry_that_nobody_wrote();
}

}  // namespace latchlab

LATCHLAB_PLUGIN(latchlab::incomplete_entry)

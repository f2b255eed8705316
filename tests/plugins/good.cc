// The mcs lock as a plug-in: its source, compiled once more, under another name.

#define mcs_entry mcs_of_the_plugin
#include "core/protocols/mcs/mcs.cc"  // NOLINT(bugprone-suspicious-include)
#include "core/protocols/plugin.h"

namespace latchlab {

ProtocolEntry renamed_entry() {
  ProtocolEntry entry = mcs_of_the_plugin();
  entry.info.name = "mcs_plugged";
  return entry;
}

}  // namespace latchlab

LATCHLAB_PLUGIN(latchlab::renamed_entry)

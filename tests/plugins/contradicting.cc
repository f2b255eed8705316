// A plug-in whose lock declares a parameter twice.

#include "core/protocols/plugin.h"

namespace latchlab {

ProtocolEntry contradicting_entry() {
  ProtocolEntry entry;
  entry.info.name = "contradicting";
  entry.info.params = {boolean_param("twice", false, "once"), boolean_param("twice", true, "more")};
  entry.make = [](const ParamSet&) -> std::unique_ptr<Protocol> { return nullptr; };
  return entry;
}

}  // namespace latchlab

LATCHLAB_PLUGIN(latchlab::contradicting_entry)

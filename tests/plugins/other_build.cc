// The build information of a plug-in from another build: tests/CMakeLists.txt sets OTHER_* for
// each.

#include "core/protocols/plugin.h"

// NOLINTBEGIN(readability-identifier-naming): programs look for this name
extern "C" const latchlab::PluginDescription latchlab_plugin;
const latchlab::PluginDescription latchlab_plugin = {
    OTHER_ABI, OTHER_VERSION, LATCHLAB_SEAM, OTHER_COMPILER, LATCHLAB_LIBRARY, nullptr, 0};
// NOLINTEND(readability-identifier-naming)

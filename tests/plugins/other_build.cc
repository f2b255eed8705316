// What a plug-in says that was built otherwise: OTHER_* are set for each by tests/CMakeLists.txt.

#include "core/protocols/plugin.h"

// NOLINTBEGIN(readability-identifier-naming): the name is what programs look for
extern "C" const latchlab::PluginDescription latchlab_plugin;
const latchlab::PluginDescription latchlab_plugin = {
    OTHER_ABI, OTHER_VERSION, LATCHLAB_SEAM, OTHER_COMPILER, LATCHLAB_LIBRARY, nullptr, 0};
// NOLINTEND(readability-identifier-naming)

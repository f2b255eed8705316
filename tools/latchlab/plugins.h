#pragma once
// Locks from shared libraries: --plugin and LATCHLAB_PLUGINS (core/protocols/plugin.h says what a
// plug-in is).

#include <string>
#include <vector>

#include "core/base/result.h"

namespace latchlab::tool {

struct LoadedPlugin {
  std::string file;  // as given
  std::string hash;  // of its bytes
};

// Loads the plug-ins of LATCHLAB_PLUGINS (paths separated by colons), then `files`, each once, and
// registers their locks. Call before the first lookup of a protocol. Errors name the file and the
// remedy.
Status load_plugins(const std::vector<std::string>& files);

const std::vector<LoadedPlugin>& loaded_plugins();

// Options that load the same plug-ins: " --plugin FILE ...", or empty.
std::string plugin_options();

}  // namespace latchlab::tool

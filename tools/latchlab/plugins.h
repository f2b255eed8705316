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

// Loads those of LATCHLAB_PLUGINS (paths joined by colons), then `files`, once each, and registers
// their locks; before anything asks for a protocol. Errors name the file and the fix.
Status load_plugins(const std::vector<std::string>& files);

const std::vector<LoadedPlugin>& loaded_plugins();

// What to append to a command so that it loads the same: " --plugin FILE ...", or nothing.
std::string plugin_options();

}  // namespace latchlab::tool

#pragma once
// The files that `latchlab new protocol` writes, made from the templates of tools/new-protocol.

#include <string>
#include <vector>

#include "core/base/result.h"

namespace latchlab::tool {

struct NewFile {
  std::string path;  // relative to where it goes
  std::string text;
};

// snake_case, at most 20 letters, neither a word of C++ or CMake nor the name of a lock that this
// process knows.
Status check_protocol_name(const std::string& name);

// A directory of its own, built against an installed Latchlab.
std::vector<NewFile> out_of_tree_files(const std::string& name);
// Beside Latchlab's own locks, whose build finds them by their folder.
std::vector<NewFile> in_tree_files(const std::string& name);

}  // namespace latchlab::tool

#pragma once
// `latchlab new`.

#include <string>
#include <vector>

#include "core/base/result.h"

namespace latchlab::tool {

struct NewProtocolArguments {
  std::string what = "protocol";
  std::string name;
  // The source tree, or with `out_of_tree` the directory to create; empty: the current directory,
  // or NAME.
  std::string out;
  bool out_of_tree = false;
};
int new_protocol(const NewProtocolArguments& arguments);

// ---- the files, made from the templates of tools/new-protocol ----

struct NewFile {
  std::string path;  // relative to the target directory
  std::string text;
};

// Requires snake_case, at most 20 characters, and a name that is neither reserved in C++ or CMake
// nor taken by a registered lock.
Status check_protocol_name(const std::string& name);

// A separate project that builds against an installed Latchlab.
std::vector<NewFile> out_of_tree_files(const std::string& name);
// Files inside this source tree, whose build finds locks by their folder.
std::vector<NewFile> in_tree_files(const std::string& name);

}  // namespace latchlab::tool

#pragma once
// Versions of this program, its libraries and its compiler.

#include <string>
#include <utility>
#include <vector>

namespace latchlab::tool {

// Name and version of each library of this build.
std::vector<std::pair<std::string, std::string>> library_versions();
std::string compiler_version();  // "g++ 12.2.0"
std::string build_type();        // "Release"

// What --version prints: the first line is "latchlab X.Y.Z".
std::string version_text();

}  // namespace latchlab::tool

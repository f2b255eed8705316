#pragma once
// Identity of this program: versions of it, its libraries and its compiler.

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

// Identifies the code that produces results: equal for equal program files.
const std::string& program_identity();
// program_identity() combined with the loaded plug-ins.
std::string program_with_plugins();

}  // namespace latchlab::tool

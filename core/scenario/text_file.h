#pragma once
// Reads the small text files of a scenario, and finds them in the data directories.

#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/scenario/scenario.h"

namespace latchlab {

// Where relative files are looked up: first in the scenario's directory.
struct Files {
  std::string directory;
  const DataDirs& data;
};

// The whole file. A path that is not a regular file, is unreadable or exceeds kLongestYamlBytes is
// an error that names the path.
Result<std::string> read_text_file(const std::string& path);

bool is_file(const std::string& path);
// A file that a scenario names: the one next to the scenario if it exists, else `given`, which may
// be relative to the working directory. Does not check that the result exists.
std::string named_by_scenario(const std::string& given, const Files& files);
std::string directory_of(const std::string& path);  // "." when there is none

// Finds FOLDER/NAME.yaml in the data directories, or a path: first in `directory`, then relative to
// the working directory, then in the data directories. Empty: not found.
std::string find_data_file(const std::string& name_or_path, const std::string& folder,
                           const std::string& directory, const DataDirs& data);

// The names of all FOLDER/*.yaml, sorted.
std::vector<std::string> data_names(const std::string& folder, const DataDirs& data);

}  // namespace latchlab

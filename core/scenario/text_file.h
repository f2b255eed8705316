#pragma once
// Reading the small text files of a scenario, and finding them in the data directories.

#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/scenario/scenario.h"

namespace latchlab {

// Where relative files are looked up: next to the scenario first.
struct Files {
  std::string directory;
  const DataDirs& data;
};

// The whole file; not a regular file, unreadable or too long is an error that names the path.
Result<std::string> read_text_file(const std::string& path);

bool is_file(const std::string& path);
// A file that a scenario names, which may be relative to it, or to here. Whether it is there is not
// looked at.
std::string named_by_scenario(const std::string& given, const Files& files);
std::string directory_of(const std::string& path);  // "." when there is none

// Where FOLDER/NAME.yaml or a path is: next to `directory` first, then in the data directories.
// Empty: nowhere.
std::string find_data_file(const std::string& name_or_path, const std::string& folder,
                           const std::string& directory, const DataDirs& data);

// The names of all FOLDER/*.yaml, sorted.
std::vector<std::string> data_names(const std::string& folder, const DataDirs& data);

}  // namespace latchlab

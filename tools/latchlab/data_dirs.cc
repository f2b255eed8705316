#include <cstdlib>
#include <filesystem>

#include "tools/latchlab/load.h"

namespace latchlab::tool {

namespace fs = std::filesystem;

DataDirs data_dirs(const std::string& extra) {
  DataDirs data;
  if (!extra.empty()) data.dirs.push_back(extra);
  if (const char* from_environment = std::getenv("LATCHLAB_DATA"))
    data.dirs.emplace_back(from_environment);
  std::error_code error;
  const fs::path binary = fs::read_symlink("/proc/self/exe", error);
  if (!error)
    data.dirs.push_back((binary.parent_path().parent_path() / "share" / "latchlab").string());
  data.dirs.emplace_back(LATCHLAB_SOURCE_DIR);
  return data;
}

}  // namespace latchlab::tool

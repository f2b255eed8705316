#include "core/base/file_allowlist.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <system_error>

namespace latchlab {
namespace {

namespace fs = std::filesystem;

// The real path, with links resolved; empty if it cannot be determined.
fs::path real_path(const std::string& path) {
  std::error_code failed;
  fs::path real = fs::weakly_canonical(path, failed);
  return failed ? fs::path() : real;
}

std::optional<std::vector<fs::path>>& bounds() {
  static std::optional<std::vector<fs::path>> all;
  return all;
}

bool is_below(const fs::path& file, const fs::path& directory) {
  const auto [rest, _] =
      std::mismatch(directory.begin(), directory.end(), file.begin(), file.end());
  return !directory.empty() && rest == directory.end();
}

}  // namespace

void read_only_below(const std::vector<std::string>& directories) {
  bounds().emplace();
  for (const std::string& directory : directories) bounds()->push_back(real_path(directory));
}

Status may_read(const std::string& path) {
  if (!bounds()) return fine();
  const fs::path file = real_path(path);
  for (const fs::path& directory : *bounds())
    if (is_below(file, directory)) return fine();
  return Error{
      "a scenario from elsewhere names this file, which is below no data directory of this node; "
      "if it is to be read, give the node its directory by --data",
      path};
}

}  // namespace latchlab

#include "core/scenario/text_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>

#include "core/base/file_allowlist.h"
#include "core/scenario/yaml_tree.h"

namespace latchlab {

namespace fs = std::filesystem;

Result<std::string> read_text_file(const std::string& path) {
  if (Status may = may_read(path); !may) return may.error();
  std::error_code failed;
  if (!fs::exists(path, failed)) return Error{"no such file; check the path", path};
  if (!fs::is_regular_file(path, failed))
    return Error{"not a file; expected the path of a YAML file", path};
  std::ifstream stream(path, std::ios::binary);
  if (!stream) return Error{"cannot be read; check its permissions", path};
  std::string text(kLongestYamlBytes + 1, '\0');
  stream.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(stream.gcount()));
  if (stream.bad()) return Error{"cannot be read to its end", path};
  if (text.size() > kLongestYamlBytes)
    return Error{fmt::format("longer than {} bytes; is this the right file?", kLongestYamlBytes),
                 path};
  return text;
}

bool is_file(const std::string& path) {
  std::error_code failed;
  return fs::is_regular_file(path, failed);
}

std::string directory_of(const std::string& path) {
  const std::string parent = fs::path(path).parent_path().string();
  return parent.empty() ? "." : parent;
}

std::string named_by_scenario(const std::string& given, const Files& files) {
  const std::string beside = files.directory + "/" + given;
  const bool relative = !given.starts_with('/') && !files.directory.empty();
  return relative && is_file(beside) ? beside : given;
}

std::string find_data_file(const std::string& name_or_path, const std::string& folder,
                           const std::string& directory, const DataDirs& data) {
  const fs::path given(name_or_path);
  std::vector<std::string> tries;
  const bool is_path = name_or_path.find('/') != std::string::npos || given.extension() == ".yaml";
  if (is_path) {
    if (given.is_relative() && !directory.empty())
      tries.push_back((fs::path(directory) / given).string());
    tries.push_back(name_or_path);
  }
  for (const std::string& dir : data.dirs) {
    tries.push_back((fs::path(dir) / folder / (name_or_path + ".yaml")).string());
    if (!is_path) continue;
    tries.push_back((fs::path(dir) / folder / given).string());
    tries.push_back((fs::path(dir) / given).string());
  }
  const auto found = std::find_if(tries.begin(), tries.end(), is_file);
  return found == tries.end() ? "" : *found;
}

std::vector<std::string> data_names(const std::string& folder, const DataDirs& data) {
  std::set<std::string> names;
  for (const std::string& dir : data.dirs) {
    std::error_code failed;
    for (fs::directory_iterator at(fs::path(dir) / folder, failed), end; !failed && at != end;
         at.increment(failed))
      if (at->path().extension() == ".yaml") names.insert(at->path().stem().string());
  }
  return {names.begin(), names.end()};
}

}  // namespace latchlab

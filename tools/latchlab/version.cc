#include "tools/latchlab/version.h"

#include <fmt/core.h>

#include <nlohmann/json.hpp>

namespace latchlab::tool {

std::vector<std::pair<std::string, std::string>> library_versions() {
  const int fmt_version = FMT_VERSION;  // MMmmpp
  std::vector<std::pair<std::string, std::string>> all;
#ifdef LATCHLAB_WITH_SIMGRID
  all.emplace_back("SimGrid", LATCHLAB_SIMGRID_VERSION);
#endif
  all.emplace_back("yaml-cpp", LATCHLAB_YAML_CPP_VERSION);
  all.emplace_back("Eigen", LATCHLAB_EIGEN_VERSION);
  all.emplace_back("fmt", fmt::format("{}.{}.{}", fmt_version / 10'000, fmt_version / 100 % 100,
                                      fmt_version % 100));
  all.emplace_back("nlohmann-json",
                   fmt::format("{}.{}.{}", NLOHMANN_JSON_VERSION_MAJOR, NLOHMANN_JSON_VERSION_MINOR,
                               NLOHMANN_JSON_VERSION_PATCH));
  all.emplace_back("CLI11", LATCHLAB_CLI11_VERSION);
  return all;
}

std::string compiler_version() {
#ifdef __clang__
  return fmt::format("clang {}.{}.{}", __clang_major__, __clang_minor__, __clang_patchlevel__);
#else
  return fmt::format("g++ {}.{}.{}", __GNUC__, __GNUC_MINOR__, __GNUC_PATCHLEVEL__);
#endif
}

std::string build_type() {
  return LATCHLAB_BUILD_TYPE;
}

std::string version_text() {
  std::string libraries;
  for (const auto& [name, version] : library_versions())
    libraries += (libraries.empty() ? "" : ", ") + name + " " + version;
  return fmt::format("latchlab {}\nbuilt by {}, {}\nwith {}", LATCHLAB_VERSION, compiler_version(),
                     build_type(), libraries);
}

}  // namespace latchlab::tool

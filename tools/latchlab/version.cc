#include "tools/latchlab/version.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <vector>

#include "core/base/fingerprint.h"
#include "core/base/json.h"
#include "tools/latchlab/plugins.h"
#include "tools/latchlab/run.h"

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

namespace {

// Hashes the program file rather than its version: a run must not mix points of two builds that
// differ in the model but have the same version.
std::string hash_of_program() {
  Fingerprint hash;
  std::ifstream stream("/proc/self/exe", std::ios::binary);
  std::vector<std::uint64_t> words(1 << 16);
  while (stream) {
    std::fill(words.begin(), words.end(), 0);
    stream.read(reinterpret_cast<char*>(words.data()),
                static_cast<std::streamsize>(words.size() * sizeof words[0]));
    hash.add(static_cast<std::uint64_t>(stream.gcount()));
    for (std::streamsize i = 0; i < (stream.gcount() + 7) / 8; ++i)
      hash.add(words[static_cast<std::size_t>(i)]);
  }
  return std::string("latchlab " LATCHLAB_VERSION " ") + hash.text();
}

}  // namespace

const std::string& program_identity() {
  static const std::string identity = hash_of_program();
  return identity;
}

std::string program_with_plugins() {
  std::string program = program_identity();
  for (const LoadedPlugin& plugin : loaded_plugins()) program += " " + plugin.hash;
  return program;
}

RunManifest manifest_of(const RunBackend& backend) {
  RunManifest manifest{.version = LATCHLAB_VERSION,
                       .backend = backend.name,
                       .emulated = backend.emulated,
                       .software = backend.software,
                       .plugins = {},
                       .quick = {}};
  for (const LoadedPlugin& plugin : loaded_plugins())
    manifest.plugins.emplace_back(std::filesystem::path(plugin.file).filename().string(),
                                  plugin.hash);
  return manifest;
}

std::string maker_of(const RunBackend& backend) {
  return program_with_plugins() + (backend.setting.empty() ? "" : " " + backend.setting);
}

}  // namespace latchlab::tool

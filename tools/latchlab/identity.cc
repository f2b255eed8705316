#include <algorithm>
#include <filesystem>
#include <fstream>
#include <vector>

#include "core/base/fingerprint.h"
#include "tools/latchlab/commands.h"
#include "tools/latchlab/plugins.h"
#include "tools/latchlab/run_one.h"

namespace latchlab::tool {

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

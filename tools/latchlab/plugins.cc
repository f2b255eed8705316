#include "tools/latchlab/plugins.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "core/base/fingerprint.h"
#include "core/protocols/plugin.h"
#include "core/protocols/registry.h"
#include "tools/latchlab/command_line.h"

namespace latchlab::tool {

namespace {

namespace fs = std::filesystem;

constexpr PluginDescription kOurs = {LATCHLAB_PLUGIN_BUILD, nullptr, 0};

std::vector<LoadedPlugin>& loaded() {
  static std::vector<LoadedPlugin> plugins;
  return plugins;
}

// The bytes of the file, if it may be a shared library.
Result<std::string> image_of(const std::string& file) {
  std::error_code failed;
  if (!fs::exists(file, failed)) return Error{"there is no such plug-in", file};
  if (!fs::is_regular_file(file, failed)) return Error{"a plug-in is a file: NAME.so", file};
  std::ifstream stream(file, std::ios::binary);
  std::ostringstream all;
  all << stream.rdbuf();
  if (!stream) return Error{"the plug-in cannot be read", file};
  std::string image = all.str();
  if (image.compare(0, 4, "\177ELF") != 0)
    return Error{"this is no shared library: give the .so that the build of the plug-in made",
                 file};
  return image;
}

std::string hash_of_bytes(const std::string& image) {
  Fingerprint hash;
  for (std::size_t at = 0; at < image.size(); at += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, image.data() + at, std::min<std::size_t>(8, image.size() - at));
    hash.add(word);
  }
  return hash.text();
}

// Why a plug-in with this description must not be used; empty: it is compatible.
std::string why_not(const PluginDescription& its) {
  const auto differs = [](const char* what, const auto& has, const auto& wanted) {
    return fmt::format(
        "it was built {} {}, this latchlab {}: rebuild it with the Latchlab that "
        "you run (find_package(Latchlab))",
        what, has, wanted);
  };
  if (its.abi != kOurs.abi) return differs("for plug-in interface", its.abi, kOurs.abi);
  const std::string versions[] = {its.version, kOurs.version};
  if (versions[0] != versions[1]) return differs("for Latchlab", versions[0], versions[1]);
  if (std::strcmp(its.seam, kOurs.seam) != 0) return differs("from headers", its.seam, kOurs.seam);
  if (std::strcmp(its.compiler, kOurs.compiler) != 0)
    return differs("by", its.compiler, kOurs.compiler);
  if (std::strcmp(its.library, kOurs.library) != 0)
    return differs("with", its.library, kOurs.library);
  if (its.maker_count == 0) return "it brings no lock: name one in LATCHLAB_PLUGIN(...)";
  return {};
}

const PluginDescription* description_in(void* library) {
  return static_cast<const PluginDescription*>(::dlsym(library, kPluginSymbol));
}

// The loader's message without the path, which our message already names.
std::string loader_says(const std::string& path) {
  std::string text = ::dlerror();
  if (text.rfind(path + ": ", 0) == 0) text.erase(0, path.size() + 2);
  return text;
}

// If symbols are missing, lazy loading often still gives access to the description, which tells the
// cause.
Error load_error(const std::string& file, const std::string& path) {
  const std::string reason = loader_says(path);
  void* const library = ::dlopen(path.c_str(), RTLD_LAZY | RTLD_LOCAL);
  const PluginDescription* its = library != nullptr ? description_in(library) : nullptr;
  if (its != nullptr)
    if (std::string why = why_not(*its); !why.empty()) return {std::move(why), file};
  return {fmt::format("the plug-in cannot be loaded: {}; what it uses must be in the plug-in or in "
                      "Latchlab's core",
                      reason),
          file};
}

Status load(const std::string& file) {
  const Result<std::string> image = image_of(file);
  if (!image) return image.error();
  const std::string path = fs::absolute(file).string();
  void* const library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return load_error(file, path);
  const PluginDescription* const its = description_in(library);
  if (its == nullptr)
    return Error{fmt::format("this is no Latchlab plug-in: it has no symbol {}; one of its files "
                             "must say LATCHLAB_PLUGIN(...) (core/protocols/plugin.h)",
                             kPluginSymbol),
                 file};
  if (std::string why = why_not(*its); !why.empty()) return Error{std::move(why), file};
  for (std::size_t i = 0; i < its->maker_count; ++i) {
    ProtocolEntry entry = its->makers[i]();
    const std::string name = entry.info.name;
    if (const Status added = register_protocol(std::move(entry)); !added)
      return Error{fmt::format("lock {}: {}", name, added.error().message), file};
  }
  loaded().push_back({file, hash_of_bytes(image.value())});
  return fine();
}

std::vector<std::string> files_of_environment() {
  const char* const value = std::getenv("LATCHLAB_PLUGINS");
  std::istringstream parts(value != nullptr ? value : "");
  std::vector<std::string> files;
  for (std::string part; std::getline(parts, part, ':');)
    if (!part.empty()) files.push_back(part);
  return files;
}

}  // namespace

Status load_plugins(const std::vector<std::string>& files) {
  std::vector<std::string> all = files_of_environment();
  all.insert(all.end(), files.begin(), files.end());
  for (const std::string& file : all) {
    std::error_code failed;
    const auto same = [&](const LoadedPlugin& plugin) {
      return fs::equivalent(plugin.file, file, failed);
    };
    if (std::any_of(loaded().begin(), loaded().end(), same)) continue;
    if (Status done = load(file); !done) return done;
  }
  return fine();
}

const std::vector<LoadedPlugin>& loaded_plugins() {
  return loaded();
}

std::string plugin_options() {
  std::string options;
  for (const LoadedPlugin& plugin : loaded()) options += " --plugin " + shell_word(plugin.file);
  return options;
}

}  // namespace latchlab::tool

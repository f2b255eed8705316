#include "tools/latchlab/new_protocol.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>

#include "core/protocols/registry.h"
#include "core/run/files.h"
#include "core/scenario/text_file.h"
#include "tools/latchlab/load.h"
#include "tools/report/embedded.h"

namespace latchlab::tool {

namespace fs = std::filesystem;

namespace {

constexpr const char* kRegistry = "core/protocols/registry.cc";

Error exists_already(const fs::path& path) {
  return {"exists already, and nothing is overwritten: choose another name, or move it away",
          path.string()};
}

// Writes all files, or restores the previous state.
class Writing {
 public:
  explicit Writing(fs::path root) : root_(std::move(root)) {}
  ~Writing() {
    if (done_) return;
    std::error_code ignored;
    for (auto at = made_.rbegin(); at != made_.rend(); ++at) fs::remove(*at, ignored);
  }
  Writing(const Writing&) = delete;
  Writing& operator=(const Writing&) = delete;

  Status add(const NewFile& file) {
    const fs::path path = root_ / file.path;
    if (const Status made = make_directories(path.parent_path()); !made) return made;
    const auto claimed = claim_file(path.string());
    if (!claimed) return claimed.error();
    if (!claimed.value()) return exists_already(path);
    made_.push_back(path);
    return write_atomically(path.string(), file.text);
  }
  void keep() { done_ = true; }

 private:
  Status make_directories(const fs::path& directory) {
    std::error_code failed;
    if (directory.empty() || fs::is_directory(directory, failed)) return fine();
    if (const Status made = make_directories(directory.parent_path()); !made) return made;
    const bool made_here = fs::create_directory(directory, failed);
    if (failed) return Error{"cannot be made: " + failed.message(), directory.string()};
    if (made_here) made_.push_back(directory);
    return fine();
  }

  fs::path root_;
  std::vector<fs::path> made_;
  bool done_ = false;
};

Status check_absent(const fs::path& root, const std::vector<NewFile>& files) {
  std::error_code failed;
  for (const NewFile& file : files)
    if (const fs::path path = root / file.path; fs::exists(fs::symlink_status(path, failed)))
      return exists_already(path);
  return fine();
}

Status write_all(const fs::path& root, const std::vector<NewFile>& files, Writing& writing) {
  if (const Status absent = check_absent(root, files); !absent) return absent;
  for (const NewFile& file : files)
    if (Status written = writing.add(file); !written) return written;
  return fine();
}

void tell(const fs::path& root, const std::vector<NewFile>& files) {
  for (const NewFile& file : files) fmt::print("  wrote {}\n", (root / file.path).string());
}

int new_out_of_tree(const NewProtocolArguments& arguments) {
  const std::string& name = arguments.name;
  const fs::path root = arguments.out.empty() ? fs::path(name) : fs::path(arguments.out);
  std::error_code failed;
  if (fs::exists(root, failed) && !fs::is_empty(root, failed))
    return complain(
        {"exists already, and nothing is overwritten: choose another --out", root.string()});
  const std::vector<NewFile> files = out_of_tree_files(name);
  Writing writing(root);
  if (const Status written = write_all(root, files, writing); !written)
    return complain(written.error());
  writing.keep();
  fmt::print("{}: a ticket lock that works, to be made yours\n", name);
  tell(root, files);
  fmt::print(
      "Next:\n"
      "  cd {0}\n"
      "  cmake -G Ninja -B build && cmake --build build && ctest --test-dir build\n"
      "  latchlab run {1}.yaml --plugin build/{1}.so\n"
      "  latchlab explore --protocol {1} --plugin build/{1}.so --clients 3\n"
      "Then edit {1}.h, which says what the lock is, and {1}.cc.\n",
      root.string(), name);
  return kFine;
}

int new_in_tree(const NewProtocolArguments& arguments) {
  const std::string& name = arguments.name;
  const fs::path root = arguments.out;
  if (!is_file((root / kRegistry).string()))
    return complain(
        {fmt::format("{} is not Latchlab's source tree (it has no {}): go there or name it with "
                     "--out, or write a lock of your own beside it with --out-of-tree",
                     root.empty() ? "this directory" : root.string(), kRegistry),
         {}});
  const std::vector<NewFile> files = in_tree_files(name);
  Writing writing(root);
  if (const Status written = write_all(root, files, writing); !written)
    return complain(written.error());
  writing.keep();
  fmt::print("{}: a ticket lock that works, to be made yours\n", name);
  tell(root, files);
  fmt::print(
      "Next:\n"
      "  cmake --preset dev && cmake --build --preset dev\n"
      "  ctest --preset dev -R '^{0}'\n"
      "  build/dev/bin/latchlab run {0}\n"
      "  build/dev/bin/latchlab explore --protocol {0} --clients 3\n"
      "  build/dev/bin/latchlab list protocols --markdown   # for docs/locks.md\n"
      "  build/dev/bin/latchlab schema --markdown >docs/scenario-reference.md\n"
      "Then edit core/protocols/{0}/{0}.h, which says what the lock is, and {0}.cc;\n"
      "tests/protocols/{0}/verdicts is what tools/verify searches.\n",
      name);
  return kFine;
}

}  // namespace

int new_protocol(const NewProtocolArguments& arguments) {
  if (const Status fits = check_protocol_name(arguments.name); !fits) return complain(fits.error());
  return arguments.out_of_tree ? new_out_of_tree(arguments) : new_in_tree(arguments);
}

// Makes the texts of the files that `latchlab new protocol` writes.

namespace {

constexpr std::size_t kLongestName = 20;  // longer ones would not fit the lines of the templates

// Reserved words of C++, target names of CMake, and names that the generated code uses.
constexpr std::string_view kTaken[] = {
    "alignas",       "alignof",     "all",       "and",          "and_eq",     "asm",
    "auto",          "bitand",      "bitor",     "bool",         "break",      "case",
    "catch",         "char",        "char8_t",   "char16_t",     "char32_t",   "class",
    "clean",         "co_await",    "co_return", "co_yield",     "compl",      "concept",
    "const",         "consteval",   "constexpr", "constinit",    "const_cast", "continue",
    "core",          "decltype",    "default",   "delete",       "do",         "double",
    "dynamic_cast",  "else",        "enum",      "experimental", "explicit",   "export",
    "extern",        "false",       "final",     "float",        "for",        "friend",
    "goto",          "help",        "if",        "import",       "inline",     "install",
    "int",           "latchlab",    "long",      "main",         "module",     "mutable",
    "namespace",     "new",         "noexcept",  "not",          "not_eq",     "nullptr",
    "operator",      "or",          "or_eq",     "override",     "package",    "planted",
    "plugin",        "private",     "protected", "public",       "register",   "reinterpret_cast",
    "requires",      "return",      "short",     "signed",       "sizeof",     "static",
    "static_assert", "static_cast", "std",       "struct",       "switch",     "template",
    "test",          "testing",     "this",      "thread_local", "throw",      "true",
    "try",           "typedef",     "typeid",    "typename",     "union",      "unsigned",
    "using",         "virtual",     "void",      "volatile",     "wchar_t",    "while",
    "xor",           "xor_eq",      "explore",   "tool",         "tests",      "common"};

using Values = std::vector<std::pair<std::string, std::string>>;

std::string filled(std::string_view file, const Values& values) {
  std::string text(embedded(new_protocol_templates(), file));
  for (const auto& [name, value] : values) {
    const std::string mark = "@" + name + "@";
    for (std::size_t at = text.find(mark); at != text.npos; at = text.find(mark, at + value.size()))
      text.replace(at, mark.size(), value);
  }
  return text;
}

}  // namespace

Status check_protocol_name(const std::string& name) {
  const auto fits = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
  };
  const bool snake = !name.empty() && name.front() >= 'a' && name.front() <= 'z' &&
                     std::all_of(name.begin(), name.end(), fits) && name.back() != '_' &&
                     name.find("__") == name.npos;
  if (!snake)
    return Error{fmt::format("'{}' is no name for a lock: use snake_case such as my_lock (a-z, 0-9 "
                             "and single _ between them)",
                             name),
                 {}};
  if (name.size() > kLongestName)
    return Error{fmt::format("'{}' has {} letters: at most {}", name, name.size(), kLongestName),
                 {}};
  if (std::find(std::begin(kTaken), std::end(kTaken), name) != std::end(kTaken))
    return Error{fmt::format("'{}' means something to C++, CMake or Latchlab: choose another name, "
                             "for example {}_lock",
                             name, name),
                 {}};
  if (find_protocol(name) != nullptr)
    return Error{fmt::format("there is a lock '{}' already (latchlab list protocols): choose "
                             "another name",
                             name),
                 {}};
  return fine();
}

std::vector<NewFile> out_of_tree_files(const std::string& name) {
  std::string includes[] = {"#include \"core/protocols/registry.h\"\n",
                            fmt::format("#include \"{}.h\"\n", name)};
  std::sort(std::begin(includes), std::end(includes));
  const Values values = {{"name", name},
                         {"header", name + ".h"},
                         {"includes", includes[0] + includes[1]},
                         {"tests", "tests"}};
  const std::pair<std::string, const char*> files[] = {
      {name + ".h", "lock.h.in"},
      {name + ".cc", "lock.cc.in"},
      {"plugin.cc", "plugin.cc.in"},
      {"tests/" + name + "_test.cc", "lock_test.cc.in"},
      {"tests/" + name + "_planted.cc", "lock_planted.cc.in"},
      {"tests/main.cc", "main.cc.in"},
      {name + ".yaml", "scenario.yaml.in"},
      {"CMakeLists.txt", "CMakeLists.txt.in"},
      {"README.md", "README.md.in"},
      {".gitignore", "gitignore.in"}};
  std::vector<NewFile> all;
  for (const auto& [path, from] : files) all.push_back({path, filled(from, values)});
  return all;
}

std::vector<NewFile> in_tree_files(const std::string& name) {
  const std::string lock = "core/protocols/" + name + "/" + name;
  const std::string tests = "tests/protocols/" + name;
  const Values values = {{"name", name}, {"header", lock + ".h"}, {"tests", tests}};
  return {{lock + ".h", filled("lock.h.in", values)},
          {lock + ".cc", filled("lock.cc.in", values)},
          {tests + "/" + name + "_test.cc", filled("lock_test.cc.in", values)},
          {tests + "/" + name + "_planted.cc", filled("lock_planted.cc.in", values)},
          {tests + "/verdicts", filled("verdicts.in", values)},
          {"scenarios/" + name + ".yaml", filled("scenario.yaml.in", values)}};
}

}  // namespace latchlab::tool

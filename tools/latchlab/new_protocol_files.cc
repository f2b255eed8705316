// Makes the texts of the files that `latchlab new protocol` writes.

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "core/protocols/registry.h"
#include "tools/latchlab/embedded.h"
#include "tools/latchlab/new_protocol.h"

namespace latchlab::tool {

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

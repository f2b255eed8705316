// What `latchlab new protocol` writes, as text.

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

// Of C++, of CMake (names of targets), and what generated code calls something else.
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
    "xor",           "xor_eq",      "explore",   "tool",         "tests"};

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

// The end of the last line of `text` for which `is_it` says yes; npos: there is none.
template <class Is>
std::size_t after_last_line(const std::string& text, const Is& is_it) {
  std::size_t found = text.npos;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size() - 1) + 1;
    if (is_it(std::string_view(text).substr(begin, end - begin))) found = end;
    begin = end;
  }
  return found;
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
                         {"planted_header", "planted.h"},
                         {"planted_namespace", name + "_bug"},
                         {"test_path", "tests/" + name + "_test.cc"},
                         {"planted_test_path", "tests/" + name + "_planted.cc"}};
  const std::pair<std::string, const char*> files[] = {
      {name + ".h", "lock.h.in"},
      {name + ".cc", "lock.cc.in"},
      {"planted.h", "planted.h.in"},
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
  const std::string test = "tests/protocols/" + name + "_test.cc";
  const std::string planted_test = "tests/planted/" + name + "_planted.cc";
  const Values values = {{"name", name},
                         {"header", "core/protocols/" + name + ".h"},
                         {"planted_header", "core/protocols/common/planted.h"},
                         {"planted_namespace", "latchlab::planted"},
                         {"test_path", test},
                         {"planted_test_path", planted_test}};
  return {{"core/protocols/" + name + ".h", filled("lock.h.in", values)},
          {"core/protocols/" + name + ".cc", filled("lock.cc.in", values)},
          {test, filled("lock_test.cc.in", values)},
          {planted_test, filled("lock_planted.cc.in", values)},
          {"scenarios/" + name + ".yaml", filled("scenario.yaml.in", values)}};
}

Result<std::string> with_entry(const std::string& registry_text, const std::string& name) {
  std::string text = registry_text;
  const std::size_t entry = after_last_line(text, [](std::string_view line) {
    return line.starts_with("    all.push_back(") && line.ends_with("_entry());\n");
  });
  if (entry == text.npos) return Error{"the list of entries was not found", {}};
  text.insert(entry, fmt::format("    all.push_back({}_entry());\n", name));
  // Includes are sorted; the file's own comes first, in a block of its own.
  const std::string include = fmt::format("#include \"core/protocols/{}.h\"\n", name);
  const std::string own = "#include \"core/protocols/registry.h\"\n";
  std::size_t at = after_last_line(text, [&](std::string_view line) {
    return line.starts_with("#include \"core/protocols/") && line < include && line != own;
  });
  if (at == text.npos) at = text.find("#include \"core/protocols/", own.size());
  if (at == text.npos) return Error{"the includes of the locks were not found", {}};
  text.insert(at, include);
  return text;
}

Result<std::string> with_planted_bug(const std::string& planted_text, const std::string& name) {
  std::string text = planted_text;
  const std::size_t list = text.find("enum class Bug {\n");
  const std::size_t end = list == text.npos ? list : text.find("};\n", list);
  if (end == text.npos) return Error{"the list of planted bugs was not found", {}};
  text.insert(end, fmt::format("  // A client enters while the one before it is still inside.\n"
                               "  {}_enters_early,\n",
                               name));
  return text;
}

}  // namespace latchlab::tool

#pragma once
// Files compiled into the program (cmake/embed.cmake), so that it works without the source tree.

#include <algorithm>
#include <span>
#include <string>
#include <string_view>

#include "core/base/check.h"

namespace latchlab::tool {

struct EmbeddedFile {
  std::string_view name;  // without its folder
  std::string_view text;
};

std::span<const EmbeddedFile> new_protocol_templates();  // tools/new-protocol
std::span<const EmbeddedFile> report_page();             // tools/report/page
std::span<const EmbeddedFile> report_d3();               // the one file of the library

// The text of the file `name`. Precondition: it exists in `files`.
inline std::string_view embedded(std::span<const EmbeddedFile> files, std::string_view name) {
  const auto found = std::find_if(files.begin(), files.end(),
                                  [&](const EmbeddedFile& each) { return each.name == name; });
  LATCHLAB_CHECK(found != files.end(), "no embedded file " + std::string(name));
  return found->text;
}

}  // namespace latchlab::tool

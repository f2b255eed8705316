#pragma once
// Files compiled into the program (cmake/embed.cmake), so that it works without the source tree.

#include <span>
#include <string_view>

namespace latchlab::tool {

struct EmbeddedFile {
  std::string_view name;  // without its folder
  std::string_view text;
};

std::span<const EmbeddedFile> new_protocol_templates();  // tools/new-protocol
std::span<const EmbeddedFile> report_page();             // tools/report/page
std::span<const EmbeddedFile> report_d3();               // the one file of the library

// The text of the file `name`. Precondition: it exists in `files`.
std::string_view embedded(std::span<const EmbeddedFile> files, std::string_view name);

}  // namespace latchlab::tool

#pragma once
// Files that are part of the program (cmake/embed.cmake), so that it works without its sources.

#include <span>
#include <string_view>

namespace latchlab::tool {

struct EmbeddedFile {
  std::string_view name;  // without its folder
  std::string_view text;
};

std::span<const EmbeddedFile> new_protocol_templates();  // tools/new-protocol

}  // namespace latchlab::tool

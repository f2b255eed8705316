#include "tools/latchlab/embedded.h"

#include <algorithm>
#include <string>

#include "core/base/check.h"

namespace latchlab::tool {

std::string_view embedded(std::span<const EmbeddedFile> files, std::string_view name) {
  const auto found = std::find_if(files.begin(), files.end(),
                                  [&](const EmbeddedFile& each) { return each.name == name; });
  LATCHLAB_CHECK(found != files.end(), "no embedded file " + std::string(name));
  return found->text;
}

}  // namespace latchlab::tool

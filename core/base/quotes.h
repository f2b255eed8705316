#pragma once

#include <string>
#include <string_view>

namespace latchlab {

// User text for a message: quoted, clipped, with visible control characters.
std::string in_quotes(std::string_view text);

}  // namespace latchlab

#pragma once

#include <string>
#include <string_view>

namespace latchlab {

// User text inside a message: in quotes, clipped, control characters made visible.
std::string in_quotes(std::string_view text);

}  // namespace latchlab

#include "core/base/quotes.h"

namespace latchlab {

std::string in_quotes(std::string_view text) {
  constexpr std::size_t kLongest = 60;
  constexpr const char* kDigits = "0123456789abcdef";
  std::string shown = "'";
  for (const char c : text.substr(0, kLongest)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f)
      shown += {'\\', 'x', kDigits[byte / 16], kDigits[byte % 16]};
    else
      shown += c;
  }
  return shown + (text.size() > kLongest ? "...'" : "'");
}

}  // namespace latchlab

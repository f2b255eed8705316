#pragma once
// A checksum of stored text; a change of any one byte changes it.

#include <string>
#include <string_view>

#include "core/base/fingerprint.h"

namespace latchlab {

// 16 hexadecimal digits.
inline std::string checksum_of(std::string_view text) {
  Fingerprint hash;
  hash.add(text.size());
  for (const char c : text) hash.add(static_cast<unsigned char>(c));
  return hash.text();
}

}  // namespace latchlab

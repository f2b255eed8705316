#pragma once
// Where a coordinator listens, as people write it: HOST:PORT or [IPv6]:PORT.

#include <cstdint>
#include <string>

#include "core/base/result.h"

namespace latchlab::launch {

struct Address {
  std::string host = "127.0.0.1";  // a name or a numeric address, without brackets
  std::uint16_t port = 0;          // 0: to listen at, any free port; to connect to, none

  std::string text() const;  // as parse_address() reads it
};

// What is wrong with the text, and how to write it instead, when it is no address.
Result<Address> parse_address(const std::string& text);

}  // namespace latchlab::launch

#pragma once
// The address of a coordinator in text form: HOST:PORT or [IPv6]:PORT.

#include <cstdint>
#include <string>

#include "core/base/result.h"

namespace latchlab::launch {

struct Address {
  std::string host = "127.0.0.1";  // a name or a numeric address, without brackets
  std::uint16_t port = 0;          // 0: listen at any free port; not valid for a connection

  std::string text() const;  // in the form that parse_address() reads
};

// Parses an address. The error says what is wrong and how to write it.
Result<Address> parse_address(const std::string& text);

}  // namespace latchlab::launch

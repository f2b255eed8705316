#include "core/launch/address.h"

#include <fmt/core.h>

#include <charconv>
#include <system_error>

namespace latchlab::launch {
namespace {

Error no_address(const std::string& text, const std::string& why) {
  return {fmt::format("'{}' is no address: {}; write HOST:PORT or [IPv6]:PORT, for example "
                      "node1:7400 or [fd00::1]:7400",
                      text, why),
          {}};
}

}  // namespace

std::string Address::text() const {
  const bool is_v6 = host.find(':') != std::string::npos;
  return is_v6 ? fmt::format("[{}]:{}", host, port) : fmt::format("{}:{}", host, port);
}

Result<Address> parse_address(const std::string& text) {
  const std::size_t colon = text.rfind(':');
  const std::size_t bracket = text.rfind(']');
  if (colon == std::string::npos || (bracket != std::string::npos && colon < bracket))
    return no_address(text, "it has no port");
  std::string host = text.substr(0, colon);
  if (!host.empty() && host.front() == '[') {
    if (host.back() != ']') return no_address(text, "a bracket is not closed before the port");
    host = host.substr(1, host.size() - 2);
  } else if (host.find(':') != std::string::npos) {
    return no_address(text, "an IPv6 address needs brackets");
  }
  if (host.empty()) return no_address(text, "it has no host");
  const std::string digits = text.substr(colon + 1);
  std::uint16_t port = 0;
  const char* const end = digits.data() + digits.size();
  const auto [stop, error] = std::from_chars(digits.data(), end, port);
  if (error != std::errc() || stop != end)
    return no_address(text, fmt::format("'{}' is no port (0 to 65535)", digits));
  return Address{host, port};
}

}  // namespace latchlab::launch

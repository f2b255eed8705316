#include "core/launch/rendezvous.h"

#include <fmt/core.h>
#include <sys/stat.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <system_error>

#include "core/base/secret.h"

namespace latchlab::launch {

// ---- the address ----

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

// ---- the token ----

Result<std::string> random_token() {
  std::array<std::byte, 16> bits = {};
  if (!fill_with_secret(bits))
    return Error{fmt::format("no random numbers for a token ({}); give one in {}", strerror(errno),
                             kTokenVariable),
                 {}};
  std::string token;
  for (const std::byte byte : bits) token += fmt::format("{:02x}", std::to_integer<int>(byte));
  return token;
}

namespace {

Result<std::string> from_environment() {
  const char* const token = std::getenv(kTokenVariable);
  if (token == nullptr || *token == '\0')
    return Error{fmt::format("no token: set {0} to a secret that all nodes share, made by export "
                             "{0}=$({1})",
                             kTokenVariable, kMakeToken),
                 {}};
  return std::string(token);
}

Result<std::string> from_file(const std::string& file) {
  struct stat status = {};
  if (::stat(file.c_str(), &status) != 0)
    return Error{fmt::format("cannot read the token in {}: {}", file, strerror(errno)), {}};
  if ((status.st_mode & (S_IRWXG | S_IRWXO)) != 0)
    return Error{fmt::format("others may read the token in {}; run: chmod 600 {}", file, file), {}};
  std::ifstream stream(file);
  std::string token;
  if (!std::getline(stream, token) || token.empty())
    return Error{fmt::format("{} holds no token: its first line is to be it", file), {}};
  return token;
}

}  // namespace

Result<std::string> find_token(const std::string& file) {
  auto token = file.empty() ? from_environment() : from_file(file);
  if (token && token.value().size() < kShortestToken)
    return Error{
        fmt::format("the token in {} has {} characters, and a host that sees a node join could "
                    "find it by trying; take one of at least {}, such as {} prints",
                    file.empty() ? kTokenVariable : file, token.value().size(), kShortestToken,
                    kMakeToken),
        {}};
  return token;
}

}  // namespace latchlab::launch

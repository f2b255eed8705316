#include "core/launch/token.h"

#include <fmt/core.h>
#include <sys/stat.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <fstream>

#include "core/base/secret.h"

namespace latchlab::launch {

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
        fmt::format("the token in {} has {} characters, and whoever sees a node join could "
                    "find it by trying; take one of at least {}, such as {} prints",
                    file.empty() ? kTokenVariable : file, token.value().size(), kShortestToken,
                    kMakeToken),
        {}};
  return token;
}

}  // namespace latchlab::launch

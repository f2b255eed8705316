#include "core/launch/token.h"

#include <fmt/core.h>
#include <sys/random.h>
#include <sys/stat.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <fstream>

namespace latchlab::launch {

Result<std::string> random_token() {
  std::array<unsigned char, 16> bits = {};
  ssize_t got = 0;
  do got = ::getrandom(bits.data(), bits.size(), 0);
  while (got < 0 && errno == EINTR);
  if (got != static_cast<ssize_t>(bits.size()))
    return Error{fmt::format("no random numbers for a token ({}); give one in {}", strerror(errno),
                             kTokenVariable),
                 {}};
  std::string token;
  for (const unsigned char byte : bits) token += fmt::format("{:02x}", byte);
  return token;
}

bool same_token(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  // Volatile: a compiler must not leave the loop at the first difference.
  volatile unsigned char difference = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    difference = static_cast<unsigned char>(
        difference | (static_cast<unsigned char>(a[i]) ^ static_cast<unsigned char>(b[i])));
  return difference == 0;
}

Result<std::string> find_token(const std::string& file) {
  if (file.empty()) {
    const char* const token = std::getenv(kTokenVariable);
    if (token == nullptr || *token == '\0')
      return Error{fmt::format("no token: set {} to the one that the coordinator shows, or name a "
                               "file that holds it",
                               kTokenVariable),
                   {}};
    return std::string(token);
  }
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

}  // namespace latchlab::launch

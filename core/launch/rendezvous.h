#pragma once
// Where the processes of a run meet, and how they prove that they may join: the address of the
// coordinator, in text form HOST:PORT or [IPv6]:PORT, and a token that all of them have.

#include <cstddef>
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

// The environment variable that members read. Never on a command line, which every user can read.
inline constexpr const char* kTokenVariable = "LATCHLAB_TOKEN";
// The environment variable with the rank that a member requests; may be absent.
inline constexpr const char* kRankVariable = "LATCHLAB_RANK";

// Shorter tokens are refused, because they could be guessed.
inline constexpr std::size_t kShortestToken = 16;

// A command that prints a good token.
inline constexpr const char* kMakeToken = "openssl rand -hex 16";

// 128 random bits as 32 hexadecimal digits.
Result<std::string> random_token();

// The first line of `file` or, without a file, the environment variable. A file with permissions
// for group or others is refused, as is a token that is too short.
Result<std::string> find_token(const std::string& file);

}  // namespace latchlab::launch

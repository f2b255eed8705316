#pragma once
// The secret that the processes of one run share, so that processes of other runs cannot join. It
// is never sent, but an observer of a join can test guesses offline (secure.h), so it must be
// random.

#include <cstddef>
#include <string>

#include "core/base/result.h"

namespace latchlab::launch {

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

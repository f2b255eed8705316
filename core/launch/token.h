#pragma once
// The secret that the processes of one run share, so that nobody else's join it and it joins nobody
// else's. It never crosses the network, but who sees a node join can try tokens on what he has seen
// (secure.h): only a random one is secret.

#include <cstddef>
#include <string>

#include "core/base/result.h"

namespace latchlab::launch {

// Where members look for it. Never on a command line, which every user of a machine can read.
inline constexpr const char* kTokenVariable = "LATCHLAB_TOKEN";
// Where members look for the rank they are to ask for; may be absent.
inline constexpr const char* kRankVariable = "LATCHLAB_RANK";

// Of fewer characters, no token is random enough to withstand trying.
inline constexpr std::size_t kShortestToken = 16;

// What to type for a good one.
inline constexpr const char* kMakeToken = "openssl rand -hex 16";

// 128 random bits as 32 hexadecimal digits.
Result<std::string> random_token();

// The first line of `file`, or, without a file, the environment's. A file that others may read is
// refused, as is a token that is too short.
Result<std::string> find_token(const std::string& file);

}  // namespace latchlab::launch

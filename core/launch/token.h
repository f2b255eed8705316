#pragma once
// The secret that the processes of one run share, so that nobody else's join it. It crosses the
// network in clear: it keeps apart runs and strangers on a network that is trusted, no more.

#include <string>
#include <string_view>

#include "core/base/result.h"

namespace latchlab::launch {

// Where members look for it. Never on a command line, which every user of a machine can read.
inline constexpr const char* kTokenVariable = "LATCHLAB_TOKEN";
// Where members look for the rank they are to ask for; may be absent.
inline constexpr const char* kRankVariable = "LATCHLAB_RANK";

// 128 random bits as 32 hexadecimal digits.
Result<std::string> random_token();

// Takes equally long for all wrong tokens of one length.
bool same_token(std::string_view a, std::string_view b);

// The first line of `file`, or, without a file, the environment's. A file that others may read is
// refused, as is an empty token.
Result<std::string> find_token(const std::string& file);

}  // namespace latchlab::launch

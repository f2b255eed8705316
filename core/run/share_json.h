#pragma once
// Serialises the outcome of one process's share, for the process that collects the shares.

#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/run/share.h"

namespace latchlab {

// parse_share_outcome(serialise_share_outcome(o)) equals o. The text is untrusted: its writer may
// have died or be a foreign process. A parsed outcome is valid input to merge_outcomes.
std::string serialise_share_outcome(const ShareOutcome& outcome);
Result<ShareOutcome> parse_share_outcome(std::string_view text);

}  // namespace latchlab

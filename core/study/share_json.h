#pragma once
// The outcome of one process's share of a repeat as text, on its way to the process that collects.

#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/study/share.h"

namespace latchlab {

// parse_share_outcome(serialise_share_outcome(o)) equals o. The text may come from a process that
// died while it wrote, or from a strange one: what is parsed can be given to merge_outcomes.
std::string serialise_share_outcome(const ShareOutcome& outcome);
Result<ShareOutcome> parse_share_outcome(std::string_view text);

}  // namespace latchlab

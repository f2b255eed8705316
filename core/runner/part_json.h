#pragma once
// The outcome of one process's part of a repeat as text, on its way to the process that collects.

#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/runner/part.h"

namespace latchlab {

// parse_part_outcome(serialise_part_outcome(o)) equals o. The text may come from a process that
// died while it wrote, or from a strange one: what is parsed can be given to merge_outcomes.
std::string serialise_part_outcome(const PartOutcome& outcome);
Result<PartOutcome> parse_part_outcome(std::string_view text);

}  // namespace latchlab

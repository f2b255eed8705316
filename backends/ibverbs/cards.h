#pragma once
// Node cards as bytes, for the exchange before a run.

#include <string>

#include "backends/ibverbs/wire.h"
#include "core/base/result.h"

namespace latchlab::ib {

std::string write_card(const NodeCard& card);
// `from`: which node's card it should be.
Result<NodeCard> read_card(const std::string& text, NodeId from);
// Whether packets of the one's port can get to the other's; the error names both.
Status check_fabric(const NodeCard& one, const NodeCard& other);

}  // namespace latchlab::ib

#pragma once
// Serialised node descriptors (`NodeCard`), for the exchange before a run.

#include <string>

#include "backends/ibverbs/wire.h"
#include "core/base/result.h"

namespace latchlab::ib {

std::string write_card(const NodeCard& card);
// `from`: the node that the descriptor has to be of.
Result<NodeCard> read_card(const std::string& text, NodeId from);
// Whether packets can pass between the two nodes' ports; the error names both nodes.
Status check_fabric(const NodeCard& one, const NodeCard& other);

}  // namespace latchlab::ib

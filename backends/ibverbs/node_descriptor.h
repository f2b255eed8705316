#pragma once
// Descriptors of nodes, which the nodes exchange before a run.

#include <cstdint>
#include <string>

#include "backends/ibverbs/wire.h"
#include "core/base/result.h"

namespace latchlab::ib {

// A node's descriptor, which it sends to every other node before the run: where its memory and
// their channel are. Its size does not depend on the size of the run, so that all descriptors of a
// node grow only with the number of nodes.
struct NodeDescriptor {
  NodeId node;
  std::uint64_t base = 0;   // virtual address of offset 0
  std::uint64_t bytes = 0;  // of the table, from offset 0
  std::uint32_t key = 0;    // its remote key
  // The part of the table that is on the RNIC instead, at addresses from 0 on.
  std::uint64_t device_offset = 0, device_bytes = 0;
  std::uint32_t device_key = 0;
  std::uint32_t threads = 0;
  std::uint32_t atomics = 0;  // NativeAtomics::kinds
  DctAddress dct;             // its DC target; number 0 without DC
  bool infiniband = false;    // link layer; else Ethernet
  std::uint16_t pkey = 0;     // partition of its port; 0: not known
  std::string machine;        // equal for nodes with the same clock
  QpAddress channel;  // from its memory server to that of the node that gets this descriptor
};

std::string write_descriptor(const NodeDescriptor& descriptor);
// `from`: the node that the descriptor has to be of.
Result<NodeDescriptor> read_descriptor(const std::string& text, NodeId from);
// Whether packets can pass between the two nodes' ports; the error names both nodes.
Status check_fabric(const NodeDescriptor& one, const NodeDescriptor& other);

}  // namespace latchlab::ib

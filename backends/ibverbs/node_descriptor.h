#pragma once
// Descriptors of nodes, which the nodes exchange before a run.

#include <cstdint>
#include <string>
#include <type_traits>

#include "backends/ibverbs/wire.h"
#include "core/base/result.h"

namespace latchlab::ib {

// A node's descriptor, which it sends to every other node before the run: where its memory and
// their channel are. Its size does not depend on the size of the run, so that all descriptors of a
// node grow only with the number of nodes.
//
// The head as it is sent; the name of the machine follows.
struct DescriptorHead {
  static constexpr std::uint64_t kMagic = 0x33'6472'6163'6c6cULL;  // "llcard3"
  std::uint64_t magic = kMagic;
  std::uint64_t base = 0;   // virtual address of offset 0
  std::uint64_t bytes = 0;  // of the table, from offset 0
  // The part of the table that is on the RNIC instead, at addresses from 0 on.
  std::uint64_t device_offset = 0, device_bytes = 0;
  std::uint32_t key = 0;  // the table's remote key
  std::uint32_t threads = 0;
  NodeId node;
  std::uint16_t unused = 0;
  std::uint32_t machine_bytes = 0;  // set by write_descriptor()
  std::uint32_t atomics = 0;        // NativeAtomics::kinds
  std::uint32_t device_key = 0;
  std::uint16_t infiniband = 0;  // link layer: 1: InfiniBand, 0: Ethernet
  std::uint16_t pkey = 0;        // partition of its port; 0: not known
  QpAddress channel;  // from its memory server to that of the node that gets this descriptor
  DctAddress dct;     // its DC target; number 0 without DC
};
static_assert(sizeof(DescriptorHead) == 128 && std::is_trivially_copyable_v<DescriptorHead>);

struct NodeDescriptor : DescriptorHead {
  std::string machine;  // equal for nodes with the same clock
};

std::string write_descriptor(const NodeDescriptor& descriptor);
// `from`: the node that the descriptor has to be of.
Result<NodeDescriptor> read_descriptor(const std::string& text, NodeId from);
// Whether packets can pass between the two nodes' ports; the error names both nodes.
Status check_fabric(const NodeDescriptor& one, const NodeDescriptor& other);

}  // namespace latchlab::ib

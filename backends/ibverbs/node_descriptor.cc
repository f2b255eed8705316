#include "backends/ibverbs/node_descriptor.h"

#include <fmt/core.h>

namespace latchlab::ib {

std::string write_descriptor(const NodeDescriptor& descriptor) {
  DescriptorHead head = descriptor;
  head.machine_bytes = static_cast<std::uint32_t>(descriptor.machine.size());
  return std::string(reinterpret_cast<const char*>(&head), sizeof(head)) + descriptor.machine;
}

Result<NodeDescriptor> read_descriptor(const std::string& text, NodeId from) {
  FrameReader reader(std::as_bytes(std::span(text)));
  NodeDescriptor descriptor;
  DescriptorHead& head = descriptor;
  const bool whole = reader.take(head) && head.magic == DescriptorHead::kMagic && head.node == from;
  const std::byte* const machine = whole ? reader.take_bytes(head.machine_bytes) : nullptr;
  if (machine == nullptr)
    return Error{fmt::format("node {} has sent no descriptor that this program understands; is it "
                             "the same build?",
                             from.value),
                 {}};
  descriptor.machine.assign(reinterpret_cast<const char*>(machine), head.machine_bytes);
  return descriptor;
}

Status check_fabric(const NodeDescriptor& one, const NodeDescriptor& other) {
  constexpr std::uint16_t kFull = 0x8000;
  const auto layer = [](const NodeDescriptor& descriptor) {
    return descriptor.infiniband != 0 ? "InfiniBand" : "Ethernet";
  };
  if (one.infiniband != other.infiniband)
    return Error{fmt::format("the port of node {} is {} and that of node {} is {}, and no packet "
                             "goes from one to the other; choose devices of one kind (--device)",
                             one.node.value, layer(one), other.node.value, layer(other)),
                 {}};
  if (one.pkey == 0 || other.pkey == 0) return fine();
  const bool apart = ((one.pkey ^ other.pkey) & ~kFull) != 0;
  const bool limited = (one.pkey & kFull) == 0 && (other.pkey & kFull) == 0;
  if (!apart && !limited) return fine();
  return Error{
      fmt::format("the port of node {} has pkey {:#06x} and that of node {} has {:#06x}: {}",
                  one.node.value, one.pkey, other.node.value, other.pkey,
                  apart ? "these are two partitions; choose one with --pkey"
                        : "limited members of a partition do not reach each other"),
      {}};
}

}  // namespace latchlab::ib

#include "backends/ibverbs/node_descriptor.h"

#include <fmt/core.h>

namespace latchlab::ib {

namespace {

constexpr std::uint64_t kMagic = 0x33'6472'6163'6c6cULL;  // "llcard3"

struct DescriptorHead {
  std::uint64_t magic = kMagic;
  std::uint64_t base = 0, bytes = 0;
  std::uint64_t device_offset = 0, device_bytes = 0;
  std::uint32_t key = 0, threads = 0;
  std::uint32_t node = 0, machine_bytes = 0;
  std::uint32_t atomics = 0, device_key = 0;
  std::uint16_t infiniband = 0, pkey = 0;
  QpAddress channel;
  DctAddress dct;
};

}  // namespace

std::string write_descriptor(const NodeDescriptor& descriptor) {
  DescriptorHead head;
  head.base = descriptor.base;
  head.bytes = descriptor.bytes;
  head.key = descriptor.key;
  head.device_offset = descriptor.device_offset;
  head.device_bytes = descriptor.device_bytes;
  head.device_key = descriptor.device_key;
  head.threads = descriptor.threads;
  head.node = descriptor.node.value;
  head.atomics = descriptor.atomics;
  head.infiniband = descriptor.infiniband ? 1 : 0;
  head.pkey = descriptor.pkey;
  head.machine_bytes = static_cast<std::uint32_t>(descriptor.machine.size());
  head.channel = descriptor.channel;
  head.dct = descriptor.dct;
  std::string text(reinterpret_cast<const char*>(&head), sizeof(head));
  return text + descriptor.machine;
}

Result<NodeDescriptor> read_descriptor(const std::string& text, NodeId from) {
  FrameReader reader(std::as_bytes(std::span(text)));
  DescriptorHead head;
  NodeDescriptor descriptor;
  const Error wrong{
      fmt::format("node {} has sent no descriptor that this program understands; is it "
                  "the same build?",
                  from.value),
      {}};
  if (!reader.take(head) || head.magic != kMagic || head.node != from.value) return wrong;
  const std::byte* const machine = reader.take_bytes(head.machine_bytes);
  if (machine == nullptr) return wrong;
  descriptor.machine.assign(reinterpret_cast<const char*>(machine), head.machine_bytes);
  descriptor.channel = head.channel;
  descriptor.node = from;
  descriptor.base = head.base;
  descriptor.bytes = head.bytes;
  descriptor.key = head.key;
  descriptor.device_offset = head.device_offset;
  descriptor.device_bytes = head.device_bytes;
  descriptor.device_key = head.device_key;
  descriptor.threads = head.threads;
  descriptor.atomics = head.atomics;
  descriptor.dct = head.dct;
  descriptor.infiniband = head.infiniband != 0;
  descriptor.pkey = head.pkey;
  return descriptor;
}

Status check_fabric(const NodeDescriptor& one, const NodeDescriptor& other) {
  constexpr std::uint16_t kFull = 0x8000;
  const auto layer = [](const NodeDescriptor& descriptor) {
    return descriptor.infiniband ? "InfiniBand" : "Ethernet";
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

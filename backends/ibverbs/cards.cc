#include "backends/ibverbs/cards.h"

#include <fmt/core.h>

namespace latchlab::ib {

namespace {

constexpr std::uint64_t kMagic = 0x33'6472'6163'6c6cULL;  // "llcard3"

struct CardHead {
  std::uint64_t magic = kMagic;
  std::uint64_t base = 0, bytes = 0;
  std::uint64_t device_offset = 0, device_bytes = 0;
  std::uint32_t key = 0, threads = 0;
  std::uint32_t node = 0, machine_bytes = 0;
  std::uint32_t atomics = 0, device_key = 0;
  std::uint16_t infiniband = 0, pkey = 0;
  QpAddress lane;
  DctAddress dct;
};

}  // namespace

std::string write_card(const NodeCard& card) {
  CardHead head;
  head.base = card.base;
  head.bytes = card.bytes;
  head.key = card.key;
  head.device_offset = card.device_offset;
  head.device_bytes = card.device_bytes;
  head.device_key = card.device_key;
  head.threads = card.threads;
  head.node = card.node.value;
  head.atomics = card.atomics;
  head.infiniband = card.infiniband ? 1 : 0;
  head.pkey = card.pkey;
  head.machine_bytes = static_cast<std::uint32_t>(card.machine.size());
  head.lane = card.lane;
  head.dct = card.dct;
  std::string text(reinterpret_cast<const char*>(&head), sizeof(head));
  return text + card.machine;
}

Result<NodeCard> read_card(const std::string& text, NodeId from) {
  FrameReader reader(std::as_bytes(std::span(text)));
  CardHead head;
  NodeCard card;
  const Error wrong{fmt::format("node {} has sent no card that this program understands; is it "
                                "the same build?",
                                from.value),
                    {}};
  if (!reader.take(head) || head.magic != kMagic || head.node != from.value) return wrong;
  const std::byte* const machine = reader.take_bytes(head.machine_bytes);
  if (machine == nullptr) return wrong;
  card.machine.assign(reinterpret_cast<const char*>(machine), head.machine_bytes);
  card.lane = head.lane;
  card.node = from;
  card.base = head.base;
  card.bytes = head.bytes;
  card.key = head.key;
  card.device_offset = head.device_offset;
  card.device_bytes = head.device_bytes;
  card.device_key = head.device_key;
  card.threads = head.threads;
  card.atomics = head.atomics;
  card.dct = head.dct;
  card.infiniband = head.infiniband != 0;
  card.pkey = head.pkey;
  return card;
}

Status check_fabric(const NodeCard& one, const NodeCard& other) {
  constexpr std::uint16_t kFull = 0x8000;
  const auto layer = [](const NodeCard& card) {
    return card.infiniband ? "InfiniBand" : "Ethernet";
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

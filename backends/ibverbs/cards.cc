#include "backends/ibverbs/cards.h"

#include <fmt/core.h>

namespace latchlab::ib {

namespace {

constexpr std::uint64_t kMagic = 0x32'6472'6163'6c6cULL;  // "llcard2"

struct CardHead {
  std::uint64_t magic = kMagic;
  std::uint64_t base = 0, bytes = 0;
  std::uint32_t key = 0, threads = 0;
  std::uint32_t node = 0, machine_bytes = 0;
  std::uint32_t atomics = 0, reserved = 0;
  QpAddress lane;
  DctAddress dct;
};

}  // namespace

std::string write_card(const NodeCard& card) {
  CardHead head;
  head.base = card.base;
  head.bytes = card.bytes;
  head.key = card.key;
  head.threads = card.threads;
  head.node = card.node.value;
  head.atomics = card.atomics;
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
  card.threads = head.threads;
  card.atomics = head.atomics;
  card.dct = head.dct;
  return card;
}

}  // namespace latchlab::ib

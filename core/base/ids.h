#pragma once
// Strong types of the seam, so that a node, a client and an address cannot be mixed up.

#include <compare>
#include <cstdint>
#include <functional>
#include <type_traits>

#include "core/base/zero_padding.h"

namespace latchlab {

template <class Tag, class Rep>
struct StrongId {
  Rep value = 0;
  constexpr auto operator<=>(const StrongId&) const = default;
};

// A machine with one RNIC. Numbered from 1, so that 0 can mean "none" in a lock entry (ShiftLock
// 3.2: "a unique non-zero ID", 16 bits).
using NodeId = StrongId<struct NodeTag, std::uint16_t>;
// A client of locks, numbered from 0 over all nodes.
using ClientId = StrongId<struct ClientTag, std::uint32_t>;
using LockId = StrongId<struct LockTag, std::uint64_t>;

inline constexpr NodeId kNoNode{0};

// A byte address in a node's registered memory. Packs into 64 bits: node 16, offset 48.
struct RemoteAddr {
  NodeId node;
  ZeroPadding<std::uint16_t, 3> padding;
  std::uint64_t offset = 0;  // < 2^48

  constexpr RemoteAddr() = default;
  constexpr RemoteAddr(NodeId on, std::uint64_t at) : node(on), offset(at) {}
  constexpr auto operator<=>(const RemoteAddr&) const = default;
  constexpr RemoteAddr operator+(std::uint64_t bytes) const { return {node, offset + bytes}; }
  constexpr std::uint64_t packed() const {
    return (static_cast<std::uint64_t>(node.value) << 48) | offset;
  }
  static constexpr RemoteAddr unpack(std::uint64_t packed) {
    return {NodeId{static_cast<std::uint16_t>(packed >> 48)}, packed & ((1ULL << 48) - 1)};
  }
};
static_assert(std::has_unique_object_representations_v<RemoteAddr>);
inline constexpr std::uint64_t kMaxOffset = 1ULL << 48;

// The target of a message, like a DCT. Packs into 40 bits: node 16, number 24.
struct EndpointAddr {
  NodeId node;  // kNoNode: no endpoint
  ZeroPadding<std::uint16_t, 1> padding;
  std::uint32_t number = 0;  // < 2^24, unique on its node

  constexpr EndpointAddr() = default;
  constexpr EndpointAddr(NodeId on, std::uint32_t at) : node(on), number(at) {}
  constexpr auto operator<=>(const EndpointAddr&) const = default;
  constexpr bool null() const { return node == kNoNode && number == 0; }
  constexpr std::uint64_t packed() const {
    return (static_cast<std::uint64_t>(node.value) << 24) | number;
  }
  static constexpr EndpointAddr unpack(std::uint64_t packed) {
    return {NodeId{static_cast<std::uint16_t>(packed >> 24)},
            static_cast<std::uint32_t>(packed & ((1ULL << 24) - 1))};
  }
};
static_assert(std::has_unique_object_representations_v<EndpointAddr>);

}  // namespace latchlab

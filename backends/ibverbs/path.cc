// The partition, service level and traffic class of a port's packets.

#include <fmt/core.h>
#include <infiniband/verbs.h>

#include <cstring>

#include "backends/ibverbs/device.h"

namespace latchlab::ib {

namespace {

constexpr std::uint16_t kFullMember = 0x8000;
constexpr int kMostPkeys = 128;  // of ConnectX; unused entries are 0

bool same_partition(std::uint16_t a, std::uint16_t b) {
  return ((a ^ b) & ~kFullMember) == 0;
}

}  // namespace

Status Device::choose_path(const PathOptions& wanted) {
  const int most = facts_.infiniband ? 15 : 7;
  if (wanted.sl > most)
    return Error{
        fmt::format("service level {}: {} is a port of {}, whose levels are 0 to {}", wanted.sl,
                    facts_.name, facts_.infiniband ? "InfiniBand" : "Ethernet", most),
        {}};
  if (facts_.infiniband && wanted.traffic_class != 0)
    return Error{fmt::format("traffic class {}: {} is a port of InfiniBand, whose packets have no "
                             "IP header; choose a service level (--sl)",
                             wanted.traffic_class, facts_.name),
                 {}};
  path_ = wanted;
  std::string seen;
  for (int i = 0; i < kMostPkeys; ++i) {
    __be16 entry = 0;
    if (ibv_query_pkey(context_, port(), i, &entry) != 0) break;
    const auto* const bytes = reinterpret_cast<const std::uint8_t*>(&entry);
    const auto pkey = static_cast<std::uint16_t>(bytes[0] << 8 | bytes[1]);  // from network order
    if (pkey == 0) continue;                                                 // an unused entry
    seen += fmt::format("{}{:#06x}", seen.empty() ? "" : ", ", pkey);
    if (wanted.pkey != 0 && !same_partition(pkey, wanted.pkey)) continue;
    path_.pkey = pkey;
    pkey_index_ = static_cast<std::uint16_t>(i);
    return fine();
  }
  if (wanted.pkey == 0) return fine();  // a device without a pkey table: index 0 is right
  return Error{fmt::format("port {} of {} is in no partition {:#06x}; it has: {}", port(),
                           facts_.name, wanted.pkey, seen.empty() ? "none" : seen),
               {}};
}

bool Device::is_as_opened() const {
  ibv_port_attr port = {};
  ibv_gid gid = {};
  if (ibv_query_port(context_, facts_.port, &port) != 0 || port.state != IBV_PORT_ACTIVE)
    return false;
  if (port.lid != lid_ || port.active_mtu != static_cast<ibv_mtu>(mtu_)) return false;
  if (ibv_query_gid(context_, facts_.port, gid_index_, &gid) != 0) return false;
  return std::memcmp(gid.raw, gid_.bytes.data(), gid_.bytes.size()) == 0 && trouble().empty();
}

}  // namespace latchlab::ib

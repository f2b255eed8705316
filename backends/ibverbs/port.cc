// A port: its GIDs, the choice of port, GID, partition and service level, and its counters.

#include <arpa/inet.h>
#include <dlfcn.h>
#include <fmt/core.h>
#include <infiniband/verbs.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <utility>

#include "backends/ibverbs/device.h"
#include "backends/ibverbs/fabric_probe.h"

namespace latchlab::ib {

namespace {

// Of all ports. libibverbs passes them to the kernel in a buffer of at most 64 KiB, and fails with
// more.
constexpr std::size_t kMostGids = 1024;
constexpr std::size_t kIpv4At = 12;  // position of the address in an IPv4-mapped GID

bool is_ipv4(const Gid& gid) {
  return std::all_of(gid.bytes.begin(), gid.bytes.begin() + 10, [](int b) { return b == 0; }) &&
         gid.bytes[10] == 0xff && gid.bytes[11] == 0xff;
}

// The rank of an address among those of a port: IPv4 first; last link-local addresses, which exist
// without any set-up and which routers do not forward.
int reach(const Gid& gid) {
  if (is_ipv4(gid)) return 0;
  return is_link_local(gid) ? 2 : 1;
}

constexpr std::uint16_t kFullMember = 0x8000;
constexpr int kMostPkeys = 128;  // of ConnectX; unused entries are 0

bool same_partition(std::uint16_t a, std::uint16_t b) {
  return ((a ^ b) & ~kFullMember) == 0;
}

// Names of mlx5's hw_counters, then of soft-RoCE's (Linux: Documentation/ABI/stable/
// sysfs-class-infiniband, drivers/infiniband/hw/mlx5/counters.c, sw/rxe/rxe_hw_counters.c).
constexpr const char* kLossCounters[] = {
    "local_ack_timeout_err", "packet_seq_err",      "out_of_sequence",    "implied_nak_seq_err",
    "roce_adp_retrans",      "roce_adp_retrans_to", "roce_slow_restart",  "out_of_seq_request",
    "rcvd_seq_err",          "duplicate_request",   "retry_exceeded_err", "completer_retry_err"};

std::string folder_of(const Device& device) {
  return device.context()->device->ibdev_path;
}

std::string first_line(const std::string& file) {
  std::ifstream in(file);
  std::string line;
  std::getline(in, line);
  return line;
}

}  // namespace

std::vector<GidEntry> usable_gids(ibv_context* context, std::uint8_t port, bool infiniband) {
  std::vector<ibv_gid_entry> table(kMostGids);
  const ssize_t found = ibv_query_gid_table(context, table.data(), table.size(), 0);
  std::vector<GidEntry> usable;
  for (ssize_t i = 0; i < found; ++i) {
    const ibv_gid_entry& entry = table[static_cast<std::size_t>(i)];
    if (entry.port_num != port || entry.gid_type == IBV_GID_TYPE_ROCE_V1) continue;
    Gid gid;
    std::memcpy(gid.bytes.data(), entry.gid.raw, gid.bytes.size());
    usable.push_back({gid, static_cast<std::uint8_t>(entry.gid_index)});
  }
  // On InfiniBand the first is the port's own GID, whatever its prefix.
  std::sort(usable.begin(), usable.end(), [infiniband](const GidEntry& a, const GidEntry& b) {
    const int of_a = infiniband ? 0 : reach(a.gid);
    const int of_b = infiniband ? 0 : reach(b.gid);
    return std::pair(of_a, a.index) < std::pair(of_b, b.index);
  });
  return usable;
}

std::string text_of(const Gid& gid) {
  std::array<char, INET6_ADDRSTRLEN> text = {};
  const bool v4 = is_ipv4(gid);
  const void* const from = gid.bytes.data() + (v4 ? kIpv4At : 0);
  ::inet_ntop(v4 ? AF_INET : AF_INET6, from, text.data(), text.size());
  return text.data();
}

bool is_link_local(const Gid& gid) {
  return gid.bytes[0] == 0xfe && (gid.bytes[1] & 0xc0) == 0x80;
}

std::optional<Gid> parse_gid(const std::string& address) {
  Gid gid;
  if (::inet_pton(AF_INET6, address.c_str(), gid.bytes.data()) == 1) return gid;
  gid = {};
  gid.bytes[10] = gid.bytes[11] = 0xff;
  if (::inet_pton(AF_INET, address.c_str(), gid.bytes.data() + kIpv4At) == 1) return gid;
  return std::nullopt;
}

std::vector<std::string> DeviceFacts::ipv4_addresses() const {
  std::vector<std::string> all;
  for (const Gid& gid : gids)
    if (std::string text = text_of(gid); text.find('.') != std::string::npos)
      all.push_back(std::move(text));
  return all;
}

// ---- the choice of port and GID ----

Status Device::choose_port(std::uint32_t wanted) {
  if (facts_.iwarp)
    return Error{fmt::format("{} is an iWARP device: its QPs are connected over TCP (librdmacm), "
                             "which this backend does not do; use an InfiniBand or RoCE device",
                             facts_.name),
                 {}};
  if (wanted > facts_.ports)
    return Error{
        fmt::format("{} has no port {}; its ports are 1 to {}", facts_.name, wanted, facts_.ports),
        {}};
  if (!facts_.port_up)
    return Error{
        fmt::format("port {} of {} is down; bring up its interface", facts_.port, facts_.name), {}};
  return fine();
}

Status Device::choose_gid(const DeviceChoice& choice) {
  ibv_port_attr attributes = {};
  ibv_query_port(context_, port(), &attributes);
  lid_ = attributes.lid;
  mtu_ = static_cast<std::uint8_t>(attributes.active_mtu);
  if (!choice.address.empty() && choice.gid_index)
    return Error{fmt::format("address {} and GID index {}: choose the GID by one of them",
                             choice.address, *choice.gid_index),
                 {}};
  const std::optional<Gid> wanted = parse_gid(choice.address);
  if (!choice.address.empty() && !wanted)
    return Error{fmt::format("'{}' is no IPv4 or IPv6 address", choice.address), {}};
  std::string seen;
  for (const GidEntry& entry : usable_gids(context_, port(), facts_.infiniband)) {
    seen +=
        fmt::format("{}{} (index {})", seen.empty() ? "" : ", ", text_of(entry.gid), entry.index);
    if (wanted && entry.gid != *wanted) continue;
    if (choice.gid_index && entry.index != *choice.gid_index) continue;
    gid_ = entry.gid;
    gid_index_ = entry.index;
    return fine();
  }
  if (seen.empty())
    return Error{fmt::format("port {} of {} has no RoCE v2 address; give its interface an IP "
                             "address",
                             facts_.port, facts_.name),
                 {}};
  const std::string what = choice.gid_index
                               ? fmt::format("usable GID of index {}", *choice.gid_index)
                               : "GID for " + choice.address;
  return Error{
      fmt::format("port {} of {} has no {}; it has: {}", facts_.port, facts_.name, what, seen), {}};
}

// ---- the choice of partition, service level and traffic class ----

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

// ---- facts from the kernel's files (fabric_probe.h) ----

std::map<std::string, std::uint64_t> loss_counters_in(const std::string& directory) {
  std::map<std::string, std::uint64_t> all;
  for (const char* const name : kLossCounters) {
    std::ifstream file(directory + "/" + name);
    if (std::uint64_t value = 0; file >> value) all[name] = value;
  }
  return all;
}

std::map<std::string, std::uint64_t> loss_counters(const Device& device) {
  return loss_counters_in(fmt::format("{}/ports/{}/hw_counters", folder_of(device), device.port()));
}

std::map<std::string, std::uint64_t> grown(const std::map<std::string, std::uint64_t>& before,
                                           const std::map<std::string, std::uint64_t>& after) {
  std::map<std::string, std::uint64_t> all;
  for (const auto& [name, count] : after) {
    const auto known = before.find(name);
    const std::uint64_t from = known == before.end() ? 0 : known->second;
    if (count > from) all[name] = count - from;
  }
  return all;
}

std::vector<std::uint16_t> partitions_of(const Device& device) {
  std::vector<std::uint16_t> all;
  for (int i = 0; i < kMostPkeys; ++i) {
    __be16 entry = 0;
    if (ibv_query_pkey(device.context(), device.port(), i, &entry) != 0) break;
    const auto* const bytes = reinterpret_cast<const std::uint8_t*>(&entry);
    const auto pkey = static_cast<std::uint16_t>(bytes[0] << 8 | bytes[1]);
    if (pkey != 0) all.push_back(pkey);
  }
  return all;
}

std::string board_of(const Device& device) {
  return first_line(folder_of(device) + "/board_id");
}

std::string verbs_library() {
  Dl_info found = {};
  if (::dladdr(reinterpret_cast<const void*>(&ibv_close_device), &found) == 0) return {};
  std::error_code error;
  return std::filesystem::canonical(found.dli_fname, error).filename().string();
}

}  // namespace latchlab::ib

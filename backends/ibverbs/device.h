#pragma once
// One opened RDMA device: the port and GID that a node uses, and its capabilities. Must outlive the
// memory and queues made from it (queues.h).

#include <array>
#include <atomic>
#include <compare>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/base/result.h"

// NOLINTBEGIN(readability-identifier-naming): libibverbs' own names
struct ibv_context;
struct ibv_dm;
struct ibv_mr;
struct ibv_pd;
// NOLINTEND(readability-identifier-naming)

namespace latchlab::ib {

struct Gid {
  std::array<std::uint8_t, 16> bytes = {};
  auto operator<=>(const Gid&) const = default;
};
std::string text_of(const Gid& gid);  // as `ip` prints addresses: 10.0.0.1, fd93:1::11
bool is_link_local(const Gid& gid);   // fe80::/10, which routers do not forward
// The GID of an IPv4 or IPv6 address in any notation that inet_pton accepts; nullopt: not an
// address.
std::optional<Gid> parse_gid(const std::string& address);

// Header fields of the packets that this port sends; the same at every node of a run.
struct PathOptions {
  std::uint16_t pkey = 0;          // partition; 0: the port's first
  std::uint8_t sl = 0;             // service level: InfiniBand 0 to 15; RoCE 0 to 7, a priority
  std::uint8_t traffic_class = 0;  // of the IP header; RoCE only
};

// `address` and `gid_index` exclude each other. Without both, the GID is the port's first in the
// order of DeviceFacts::gids.
struct DeviceChoice {
  std::string name;     // "mlx5_0"; empty: the first with a port that is up
  std::string address;  // IPv4 or IPv6 address of its GID
  PathOptions path = {};
  std::uint32_t port = 0;             // from 1; 0: the first that is up
  std::optional<int> gid_index = {};  // in the port's GID table
};

// Facts from the firmware of an mlx5 device that libibverbs does not report. Widths of atomics are
// in bytes, added up: 8 and 16.
struct Mlx5Facts {
  std::uint32_t masked = 0;     // masked CAS and FAA on RC QPs
  std::uint32_t masked_dc = 0;  // the same on DC
  bool host_order = false;      // 8-byte replies are in host byte order
  bool pci_atomics = false;     // 8-byte atomics that are also atomic with those of the CPU
  bool dc = false;
  int dc_rd_atomic = 0;  // READs and atomics outstanding on one DC initiator, at most
};

// What a device reports of itself.
struct DeviceFacts {
  std::string name;
  std::string firmware;
  std::uint32_t vendor_part = 0;
  std::string software;  // "soft-RoCE" and the like for a device in software; empty: hardware
  std::uint8_t ports = 1;
  std::uint8_t port = 1;    // the port that the facts below describe
  bool infiniband = false;  // link layer; else Ethernet
  bool iwarp = false;       // its QPs are connected over TCP, which this backend does not support
  bool port_up = false;
  // Packets need a GRH: always on RoCE, on InfiniBand if the port requires it.
  bool global_routing = false;
  bool atomics = false;          // CAS and FAA, atomic with each other
  int max_rd_atomic = 0;         // READs and atomics outstanding on one QP, at most
  int max_device_rd_atomic = 0;  // that all QPs together accept from peers; 0: not reported
  int path_mtu_bytes = 0;        // current MTU of the port
  bool thread_domains = false;   // ThreadDomain
  // Largest allocation of device memory in bytes; 0: the device has none.
  std::uint64_t own_memory = 0;
  // RoCE v2 GIDs, or InfiniBand's: IPv4 addresses, then IPv6 addresses that routers forward, then
  // link-local ones, each by index.
  std::vector<Gid> gids;
  std::optional<Mlx5Facts> mlx5;
  std::vector<std::string> ipv4_addresses() const;
};
// `port`: the port that the facts describe if the device has it; 0: the first that is up, else 1.
// Empty: the kernel supports RDMA, but has no device. The error says how to fix it.
Result<std::vector<DeviceFacts>> list_devices(std::uint32_t port = 0);

// The device that Device::open chooses: that of this name or, without a name, the first whose port
// is up, else the last; null: none.
const DeviceFacts* choose_device(const std::vector<DeviceFacts>& devices, const std::string& name);

class Device {
 public:
  static Result<std::unique_ptr<Device>> open(const DeviceChoice& choice);
  ~Device();
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  const DeviceFacts& facts() const { return facts_; }
  ibv_context* context() const { return context_; }
  ibv_pd* pd() const { return pd_; }
  const Gid& gid() const { return gid_; }
  std::uint8_t gid_index() const { return gid_index_; }
  std::uint8_t port() const { return facts_.port; }
  std::uint16_t lid() const { return lid_; }
  std::uint8_t mtu() const { return mtu_; }          // an ibv_mtu
  const PathOptions& path() const { return path_; }  // with the pkey as the port has it
  std::uint16_t pkey_index() const { return pkey_index_; }
  // Number of QPs made from this device that exist. The code that makes and destroys them counts
  // them.
  std::uint64_t qps() const { return qps_.load(std::memory_order_relaxed); }
  // Number of QPs ever made from it.
  std::uint64_t qps_made() const { return qps_made_.load(std::memory_order_relaxed); }
  void count_qps(int more) const {
    qps_.fetch_add(more, std::memory_order_relaxed);
    if (more > 0) qps_made_.fetch_add(more, std::memory_order_relaxed);
  }
  // Reserves READs and atomics that one more QP accepts from its peer at once: at most `wanted`,
  // and at most a share of what the device has left for all QPs, so that many QPs get some. 0:
  // nothing is left. return_rd_atomic gives them back.
  std::uint8_t take_rd_atomic(int wanted) const;
  void return_rd_atomic(std::uint8_t taken) const;
  // Whether the port is up with the LID, MTU and GID that it had when this was opened, and
  // trouble() is empty.
  bool is_as_opened() const;
  // Number of doorbell registers of the QPs made from it, as noted by the code that makes them. 0:
  // the driver does not report them.
  std::size_t doorbells() const;
  void note_doorbell(const void* reg) const;
  // Asynchronous errors since the last call, which no completion reports: a CQ or SRQ error, a
  // fatal device error. Empty: none. Any thread.
  std::string trouble() const;

 private:
  Device() = default;
  Status choose_port(std::uint32_t port);
  Status choose_gid(const DeviceChoice& choice);
  Status choose_path(const PathOptions& wanted);

  ibv_context* context_ = nullptr;
  ibv_pd* pd_ = nullptr;
  DeviceFacts facts_;
  Gid gid_;
  std::uint8_t gid_index_ = 0;
  std::uint16_t lid_ = 0;
  std::uint8_t mtu_ = 0;
  PathOptions path_;
  std::uint16_t pkey_index_ = 0;
  mutable std::atomic<std::uint64_t> qps_ = 0;
  mutable std::atomic<std::uint64_t> qps_made_ = 0;
  mutable std::atomic<int> rd_atomic_taken_ = 0;
  mutable std::mutex mutex_;  // guards the members below
  mutable std::set<const void*> doorbells_;
};

struct GidEntry {
  Gid gid;
  std::uint8_t index;
};
// The GIDs of a port that this backend can use, in the order of DeviceFacts::gids.
std::vector<GidEntry> usable_gids(ibv_context* context, std::uint8_t port, bool infiniband);

// Rights of peers on memory and QPs: READ, WRITE and, if the device has them, atomics (an
// ibv_access_flags). Drivers of devices without atomics refuse to grant them.
unsigned access_for_peers(const Device& device);

// Registered memory with local access and, if `for_peers`, READ, WRITE and atomics by peers.
class Registration {
 public:
  static Result<Registration> make(const Device& device, void* start, std::uint64_t bytes,
                                   bool for_peers);
  Registration() = default;
  ~Registration();
  Registration(Registration&& other) noexcept;
  Registration& operator=(Registration&& other) noexcept;

  std::uint32_t local_key() const;
  std::uint32_t remote_key() const;
  void drop();

 private:
  ibv_mr* mr_ = nullptr;
};

}  // namespace latchlab::ib

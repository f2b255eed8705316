#pragma once
// One RDMA device, opened: the port and the GID that a node uses of it, and what it can do. Memory
// and queues made from it (queues.h) must not outlive it.

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
bool is_link_local(const Gid& gid);   // fe80::/10: no router forwards it
// The GID of an IPv4 or IPv6 address in any notation that inet_pton takes; nullopt: no address.
std::optional<Gid> parse_gid(const std::string& address);

// What a fabric is told of the packets that this port sends; the same at every node of a run.
struct PathOptions {
  std::uint16_t pkey = 0;          // partition; 0: the first that the port has
  std::uint8_t sl = 0;             // service level: InfiniBand 0 to 15; RoCE 0 to 7, a priority
  std::uint8_t traffic_class = 0;  // of the IP header: RoCE alone
};

// `address` and `gid_index` exclude each other. Without both, the GID is the first of the port in
// the order of DeviceFacts::gids.
struct DeviceChoice {
  std::string name;     // "mlx5_0"; empty: the first that has a port which is up
  std::string address;  // IPv4 or IPv6 address of its GID
  PathOptions path = {};
  std::uint32_t port = 0;             // from 1; 0: the first that is up
  std::optional<int> gid_index = {};  // in the port's GID table
};

// What the firmware of an mlx5 device says of what libibverbs has no words for. Widths are in
// bytes, added up: 8 and 16.
struct Mlx5Facts {
  std::uint32_t masked = 0;     // masked CAS and FAA on RC QPs
  std::uint32_t masked_dc = 0;  // and on DC
  bool host_order = false;      // of replies of 8 bytes
  bool pci_atomics = false;     // of 8 bytes: atomic with the CPU's, too
  bool dc = false;
  int dc_rd_atomic = 0;  // READs and atomics outstanding on one DC initiator
};

// What a device says of itself.
struct DeviceFacts {
  std::string name;
  std::string firmware;
  std::uint32_t vendor_part = 0;
  std::string software;  // "soft-RoCE": what it is if no hardware; empty: it is
  std::uint8_t ports = 1;
  std::uint8_t port = 1;    // which of them the facts below are of
  bool infiniband = false;  // link layer; else Ethernet
  bool iwarp = false;       // its QPs are connected over TCP, which this backend does not do
  bool port_up = false;
  bool global_routing = false;   // packets need a GRH: always on RoCE, on InfiniBand if asked for
  bool atomics = false;          // CAS and FAA, atomic among themselves
  int max_rd_atomic = 0;         // READs and atomics outstanding on one QP
  int max_device_rd_atomic = 0;  // that all QPs together take from peers; 0: not told
  int path_mtu_bytes = 0;        // as the port is now
  bool thread_domains = false;   // thread_domain.h
  std::uint64_t own_memory = 0;  // bytes of the most that can be had of it at once; 0: it has none
  // RoCE v2, and those of InfiniBand: IPv4 addresses, then IPv6 that routers forward, then
  // link-local ones, each by index.
  std::vector<Gid> gids;
  std::optional<Mlx5Facts> mlx5;
  std::vector<std::string> ipv4_addresses() const;
};
// `port`: the one that facts are told of where a device has it; 0: the first that is up, else 1.
// Empty: the kernel has RDMA, but there is no device. An error says what to do.
Result<std::vector<DeviceFacts>> list_devices(std::uint32_t port = 0);

// The one that Device::open takes of them: that of this name, or without a name the first whose
// port is up, else the last; null: none.
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
  // QPs made from it that are there. Counted by whoever makes and destroys them.
  std::uint64_t qps() const { return qps_.load(std::memory_order_relaxed); }
  // And how many were ever made.
  std::uint64_t qps_made() const { return qps_made_.load(std::memory_order_relaxed); }
  void count_qps(int more) const {
    qps_.fetch_add(more, std::memory_order_relaxed);
    if (more > 0) qps_made_.fetch_add(more, std::memory_order_relaxed);
  }
  // READs and atomics that one more QP is to take from its peer at once: at most `wanted`, and what
  // the device has left for all QPs; as it runs short, each takes a smaller share of the rest, so
  // that many QPs find something. 0: nothing is left. Given back by return_rd_atomic.
  std::uint8_t take_rd_atomic(int wanted) const;
  void return_rd_atomic(std::uint8_t taken) const;
  // The port is up, and has the addresses that it had when this was opened; and no trouble.
  bool is_as_opened() const;
  // Registers that QPs made from it have rung, or would; noted by whoever makes them. None: its
  // driver does not say where they are.
  std::size_t doorbells() const;
  void note_doorbell(const void* reg) const;
  // What has happened since the last call that no completion tells of: a queue that has overrun, a
  // device that has died. Empty: nothing. May be called by any thread.
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
  mutable std::mutex mutex_;  // of what follows
  mutable std::set<const void*> doorbells_;
};

// What peers may do, of memory and through a QP: READ, WRITE, and atomics where the device has
// them, since drivers without refuse to grant them (an ibv_access_flags).
unsigned access_for_peers(const Device& device);

// Registered memory: local, and for peers READ, WRITE and atomics.
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

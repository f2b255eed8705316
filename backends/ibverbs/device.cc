#include "backends/ibverbs/device.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <infiniband/verbs.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <utility>

#include "backends/ibverbs/mlx5.h"

namespace latchlab::ib {

namespace {

constexpr int kMtuBase = 128;     // ibv_mtu n means 128 << n bytes
constexpr int kShareOfRest = 16;  // a QP takes at most 1/16 of what is left

struct ListFree {
  void operator()(ibv_device** list) const { ibv_free_device_list(list); }
};
using DeviceList = std::unique_ptr<ibv_device*, ListFree>;

Error no_rdma() {
  return {fmt::format(
              "this kernel has no RDMA ({}); load the driver of the RNIC (modprobe mlx5_ib), or "
              "soft-RoCE (modprobe rdma_rxe), or use tools/rxe-guest",
              std::strerror(errno)),
          {}};
}

// Takes a count, because there is no list if the kernel has no RDMA modules.
Result<DeviceList> get_list(int& count) {
  errno = 0;
  DeviceList list(ibv_get_device_list(&count));
  if (!list) return no_rdma();
  return list;
}

// What a device in software is: drivers without hardware have vendor ids of their own
// (drivers/infiniband/sw in Linux: rxe_param.h, siw.h); a program below libmlx5 (tools/soft-mlx5),
// whose firmware must look like that of an RNIC, has "soft" in its board id. Empty: hardware.
std::string what_software(const ibv_device& device, const ibv_device_attr& attributes) {
  constexpr std::uint32_t kSoftRoce = 0xffffff;
  constexpr std::uint32_t kSoftIwarp = 0x626d74;
  if (attributes.vendor_id == kSoftRoce) return "soft-RoCE";
  if (attributes.vendor_id == kSoftIwarp) return "soft-iWARP";
  std::ifstream file(std::string(device.ibdev_path) + "/board_id");
  std::string board;
  std::getline(file, board);
  return board.find("soft") == std::string::npos ? "" : board + ", as its board says";
}

bool has_thread_domains(ibv_context* context) {
  ibv_td_init_attr nothing = {};
  ibv_td* const domain = ibv_alloc_td(context, &nothing);
  if (domain != nullptr) ibv_dealloc_td(domain);
  return domain != nullptr;
}

// The first port that is up, else port 1.
std::uint8_t first_port(ibv_context* context, std::uint8_t ports) {
  for (std::uint8_t i = 1; i <= ports; ++i) {
    ibv_port_attr port = {};
    if (ibv_query_port(context, i, &port) == 0 && port.state == IBV_PORT_ACTIVE) return i;
  }
  return 1;
}

// The facts of this port if the device has it; 0: of the first port that is up, else of port 1.
Result<DeviceFacts> examine(ibv_context* context, std::uint32_t wanted_port) {
  ibv_device_attr_ex extended = {};
  const ibv_device_attr& attributes = extended.orig_attr;
  ibv_port_attr port = {};
  const std::string name = ibv_get_device_name(context->device);
  const auto silent = [&name] {
    return Error{fmt::format("{} does not tell its attributes: {}", name, std::strerror(errno)),
                 {}};
  };
  if (ibv_query_device_ex(context, nullptr, &extended) != 0) return silent();
  DeviceFacts facts;
  facts.ports = attributes.phys_port_cnt;
  const bool has_it = wanted_port >= 1 && wanted_port <= facts.ports;
  facts.port = has_it ? static_cast<std::uint8_t>(wanted_port) : first_port(context, facts.ports);
  if (ibv_query_port(context, facts.port, &port) != 0) return silent();
  facts.name = name;
  facts.firmware = attributes.fw_ver;
  facts.vendor_part = attributes.vendor_part_id;
  facts.software = what_software(*context->device, attributes);
  facts.infiniband = port.link_layer == IBV_LINK_LAYER_INFINIBAND;
  facts.iwarp = context->device->transport_type == IBV_TRANSPORT_IWARP;
  facts.port_up = port.state == IBV_PORT_ACTIVE;
  facts.global_routing = !facts.infiniband || (port.flags & IBV_QPF_GRH_REQUIRED) != 0;
  facts.atomics = attributes.atomic_cap != IBV_ATOMIC_NONE;
  facts.max_rd_atomic = std::min(attributes.max_qp_rd_atom, attributes.max_qp_init_rd_atom);
  facts.max_device_rd_atomic = attributes.max_res_rd_atom;
  facts.path_mtu_bytes = kMtuBase << port.active_mtu;
  facts.own_memory = extended.max_dm_size;
  facts.thread_domains = has_thread_domains(context);
  for (const GidEntry& entry : usable_gids(context, facts.port, facts.infiniband))
    facts.gids.push_back(entry.gid);
  facts.mlx5 = mlx5_facts(context);
  return facts;
}

}  // namespace

Result<std::vector<DeviceFacts>> list_devices(std::uint32_t port) {
  int count = 0;
  auto list = get_list(count);
  if (!list) return list.error();
  std::vector<DeviceFacts> all;
  for (int i = 0; i < count; ++i) {
    ibv_context* const context = ibv_open_device(list.value().get()[i]);
    if (context == nullptr) continue;
    auto facts = examine(context, port);
    if (facts) all.push_back(std::move(facts).value());
    ibv_close_device(context);
  }
  return all;
}

// ---- Device ----

Device::~Device() {
  if (pd_ != nullptr) ibv_dealloc_pd(pd_);
  if (context_ != nullptr) ibv_close_device(context_);
}

const DeviceFacts* choose_device(const std::vector<DeviceFacts>& devices, const std::string& name) {
  const auto fits = [&name](const DeviceFacts& device) {
    return name.empty() ? device.port_up : device.name == name;
  };
  const auto found = std::find_if(devices.begin(), devices.end(), fits);
  if (found != devices.end()) return &*found;
  return name.empty() && !devices.empty() ? &devices.back() : nullptr;
}

Result<std::unique_ptr<Device>> Device::open(const DeviceChoice& choice) {
  int count = 0;
  auto list = get_list(count);
  if (!list) return list.error();
  std::string seen;
  for (int i = 0; i < count; ++i) {
    ibv_device* const entry = list.value().get()[i];
    const std::string name = ibv_get_device_name(entry);
    seen += (seen.empty() ? "" : ", ") + name;
    if (!choice.name.empty() && name != choice.name) continue;
    auto device = std::unique_ptr<Device>(new Device);
    device->context_ = ibv_open_device(entry);
    if (device->context_ == nullptr)
      return Error{fmt::format("{} cannot be opened: {}", name, std::strerror(errno)), {}};
    ::fcntl(device->context_->async_fd, F_SETFL, O_NONBLOCK);
    auto facts = examine(device->context_, choice.port);
    if (!facts) return facts.error();
    device->facts_ = std::move(facts).value();
    if (choice.name.empty() && !device->facts_.port_up && i + 1 < count) continue;
    if (Status chosen = device->choose_port(choice.port); !chosen) return chosen.error();
    if (Status chosen = device->choose_gid(choice); !chosen) return chosen.error();
    if (Status chosen = device->choose_path(choice.path); !chosen) return chosen.error();
    device->pd_ = ibv_alloc_pd(device->context_);
    if (device->pd_ == nullptr)
      return Error{fmt::format("{}: no protection domain: {}", name, std::strerror(errno)), {}};
    return device;
  }
  if (count == 0)
    return Error{
        "the kernel has RDMA, but there is no device; for soft-RoCE: rdma link add rxe0 type rxe "
        "netdev eth0",
        {}};
  return Error{fmt::format("there is no RDMA device {}; there is: {}", choice.name, seen), {}};
}

std::string Device::trouble() const {
  std::string all;
  ibv_async_event event = {};
  while (ibv_get_async_event(context_, &event) == 0) {
    switch (event.event_type) {
      case IBV_EVENT_CQ_ERR:
      case IBV_EVENT_SRQ_ERR:
      case IBV_EVENT_DEVICE_FATAL:
        all += (all.empty() ? "" : ", ") + std::string(ibv_event_type_str(event.event_type));
        break;
      default:  // events of ports and QPs: their verbs fail
        break;
    }
    ibv_ack_async_event(&event);
  }
  return all;
}

std::size_t Device::doorbells() const {
  const std::lock_guard guard(mutex_);
  return doorbells_.size();
}

void Device::note_doorbell(const void* reg) const {
  const std::lock_guard guard(mutex_);
  if (reg != nullptr) doorbells_.insert(reg);
}

std::uint8_t Device::take_rd_atomic(int wanted) const {
  wanted = std::clamp(wanted, 1, std::max(facts_.max_rd_atomic, 1));
  const int budget = facts_.max_device_rd_atomic;
  int taken = rd_atomic_taken_.load(std::memory_order_relaxed);
  int granted = 0;
  do {
    const int left = budget - taken;
    if (budget > 0 && left <= 0) return 0;
    granted = budget > 0 ? std::min(wanted, std::max(left / kShareOfRest, 1)) : wanted;
  } while (
      !rd_atomic_taken_.compare_exchange_weak(taken, taken + granted, std::memory_order_relaxed));
  return static_cast<std::uint8_t>(granted);
}

void Device::return_rd_atomic(std::uint8_t taken) const {
  rd_atomic_taken_.fetch_sub(taken, std::memory_order_relaxed);
}

// ---- Registration ----

unsigned access_for_peers(const Device& device) {
  const unsigned access = IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_WRITE;
  return device.facts().atomics ? access | IBV_ACCESS_REMOTE_ATOMIC : access;
}

Result<Registration> Registration::make(const Device& device, void* start, std::uint64_t bytes,
                                        bool for_peers) {
  unsigned access = IBV_ACCESS_LOCAL_WRITE;
  if (for_peers) access |= access_for_peers(device);
  Registration made;
  made.mr_ = ibv_reg_mr(device.pd(), start, bytes, access);
  if (made.mr_ != nullptr) return made;
  const int why = errno;
  return Error{fmt::format("{} does not register {} bytes of memory: {}{}", device.facts().name,
                           bytes, std::strerror(why),
                           why == ENOMEM ? "; raise the limit of locked memory (ulimit -l)" : ""),
               {}};
}

Registration::~Registration() {
  drop();
}
Registration::Registration(Registration&& other) noexcept
    : mr_(std::exchange(other.mr_, nullptr)) {}
Registration& Registration::operator=(Registration&& other) noexcept {
  std::swap(mr_, other.mr_);
  return *this;
}
std::uint32_t Registration::local_key() const {
  return mr_->lkey;
}
std::uint32_t Registration::remote_key() const {
  return mr_->rkey;
}
void Registration::drop() {
  if (mr_ != nullptr) ibv_dereg_mr(std::exchange(mr_, nullptr));
}

}  // namespace latchlab::ib

// Facts about a port and its device from the kernel's files.

#include <dlfcn.h>
#include <fmt/core.h>
#include <infiniband/verbs.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "backends/ibverbs/fabric_probe.h"

namespace latchlab::ib {

namespace {

constexpr int kMostPartitions = 128;  // of ConnectX; unused entries are 0

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
  for (int i = 0; i < kMostPartitions; ++i) {
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

#include "core/scenario/nic_constants.h"

#include <algorithm>

namespace latchlab {

const std::vector<NicConstant>& nic_constants() {
  using Nic = NicModel;
  static const std::vector<NicConstant> table = {
      {"link", "rate", &Nic::link_bits_per_s, NicUnit::bit_rate, 1},
      {"latency", "post", &Nic::post},
      {"latency", "one_way", &Nic::one_way},
      {"latency", "completion", &Nic::completion},
      {"latency", "jitter", &Nic::jitter},
      {"latency", "read", &Nic::read},
      {"latency", "write", &Nic::write},
      {"latency", "atomic_16", &Nic::atomic_16},
      {"request", "gap", &Nic::request_gap},
      {"responder", "read", &Nic::serve_read},
      {"responder", "write", &Nic::serve_write},
      {"responder", "send", &Nic::serve_send},
      {"responder", "atomic_8", &Nic::serve_atomic_8},
      {"responder", "atomic_16", &Nic::serve_atomic_16},
      {"atomic", "slots", &Nic::slots, NicUnit::count, 1},
      {"atomic", "same_address", &Nic::hold_8},
      {"atomic", "same_address_failed", &Nic::hold_8_failed},
      {"atomic", "same_address_16", &Nic::hold_16},
      {"atomic", "window", &Nic::window, NicUnit::count, 1},
      {"atomic", "slots_16", &Nic::slots_16, NicUnit::count, 1},
      {"atomic", "read_hold", &Nic::read_hold},
      {"atomic", "masked", &Nic::masked_bytes, NicUnit::bytes},
      {"qp", "outstanding", &Nic::outstanding, NicUnit::count, 1},
      {"qp", "cache", &Nic::qp_cache, NicUnit::curve},
      {"dc", "connect", &Nic::dc_connect},
      {"dc", "reset", &Nic::dc_reset},
      {"rnr", "timer", &Nic::rnr_timer},
      {"rnr", "retries", &Nic::rnr_retries, NicUnit::count, 0},
      {"timeout", "ack", &Nic::ack_timeout},
      {"timeout", "retries", &Nic::ack_retries, NicUnit::count, 0},
      {"local", "loopback_one_way", &Nic::loopback_one_way},
      {"local", "intra_node_message", &Nic::intra_node_message},
      {"local", "on_node", &Nic::on_node},
      {"local", "cpu_access", &Nic::cpu_access},
      {"server", "cores", &Nic::server_cores, NicUnit::count, 1},
      {"server", "call_service", &Nic::call_service},
      {"device_memory", "size", &Nic::device_bytes, NicUnit::bytes},
      {"device_memory", "read", &Nic::device_read},
      {"device_memory", "write", &Nic::device_write},
      {"device_memory", "atomic_8", &Nic::device_serve_atomic_8},
      {"device_memory", "atomic_16", &Nic::device_serve_atomic_16},
      {"device_memory", "same_address", &Nic::device_hold_8},
      {"device_memory", "same_address_failed", &Nic::device_hold_8_failed},
      {"device_memory", "same_address_16", &Nic::device_hold_16},
      {"host_cache", "bytes", &Nic::host_cache_bytes, NicUnit::bytes},
      {"host_cache", "miss", &Nic::host_cache_miss},
      {"pcie", "rate", &Nic::pcie_bits_per_s, NicUnit::bit_rate},
      {"pcie", "per_verb", &Nic::pcie_per_verb},
  };
  return table;
}

const NicConstant* find_nic_constant(const std::string& key) {
  const auto& table = nic_constants();
  const auto found = std::find_if(table.begin(), table.end(),
                                  [&](const NicConstant& c) { return c.key() == key; });
  return found == table.end() ? nullptr : &*found;
}

std::vector<std::string> nic_sections() {
  std::vector<std::string> sections;
  for (const NicConstant& constant : nic_constants())
    if (sections.empty() || sections.back() != constant.section)
      sections.push_back(constant.section);
  return sections;
}

std::vector<std::string> nic_keys(const std::string& section) {
  std::vector<std::string> names;
  for (const NicConstant& constant : nic_constants())
    if (section.empty() || constant.section == section)
      names.push_back(section.empty() ? constant.key() : constant.name);
  return names;
}

}  // namespace latchlab

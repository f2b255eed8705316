#include "core/scenario/nic_constants.h"

#include <algorithm>

namespace latchlab {

const std::vector<NicConstant>& nic_constants() {
  using Nic = NicModel;
  static const std::vector<NicConstant> table = {
      {"link", "rate", &Nic::link_bits_per_s, true, 1},
      {"latency", "post", &Nic::post},
      {"latency", "one_way", &Nic::one_way},
      {"latency", "completion", &Nic::completion},
      {"latency", "jitter", &Nic::jitter},
      {"latency", "read", &Nic::read},
      {"latency", "write", &Nic::write},
      {"request", "gap", &Nic::request_gap},
      {"responder", "read", &Nic::serve_read},
      {"responder", "write", &Nic::serve_write},
      {"responder", "send", &Nic::serve_send},
      {"responder", "atomic_8", &Nic::serve_atomic_8},
      {"responder", "atomic_16", &Nic::serve_atomic_16},
      {"atomic", "slots", &Nic::slots, false, 1},
      {"atomic", "same_address", &Nic::hold_8},
      {"atomic", "same_address_failed", &Nic::hold_8_failed},
      {"atomic", "same_address_16", &Nic::hold_16},
      {"atomic", "window", &Nic::window, false, 1},
      {"qp", "outstanding", &Nic::outstanding, false, 1},
      {"dc", "connect", &Nic::dc_connect},
      {"dc", "reset", &Nic::dc_reset},
      {"rnr", "timer", &Nic::rnr_timer},
      {"rnr", "retries", &Nic::rnr_retries, false, 0},
      {"timeout", "ack", &Nic::ack_timeout},
      {"timeout", "retries", &Nic::ack_retries, false, 0},
      {"local", "loopback_one_way", &Nic::loopback_one_way},
      {"local", "intra_node_message", &Nic::intra_node_message},
      {"local", "on_node", &Nic::on_node},
      {"local", "cpu_access", &Nic::cpu_access},
      {"server", "cores", &Nic::server_cores, false, 1},
      {"server", "call_service", &Nic::call_service},
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

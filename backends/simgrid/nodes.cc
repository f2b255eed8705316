#include "backends/simgrid/nodes.h"

#include <algorithm>
#include <iterator>

#include "core/base/check.h"

namespace latchlab::sim {

SimNic::SimNic(const NicModel& its_model, std::uint32_t its_host)
    : model(its_model), host(its_host) {
  set_rate(kWholePpm);
}

void SimNic::add_qp() {
  ++qps_;
  if (!model.qp_cache.empty()) set_rate(latchlab::rate_ppm(model, qps_));
}

void SimNic::set_rate(std::int64_t ppm) {
  if (ppm == rate_ppm_) return;
  rate_ppm_ = ppm;
  // In the order of Occupancy.
  const Duration alone[] = {model.serve_send,
                            model.serve_read,
                            model.serve_write,
                            model.serve_atomic_8,
                            model.serve_atomic_16,
                            model.device_serve_atomic_8,
                            model.device_serve_atomic_16,
                            model.request_gap,
                            model.request_answer};
  static_assert(std::size(alone) == std::tuple_size_v<decltype(takes_)>);
  std::transform(std::begin(alone), std::end(alone), takes_.begin(),
                 [ppm](Duration each) { return Duration{each.ps * kWholePpm / ppm}; });
}

Nodes::Nodes(const WorldPlan& plan, const std::vector<const NicModel*>& models) {
  for (const NodePlan& planned : plan.nodes) {
    SimNode& made = nodes_.emplace_back();
    made.id = planned.id;
    made.hosts_locks = planned.server;
    made.hosts_clients = planned.clients;
    made.device_bytes = planned.device_bytes;
    device_ = device_ || made.device_bytes > 0;
    if (planned.rnic == kNoNode) {
      const auto host = static_cast<std::uint32_t>(nics_.size());
      made.nic = &nics_.emplace_back(*models[nodes_.size() - 1], host);
    } else {
      LATCHLAB_CHECK(planned.rnic.value < made.id.value, "the RNIC of a node that comes later");
      made.nic = &nic(planned.rnic);
      shared_nics_ = true;
    }
  }
}

std::vector<Port> Nodes::ports() const {
  std::vector<Port> ports;
  for (const SimNode& node : nodes_) ports.push_back(port_of(node.nic->host, node.nic->model));
  return ports;
}

}  // namespace latchlab::sim

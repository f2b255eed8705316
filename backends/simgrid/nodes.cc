#include "backends/simgrid/nodes.h"

#include "core/base/check.h"

namespace latchlab::sim {

void SimNic::add_qp() {
  ++qps_;
  if (!model.qp_cache.empty()) rate_ppm_ = latchlab::rate_ppm(model, qps_);
}

Nodes::Nodes(const WorldPlan& plan, const std::vector<const NicModel*>& models) {
  for (const NodePlan& planned : plan.nodes) {
    SimNode& made = nodes_.emplace_back();
    made.id = planned.id;
    made.hosts_locks = planned.server;
    made.hosts_clients = planned.clients;
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

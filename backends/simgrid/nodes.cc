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

Duration Nodes::serve_time(const SimOperation& op) const {
  const SimNic& there = nic(responder_of(op));
  const NicModel& model = there.model;
  if (op.kind != OpKind::verb) return there.at_rate(model.serve_send);
  if (op.verb.kind == VerbKind::read) return there.at_rate(model.serve_read);
  if (op.verb.kind == VerbKind::write) return there.at_rate(model.serve_write);
  const bool wide = op.verb.bytes == 16;
  if (on_device(op.verb.addr))
    return there.at_rate(wide ? model.device_serve_atomic_16 : model.device_serve_atomic_8);
  return there.at_rate(wide ? model.serve_atomic_16 : model.serve_atomic_8);
}

std::vector<Port> Nodes::ports() const {
  std::vector<Port> ports;
  for (const SimNode& node : nodes_) ports.push_back(port_of(node.nic->host, node.nic->model));
  return ports;
}

}  // namespace latchlab::sim

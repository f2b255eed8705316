#include "backends/simgrid/network.h"

#include <algorithm>

#include "core/base/check.h"

namespace latchlab::sim {

namespace {

constexpr std::uint32_t kPacketBytes = 4096;  // the path MTU of InfiniBand's NICs (assumed)

}  // namespace

Network::Network(SimContext& context, const Platform& platform, Duration client_link_latency,
                 const std::vector<const std::int64_t*>& losses)
    : Station(context),
      platform_(platform),
      client_link_latency_(client_link_latency),
      ports_(nodes_) {
  for (const SimNode& node : nodes_.all()) {
    OutboundPort& port = ports_[node.id];
    port.nic = node.nic;
    port.loss_ppb = *losses[node.id.value - 1U];
    lossy_ = lossy_ || port.loss_ppb > 0;
  }
  has_failed_ = lossy_;
}

Time Network::depart(NodeId from, NodeId to, Time date, std::uint32_t bytes, std::uint32_t chance) {
  OutboundPort& port = ports_[from];
  const Duration gap = port.nic->at_rate(port.nic->model.request_gap);
  const Duration busy = std::max(gap, platform_.occupies(from, to, bytes));
  const Time starts = std::max(port.free, date);
  port.free = starts + busy;
  const Duration tail = bytes > kSmallBytes ? platform_.transfer(from, to, bytes) : Duration{};
  return starts + tail + wire(from, to) + jitter(port, chance);
}

Time Network::depart_answer(NodeId from, NodeId to, Time date, std::uint32_t bytes) {
  Time& free = ports_[from].free;
  const Time starts = std::max(free, date);
  free = starts + platform_.occupies(from, to, bytes);
  return starts + platform_.transfer(from, to, bytes);
}

Time Network::depart_bulk(NodeId from, Time date) {
  OutboundPort& port = ports_[from];
  const Time starts = std::max(port.free, date);
  port.free = starts + port.nic->at_rate(port.nic->model.request_gap);
  return starts;
}

Duration Network::wire(NodeId from, NodeId to) const {
  const Duration way = platform_.one_way(from, to);
  if (client_link_latency_.ps == 0) return way;
  const bool between_clients =
      nodes_[from].hosts_clients && nodes_[to].hosts_clients && !nodes_.loops_back(from, to);
  return between_clients ? way + client_link_latency_ : way;
}

void Network::deliver(SimOperation& op, Time arrival) {
  Time date = arrival + nodes_.serve_time(op);
  if (op.qp != nullptr) date = op.qp->arrives(date);
  timeline_.push(date, op.actor, Gate::arrive, &op);
}

Duration Network::until_heard(const SimOperation& op, VerbStatus status) const {
  if (status == VerbStatus::peer_failed) return until_given_up(op);
  return wire(responder_of(op), op.from) + owner(op).nic.completion;
}

// The NIC of the sender gives up, or the clients are told of the failure, if that is earlier.
Duration Network::until_given_up(const SimOperation& op) const {
  const NodeId peer = responder_of(op);
  const Time told = nodes_[peer].told;
  const Duration patience = owner(op).patience();
  if (told == kNever) return patience;
  return std::min(patience, std::max(told - timeline_.now(), wire(op.from, peer) * 2));
}

void Network::set_link(NodeId a, NodeId b, bool up) {
  std::uint32_t& cuts = b == kNoNode ? ports_[a].cuts : cut_pairs_[std::minmax(a.value, b.value)];
  LATCHLAB_CHECK(!up || cuts > 0, "a link comes back that is not down");
  cuts += up ? -1U : 1U;
  cuts_ += up ? -1U : 1U;
  has_failed_ = true;
}

Dropped Network::draw_drop(NodeId from, NodeId to, std::uint32_t bytes, Rng& chance) const {
  if (nodes_.loops_back(from, to)) return Dropped::nothing;
  Dropped found = Dropped::nothing;
  for (std::uint64_t sent = 0; sent == 0 || sent < bytes; sent += kPacketBytes) {
    const bool at_sender = happens(ports_[from].loss_ppb, chance);
    if (!at_sender && !happens(ports_[to].loss_ppb, chance)) continue;
    found = sent + kPacketBytes >= bytes ? Dropped::last : Dropped::before_last;
  }
  return found;
}

bool Network::path_down(NodeId a, NodeId b) const {
  if (nodes_.loops_back(a, b)) return false;
  if (ports_[a].cuts > 0 || ports_[b].cuts > 0) return true;
  const auto found = cut_pairs_.find(std::minmax(a.value, b.value));
  return found != cut_pairs_.end() && found->second > 0;
}

}  // namespace latchlab::sim

#include "backends/simgrid/network.h"

#include <algorithm>
#include <utility>

#include "core/base/check.h"

namespace latchlab::sim {

namespace {

// By how much the slowest link delays the end of a packet beyond what the latency includes.
Duration tail(const Route& route, const Packets& sent) {
  if (route.femtoseconds_per_byte == route.measured_femtoseconds_per_byte &&
      sent.wire == sent.included)
    return {};
  const std::int64_t taken = route.femtoseconds_per_byte * sent.wire;
  const std::int64_t included = route.measured_femtoseconds_per_byte * sent.included;
  return {std::max<std::int64_t>(taken - included, 0) / 1000};
}

// Whether it comes back with what it has found, for the first time: WRITEs and messages are only
// acknowledged.
bool is_answer(const SimOperation& op) {
  return op.kind == OpKind::verb && op.verb.kind != VerbKind::write && op.completion.ok() &&
         !op.state.dropped && !op.state.covered;
}

}  // namespace

Network::Network(SimContext& context, const Platform& platform, Duration client_link_latency,
                 const SwitchQueueSpec& queue, const std::vector<const std::int64_t*>& losses)
    : Station(context),
      platform_(platform),
      queue_(queue),
      client_link_latency_(client_link_latency),
      ports_(nodes_) {
  for (const SimNode& node : nodes_.all()) {
    NodePort& port = ports_[node.id];
    port.nic = node.nic;
    const std::int64_t rate = femtoseconds_per_byte(node.nic->model.link_bits_per_s);
    port.out = Line(rate);
    port.in = Line(rate, queue_.bytes);
    port.loss_ppb = *losses[node.id.value - 1U];
    lossy_ = lossy_ || port.loss_ppb > 0;
  }
  has_failed_ = lossy_ || (queue_.bytes > 0 && queue_.full == QueueFull::drop);
}

// From the sender's port to the far end of the receiver's.
inline Duration Network::way(const NodePort& sender, NodeId from, NodeId to, const Packets& sent,
                             std::uint32_t chance) const {
  const Route& route = platform_.route(from, to);
  return with_client_link(route.latency, from, to) + tail(route, sent) + jitter(sender, chance);
}

Time Network::depart(SimOperation& op, NodeId from, NodeId to, Time date, const Packets& sent,
                     std::uint32_t chance) {
  NodePort& port = ports_[from];
  const Duration gap = port.nic->takes(Occupancy::gap);
  if (nodes_.loops_back(from, to))
    return port.out.pass(date, gap, {}) + wire(from, to) + jitter(port, chance);
  op.wire = sent.wire;
  const Duration carried = port.out.takes(sent.wire);
  return port.out.pass(date, std::max(gap, carried), carried) + way(port, from, to, sent, chance);
}

// Answers queue for the port in the order in which they begin, so that one whose data comes late
// does not hold up others.
Time Network::depart_answer(SimOperation& op, NodeId from, NodeId to, Duration extra,
                            const Packets& sent, std::uint32_t chance) {
  NodePort& port = ports_[from];
  const Time now = timeline_.now();
  if (nodes_.loops_back(from, to)) return now + extra + wire(from, to) + jitter(port, chance);
  op.wire = sent.wire;
  return port.out.pass(now, port.out.takes(sent.wire)) + extra + way(port, from, to, sent, chance);
}

Time Network::depart_bulk(NodeId from, Time date) {
  NodePort& port = ports_[from];
  return port.out.pass(date, port.nic->takes(Occupancy::gap), {});
}

// What has come to the requester's RNIC: when it leaves the inbound pipeline, behind all that came
// on its QP before.
inline Time Network::take_in(const SimOperation& op, SimNic& nic) {
  const Time now = timeline_.now();
  Time date = now;
  const Duration busy = nic.takes(Occupancy::answer);
  if (busy.ps > 0 && is_answer(op)) date = nic.inbound.pass(date, busy);
  if (op.qp == nullptr) return date;
  Time& before = op.qp->on_the_way.taken_in_until_;
  if (before > now && date <= before) date = before + picoseconds(1);
  if (date > now) before = date;
  return date;
}

// What comes behind one that waits, on the same QP, waits too.
template <Gate gate>
bool Network::waits(SimOperation& op) {
  constexpr bool kAnswer = gate == Gate::complete;
  const NodeId to = kAnswer ? op.from : responder_of(op);
  const Time now = timeline_.now();
  const bool placed = op.state.waited;
  Time date = now;
  NodePort& port = ports_[to];
  Line& in = port.in;
  if (op.wire != 0 && platform_.one_switch() && in.idle(now)) {  // as cross() would find
    in.pass(now, in.takes(op.wire));
    op.wire = 0;
  } else if (op.wire != 0) {
    date = cross(op, kAnswer ? responder_of(op) : op.from, to);
  }
  constexpr auto kUntil = kAnswer ? &QpOnTheWay::answers_until_ : &QpOnTheWay::requests_until_;
  Time* const last = op.qp != nullptr ? &(op.qp->on_the_way.*kUntil) : nullptr;
  if (!placed && last != nullptr && date <= *last) date = *last + picoseconds(1);
  if (date > now) {
    if (last != nullptr) *last = std::max(*last, date);
  } else if (kAnswer && !op.state.taken_in) {
    date = take_in(op, *port.nic);
    if (date > now) op.state.taken_in = true;
  }
  if (date == now) {
    if (placed) op.state.waited = op.state.taken_in = false;
    return false;
  }
  op.state.waited = true;
  timeline_.push(date, op.actor, gate, &op);
  return true;
}
template bool Network::waits<Gate::arrive>(SimOperation& op);
template bool Network::waits<Gate::complete>(SimOperation& op);

// Goes on to the first link that is busy. Returns when that begins to carry the packet, or now.
Time Network::cross(SimOperation& op, NodeId from, NodeId to) {
  const Time now = timeline_.now();
  const std::vector<std::uint32_t>& links = platform_.route(from, to).links;
  Line* before = op.hop == 0 ? &ports_[from].out : &link(links[op.hop - 1U]);
  for (;;) {
    const bool last = op.hop == links.size();
    Line& next = last ? ports_[to].in : link(links[op.hop]);
    const std::optional<Time> begins = enter(next, *before, op.wire);
    if (last || !begins) {
      op.state.dropped = !begins;
      op.wire = 0;
      op.hop = 0;
      return begins.value_or(now);
    }
    ++op.hop;
    if (*begins > now) return *begins;
    before = &next;
  }
}

// A packet comes from `before` to a switch. Returns when it begins to leave on `line`; nothing: it
// is dropped.
std::optional<Time> Network::enter(Line& line, Line& before, std::uint32_t bytes) {
  const Time now = timeline_.now();
  const Duration wait = line.wait(now);
  if (wait > line.longest_wait()) {
    if (queue_.full == QueueFull::drop) return std::nullopt;
    before.pause(now + (wait - line.longest_wait()));
  }
  return line.pass(now, line.takes(bytes));
}

Line& Network::link(std::uint32_t number) {
  while (links_.size() <= number)
    links_.emplace_back(
        platform_.link_femtoseconds_per_byte(static_cast<std::uint32_t>(links_.size())),
        queue_.bytes);
  return links_[number];
}

void Network::carry_long(NodeId from, NodeId to, std::uint32_t bytes) {
  Line& out = ports_[from].out;
  Line& in = ports_[to].in;
  out.carry(timeline_.now(), out.takes(bytes));
  in.carry(timeline_.now(), in.takes(bytes));
}

void Network::reset_stats() {
  for (NodePort& port : ports_)
    for (Line* const line : {&port.out, &port.in}) line->reset_stats(timeline_.now());
}

Duration Network::link_busy(NodeId node) const {
  const NodePort& port = ports_[node];
  return std::max(port.out.carried(timeline_.now()), port.in.carried(timeline_.now()));
}

Duration Network::wire(NodeId from, NodeId to) const {
  return with_client_link(platform_.one_way(from, to), from, to);
}

Duration Network::with_client_link(Duration way, NodeId from, NodeId to) const {
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
  const auto mtu = static_cast<std::uint32_t>(ports_[from].nic->model.mtu);
  for (std::uint64_t sent = 0; sent == 0 || sent < bytes; sent += mtu) {
    const bool at_sender = happens(ports_[from].loss_ppb, chance);
    if (!at_sender && !happens(ports_[to].loss_ppb, chance)) continue;
    found = sent + mtu >= bytes ? Dropped::last : Dropped::before_last;
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

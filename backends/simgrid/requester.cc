#include "backends/simgrid/requester.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "core/base/check.h"

namespace latchlab::sim {

namespace {

bool waits_for_answer(const SimOperation& op) {
  return op.verb.kind == VerbKind::read || is_atomic(op.verb.kind);
}

}  // namespace

// ---- QPs ----

void Requester::share_qps(SimActor& client, const Core* core) {
  if (owner_ == QpOwner::node) client.qps.shared_ = &node_qps_[client.node()];
  if (owner_ == QpOwner::core && core != nullptr) client.qps.shared_ = &core_qps_[core];
}

Qp& Requester::qp_of(SimActor& actor, NodeId to) {
  QpTable& table = actor.qps.shared_ != nullptr ? *actor.qps.shared_ : actor.qps.own_;
  if (Qp* known = table.find(to)) return *known;
  Qp& fresh = qps_.emplace_back(to);
  constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
  fresh.sender.most_ = static_cast<std::int32_t>(
      std::min({actor.nic.outstanding, nodes_.model(to).outstanding, kMost}));
  table.add(&fresh);
  if (has_pairs(actor)) {
    paired_[to].users.push_back(&actor);
    for (const std::uint32_t owner : paired_[to].owners) connect(actor, to, owner);
    return fresh;
  }
  nodes_.nic(actor.node()).add_qp();
  nodes_.nic(to).add_qp();
  return fresh;
}

bool Requester::has_pairs(const SimActor& actor) const {
  const bool pairs = owner_ == QpOwner::pair || owner_ == QpOwner::duplex;
  return pairs && actor.kind() == ActorKind::client && client_at_;
}

void Requester::note_owner(RemoteAddr word) {
  const std::optional<ClientId> client = client_at_(word);
  // Nodes without clients are numbered from the other end.
  const std::uint32_t owner = client ? client->value : ~std::uint32_t{word.node.value};
  PairedNode& node = paired_[word.node];
  bool& known = node.known[owner];
  if (known) return;
  known = true;
  node.owners.push_back(owner);
  for (const SimActor* const user : node.users) connect(*user, word.node, owner);
}

void Requester::connect(const SimActor& user, NodeId to, std::uint32_t owner) {
  std::uint32_t one = user.client().value;
  if (owner_ == QpOwner::duplex && one > owner) std::swap(one, owner);
  bool& connected = pairs_[std::uint64_t{one} << 32 | owner];
  if (connected) return;
  connected = true;
  nodes_.nic(user.node()).add_qp();
  // A connection of a client to itself that serves both directions has one QP.
  if (owner_ == QpOwner::pair || one != owner) nodes_.nic(to).add_qp();
}

// ---- the request ----

void Requester::post(SimActor& actor, SimOperation& op, Time date) {
  const NodeId to = op.verb.addr.node;
  LATCHLAB_CHECK(nodes_.exists(to), "verb to a node that does not exist");
  Qp& qp = qp_of(actor, to);
  if (has_pairs(actor)) note_owner(op.verb.addr);
  op.qp = &qp;
  op.peer_life = nodes_[to].life;
  qp.admit(op);
  op.posted = date;
  if (may_leave(qp, op) && qp.sender.held_back_.empty()) {
    leave(op, date);
  } else {
    qp.sender.held_back_.push(&op);
  }
}

bool Requester::may_leave(const Qp& qp, const SimOperation& op) const {
  const QpSender& sender = qp.sender;
  if (qp.bulk.sending() || qp.losses.recovering()) return false;
  if (op.verb.fenced && sender.outstanding_ > 0) return false;
  return !waits_for_answer(op) || sender.outstanding_ < sender.most_;
}

void Requester::leave(SimOperation& op, Time date) {
  QpSender& sender = op.qp->sender;
  op.place = ++sender.places_;
  if (waits_for_answer(op)) ++sender.outstanding_;
  if (nodes_[op.from].dead) {  // its node died while it was held back
    op.completion.status = VerbStatus::flushed;
    return timeline_.push(date, op.actor, Gate::complete, &op);
  }
  draw_chance(op);
  if (op.state.kept) return transfer_.send_kept(op, date);
  if (op.verb.kind == VerbKind::write && uses_local(op.verb)) memory_.pick_up(op);
  transfer_.send(op, date);
}

void Requester::release(Qp& qp) {
  Fifo<SimOperation>& held = qp.sender.held_back_;
  while (!held.empty() && may_leave(qp, *held.front())) {
    SimOperation& next = *held.pop();
    leave(next, std::max(timeline_.now(), next.posted));
  }
}

void Requester::resend(Qp& qp) {
  const auto lost = resending_.take_due(qp);
  if (!lost) return;
  for (SimOperation* const op : lost->answers) {
    // A server that comes back has no answer to what it did before.
    if (nodes_.failed_since(qp.to, op->peer_life))
      transfer_.fail(*op, VerbStatus::peer_failed);
    else
      transfer_.answer(*op, lost->there);
  }
  for (SimOperation* const op : lost->requests) {
    if (waits_for_answer(*op)) --qp.sender.outstanding_;
    if (op->carried && !op->state.kept) op->carried->clear();
  }
  qp.sender.held_back_.push_front(lost->requests);
  release(qp);
}

// ---- completion ----

void Requester::completed(SimOperation& op) {
  Qp& qp = *op.qp;
  if (waits_for_answer(op)) --qp.sender.outstanding_;
  qp.heard_of(op);
  release(qp);
  if (op.completion.ok() && op.verb.kind == VerbKind::read && carries_words(op.verb))
    memory_.put_down(op);
  timeline_.pass(Gate::over, &op);
}

}  // namespace latchlab::sim

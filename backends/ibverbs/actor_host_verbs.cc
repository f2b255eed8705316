// READ, WRITE and atomics on an actor's RC QPs: one QP to each node, connected at first use and
// again after an error.

#include <algorithm>
#include <utility>

#include "backends/ibverbs/actor_host.h"
#include "backends/ibverbs/wqe.h"
#include "core/base/check.h"

namespace latchlab::ib {

namespace {

constexpr std::size_t kDoorbell = 32;  // work requests built before a doorbell is rung

WorkRequest::Kind kind_of(VerbKind kind) {
  switch (kind) {
    case VerbKind::read:
      return WorkRequest::Kind::read;
    case VerbKind::write:
      return WorkRequest::Kind::write;
    case VerbKind::cas:
      return WorkRequest::Kind::cas;
    case VerbKind::masked_cas:
      return WorkRequest::Kind::masked_cas;
    case VerbKind::masked_faa:
      return WorkRequest::Kind::masked_faa;
    case VerbKind::faa:
      break;
  }
  return WorkRequest::Kind::faa;
}

}  // namespace

// The checks that this node can make; the target's node checks whether the memory exists.
bool ActorHost::valid(const IbActor& actor, const Verb& verb) const {
  const bool masked = verb.kind >= VerbKind::masked_cas;
  const bool wide = is_atomic(verb.kind) && verb.bytes == 16;
  if (!width_allowed(verb) || verb.addr.offset % (wide ? 16 : 8) != 0) return false;
  if (!directory_.exists(verb.addr.node)) return false;
  if (masked && !directory_.software_atomics && (directory_.atomics & verb.bytes) == 0)
    return false;
  if (!uses_local(verb)) return true;
  return verb.local.node == actor.node() && verb.local.offset % 8 == 0 &&
         node_.memory->find(verb.local.offset, verb.bytes).has_value();
}

void ActorHost::post_verbs(IbActor& actor, IbOperation& first) {
  IbOperation* bad = nullptr;
  for (Operation* at = &first; at != nullptr; at = at->next) {
    auto& op = static_cast<IbOperation&>(*at);
    ++worker_.census.posted;
    ++worker_.census.in_flight;
    if (op.detached) ++actor.detached;
    if (bad == nullptr && !valid(actor, op.verb)) bad = &op;
  }
  if (bad != &first) {
    if (directory_.software_atomics) {
      ask_proxy(actor, first, bad);
    } else {
      Connection& to = connection(actor, first.verb.addr.node);
      for (Operation* at = &first; at != bad && at != nullptr; at = at->next) {
        to.waiting.push_back(static_cast<IbOperation*>(at));
        static_cast<IbOperation*>(at)->connection = &to;
      }
      pump(to);
    }
  }
  VerbStatus status = VerbStatus::access_error;
  for (Operation* at = bad; at != nullptr;) {  // the last of them may free the batch
    auto& op = static_cast<IbOperation&>(*std::exchange(at, at->next));
    verb_over(op, std::exchange(status, VerbStatus::flushed));
  }
}

Connection& ActorHost::connection(IbActor& actor, NodeId to) {
  std::unique_ptr<Connection>& made = actor.connections[to];
  if (!made) {
    made = std::make_unique<Connection>();
    made->actor = &actor;
    made->to = to;
  }
  return *made;
}

void ActorHost::pump(Connection& to) {
  if (to.waiting.empty()) return;
  if (to.state == Connection::State::idle) return directory_.dc ? take_dci(to) : ask_for_qp(to);
  if (to.state == Connection::State::ready) post_ready(to);
}

void ActorHost::ask_for_qp(Connection& to) {
  const ThreadId memory_server = directory_.memory_server_of(to.to);
  if (!frames_->reaches(memory_server)) return fail_waiting(to, VerbStatus::peer_failed);
  to.qp = queue_pair_for(to);
  to.state = Connection::State::asking;
  ConnectBody body;
  body.from = to.actor->key;
  body.address = to.qp.address();
  body.kept = to.qp.peer().number;
  frames_->send(memory_server, FrameKind::connect,
                ask(FrameKind::connect, memory_server, nullptr, &to), body);
}

void ActorHost::connected(Connection& to, const ConnectAnswerBody& answer) {
  to.state = Connection::State::idle;
  const bool kept = to.qp.peer().number != 0;
  // The other end was not kept: asks for a new one.
  if (kept && answer.status != VerbStatus::ok) return ask_for_qp(to);
  if (answer.status != VerbStatus::ok) return fail_waiting(to, answer.status);
  if (!kept && !to.qp.connect(answer.address)) return fail_waiting(to, VerbStatus::peer_failed);
  to.state = Connection::State::ready;
  pump(to);
}

std::optional<Region> ActorHost::region_of(RemoteAddr addr) const {
  const NodeDescriptor& descriptor = directory_.of(addr.node);
  // Looked up by its start; the RNIC there refuses what ends beyond the region.
  const Region on_device{descriptor.device_offset, descriptor.device_bytes, 0,
                         descriptor.device_key, 0};
  if (on_device.holds(addr.offset, 1)) return on_device;
  if (addr.offset < descriptor.bytes)
    return Region{0, descriptor.bytes, 0, descriptor.key, descriptor.base};
  const auto known = regions_.find(addr.node);
  if (known == regions_.end()) return std::nullopt;
  const Region* const region = find_region(known->second, addr.offset, 1);
  return region == nullptr ? std::nullopt : std::optional(*region);
}

std::optional<WorkRequest> ActorHost::request_for(IbOperation& op) {
  const Verb& verb = op.verb;
  const std::optional<Region> region = region_of(verb.addr);
  if (!region) return std::nullopt;
  WorkRequest request;
  request.kind = kind_of(verb.kind);
  request.id = OperationPool::ticket_of(op);
  request.bytes = verb.bytes;
  request.fenced = verb.fenced;
  request.remote = region->address_of(verb.addr.offset);
  request.remote_key = region->remote_key;
  request.operand = verb.value.lo;
  request.compare = verb.compare.lo;
  request.masked = verb.kind >= VerbKind::masked_cas ? &verb : nullptr;
  request.local = op.landing;
  request.local_key = op.landing_key;
  if (uses_local(verb)) {
    const Region here = *node_.memory->find(verb.local.offset, verb.bytes);
    // In the RNIC's own memory this is an offset, not a pointer.
    // NOLINTNEXTLINE(performance-no-int-to-ptr)
    request.local = reinterpret_cast<const void*>(here.address_of(verb.local.offset));
    request.local_key = here.local_key;
  } else if (reads_words(verb)) {
    request.local = operations_.lend(op, verb.bytes);
    request.local_key = op.buffer.key;
  } else if (verb.kind == VerbKind::write) {
    request.local = &verb.value;
    request.by_value = true;
  }
  return request;
}

void ActorHost::post_ready(Connection& to) {
  while (!to.waiting.empty() && to.state == Connection::State::ready) {
    std::vector<WorkRequest>& requests = requests_;
    requests.clear();
    const std::size_t room = std::min<std::size_t>(Connection::kDepth - to.posted.size(),
                                                   FrameExchange::kMostVerbs - outstanding_);
    // Other connections wait for the DCI.
    if (to.posts >= Connection::kDepth && !in_line_.empty()) return;
    const std::size_t most = std::min({room, to.waiting.size(), kDoorbell});
    while (requests.size() < most) {
      IbOperation& op = *to.waiting[requests.size()];
      const std::optional<WorkRequest> request = request_for(op);
      if (!request) break;
      requests.push_back(*request);
      // The last verb of a batch is signalled and completes all before it. So is the last one of a
      // doorbell: otherwise a full queue could wait for a batch that does not fit.
      requests.back().signalled = op.next == nullptr || requests.size() == most;
    }
    if (requests.empty()) {
      if (room > 0) return ask_for_region(to, *to.waiting.front());
      if (outstanding_ == FrameExchange::kMostVerbs && !std::exchange(to.stalled, true))
        stalled_.push_back(&to);
      return;
    }
    requests.back().signalled = true;
    for (std::size_t i = 0; i < requests.size(); ++i) {
      to.waiting.front()->posted = true;
      to.posted.push_back(to.waiting.front());
      to.waiting.pop_front();
    }
    outstanding_ += static_cast<std::uint32_t>(requests.size());
    const int refused = to.dci != nullptr ? to.dci->post(requests, *to.aim) : to.qp.post(requests);
    to.posts += static_cast<std::uint32_t>(requests.size());
    LATCHLAB_CHECK(refused == 0, "an RNIC that has room takes what is posted");
  }
}

void ActorHost::ask_for_region(Connection& to, const IbOperation& op) {
  const ThreadId memory_server = directory_.memory_server_of(to.to);
  to.state = Connection::State::looking;
  to.looking_for = ask(FrameKind::region, memory_server, nullptr, &to);
  frames_->send(memory_server, FrameKind::region, to.looking_for, RegionBody{op.verb.addr.offset});
  if (!frames_->reaches(memory_server)) peer_is_gone(memory_server);
}

void ActorHost::located(Connection& to, std::uint64_t ticket, const RegionAnswerBody& answer) {
  if (to.state != Connection::State::looking || to.looking_for != ticket)
    return;  // the connection broke meanwhile
  to.state = Connection::State::ready;
  if (answer.status != VerbStatus::ok && !to.waiting.empty()) {
    // The verb fails, and flushes what is behind it in its batch.
    const Operation* const batch = to.waiting.front()->batch;
    VerbStatus status = answer.status;
    while (!to.waiting.empty() && to.waiting.front()->batch == batch) {
      IbOperation& op = *to.waiting.front();
      to.waiting.pop_front();
      verb_over(op, std::exchange(status, VerbStatus::flushed));
    }
  }
  pump(to);
  settle(to);
}

void ActorHost::verb_done(const Done& done) {
  IbOperation* const op = operations_.find(done.id);
  if (op == nullptr || !op->posted) return;
  Connection& to = *op->connection;
  while (to.posted.front() != op) retire(to, VerbStatus::ok);
  const VerbStatus status = verb_status(done.status);
  if (status != VerbStatus::ok) {
    to.state = Connection::State::broken;
    // The rest of its batch is flushed without being sent, whichever verb failed first.
    while (!to.waiting.empty() && to.waiting.front()->batch == op->batch && !op->detached) {
      IbOperation& behind = *to.waiting.front();
      to.waiting.pop_front();
      verb_over(behind, VerbStatus::flushed);
    }
  }
  retire(to, status);
  if (to.state == Connection::State::broken)
    reset_when_drained(to);
  else
    pump(to);
  settle(to);
  while (!stalled_.empty() && outstanding_ < FrameExchange::kMostVerbs) {
    Connection& next = *stalled_.front();
    stalled_.pop_front();
    next.stalled = false;
    pump(next);
  }
}

// Ends the first posted verb.
void ActorHost::retire(Connection& to, VerbStatus status) {
  IbOperation& op = *to.posted.front();
  to.posted.pop_front();
  op.posted = false;
  --outstanding_;
  const Verb& verb = op.verb;
  if (status == VerbStatus::ok && reads_words(verb))
    show_words(op);
  else if (status == VerbStatus::ok && verb.kind >= VerbKind::masked_cas)
    op.completion.value = masked_reply(*op.landing, verb.bytes);
  else if (status == VerbStatus::ok && verb.kind != VerbKind::write && !uses_local(verb))
    std::memcpy(&op.completion.value, op.landing, verb.bytes);
  verb_over(op, status);
}

// The result of the READ is in the operation's buffer.
void ActorHost::show_words(IbOperation& op) {
  op.words = op.buffer.words;
  op.completion.value = {op.words[0], op.words[1]};
}

void ActorHost::reset_when_drained(Connection& to) {
  if (!to.posted.empty()) return;
  to.qp.drop();
  to.state = Connection::State::idle;
  if (to.dci != nullptr) recover_dci(to);
  if (!to.actor->alive) return fail_waiting(to, VerbStatus::flushed);
  pump(to);
}

void ActorHost::fail_waiting(Connection& to, VerbStatus status) {
  to.qp.drop();
  std::deque<IbOperation*> waiting = std::exchange(to.waiting, {});
  for (IbOperation* op : waiting) verb_over(*op, status);
}

// Also ends messages and calls.
void ActorHost::verb_over(IbOperation& op, VerbStatus status) {
  --worker_.census.in_flight;
  ++(status == VerbStatus::ok ? worker_.census.executed : worker_.census.failed);
  if (op.kind != OpKind::send || !op.detached) count_effect(op);
  IbOperation* const behind = op.kind == OpKind::send ? next_send(op) : nullptr;
  finish(op, status);  // frees the slot of a detached operation
  if (behind != nullptr) transmit(*behind);
}

}  // namespace latchlab::ib

#include "backends/ibverbs/verb_engine.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

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

VerbEngine::VerbEngine(EngineContext& context, ThreadQueues& queues)
    : context_(context),
      queues_(queues),
      dcis_(queues.initiators(*context.node.device, queue_options(), context.directory.most_dcis)),
      proxy_(context) {}

// The checks that this node can make; the target's node checks whether the memory exists.
bool VerbEngine::valid(const IbActor& actor, const Verb& verb) const {
  const Directory& directory = context_.directory;
  const bool masked = verb.kind >= VerbKind::masked_cas;
  const bool wide = is_atomic(verb.kind) && verb.bytes == 16;
  if (!width_allowed(verb) || verb.addr.offset % (wide ? 16 : 8) != 0) return false;
  if (!directory.exists(verb.addr.node)) return false;
  if (masked && !directory.software_atomics && (directory.atomics & verb.bytes) == 0) return false;
  if (!uses_local(verb)) return true;
  return verb.local.node == actor.node() && verb.local.offset % 8 == 0 &&
         context_.node.memory->find(verb.local.offset, verb.bytes).has_value();
}

void VerbEngine::post(IbActor& actor, IbOperation& first) {
  IbOperation* bad = nullptr;
  for (Operation* at = &first; at != nullptr; at = at->next) {
    auto& op = static_cast<IbOperation&>(*at);
    context_.begin(actor, op);
    if (bad == nullptr && !valid(actor, op.verb)) bad = &op;
  }
  if (bad != &first) {
    if (context_.directory.software_atomics) {
      proxy_.post(actor, first, bad);
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
    context_.end(op, std::exchange(status, VerbStatus::flushed));
  }
}

// ---- posting ----

void VerbEngine::pump(Connection& to) {
  if (to.waiting.empty()) return;
  if (to.state == Connection::State::idle)
    return context_.directory.dc ? take_dci(to) : ask_for_qp(to);
  if (to.state == Connection::State::ready) post_ready(to);
}

std::optional<Region> VerbEngine::region_of(RemoteAddr addr) const {
  const NodeDescriptor& node = context_.directory.of(addr.node);
  // Looked up by its start; the RNIC there refuses what ends beyond the region.
  const Region on_device{node.device_offset, node.device_bytes, 0, node.device_key, 0};
  if (on_device.holds(addr.offset, 1)) return on_device;
  if (addr.offset < node.bytes) return Region{0, node.bytes, 0, node.key, node.base};
  const auto known = regions_.find(addr.node);
  if (known == regions_.end()) return std::nullopt;
  const Region* const region = find_region(known->second, addr.offset, 1);
  return region == nullptr ? std::nullopt : std::optional(*region);
}

std::optional<WorkRequest> VerbEngine::request_for(IbOperation& op) {
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
    const Region here = *context_.node.memory->find(verb.local.offset, verb.bytes);
    // In the RNIC's own memory this is an offset, not a pointer.
    // NOLINTNEXTLINE(performance-no-int-to-ptr)
    request.local = reinterpret_cast<const void*>(here.address_of(verb.local.offset));
    request.local_key = here.local_key;
  } else if (reads_words(verb)) {
    request.local = context_.operations.lend(op, verb.bytes);
    request.local_key = op.buffer.key;
  } else if (verb.kind == VerbKind::write) {
    request.local = &verb.value;
    request.by_value = true;
  }
  return request;
}

void VerbEngine::post_ready(Connection& to) {
  while (!to.waiting.empty() && to.state == Connection::State::ready) {
    std::vector<WorkRequest>& requests = requests_;
    requests.clear();
    const std::size_t room = std::min<std::size_t>(Connection::kDepth - to.posted.size(),
                                                   ThreadQueues::kMostVerbs - outstanding_);
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
      if (outstanding_ == ThreadQueues::kMostVerbs && !std::exchange(to.stalled, true))
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

void VerbEngine::ask_for_region(Connection& to, const IbOperation& op) {
  const ThreadId memory_server = context_.directory.memory_server_of(to.to);
  to.state = Connection::State::looking;
  to.looking_for = context_.add_request(FrameKind::region, memory_server, nullptr, &to);
  context_.frames.send(memory_server, FrameKind::region, to.looking_for, op.verb.addr.offset);
  if (!context_.frames.reaches(memory_server)) context_.requests.peer_is_gone(memory_server);
}

void VerbEngine::located(Connection& to, std::uint64_t ticket, const RegionAnswerBody& answer) {
  if (to.state != Connection::State::looking || to.looking_for != ticket)
    return;  // the connection broke meanwhile
  to.state = Connection::State::ready;
  // The verb fails, and flushes what is behind it in its batch.
  if (answer.status != VerbStatus::ok && !to.waiting.empty())
    end_batch(to, to.waiting.front()->batch, answer.status);
  pump(to);
  settle(to);
}

void VerbEngine::add_region(NodeId node, const RegionAnswerBody& region) {
  regions_[node][region.offset] = {region.offset, region.bytes, 0, region.key, region.address};
}

// ---- completing ----

bool VerbEngine::poll() {
  std::array<Done, 32> done;
  const std::size_t count = queues_.cq.poll(done);
  for (std::size_t i = 0; i < count; ++i) completed(done[i]);
  return count > 0;
}

void VerbEngine::completed(const Done& done) {
  IbOperation* const op = context_.operations.find(done.id);
  if (op == nullptr || !op->posted) return;
  Connection& to = *op->connection;
  while (to.posted.front() != op) retire(to, VerbStatus::ok);
  const VerbStatus status = verb_status(done.status);
  if (status != VerbStatus::ok) {
    to.state = Connection::State::broken;
    // The rest of its batch is flushed without being sent, whichever verb failed first.
    if (!op->detached) end_batch(to, op->batch, VerbStatus::flushed);
  }
  retire(to, status);
  if (to.state == Connection::State::broken)
    reset_when_drained(to);
  else
    pump(to);
  settle(to);
  while (!stalled_.empty() && outstanding_ < ThreadQueues::kMostVerbs) {
    Connection& next = *stalled_.front();
    stalled_.pop_front();
    next.stalled = false;
    pump(next);
  }
}

// Ends the first posted verb.
void VerbEngine::retire(Connection& to, VerbStatus status) {
  IbOperation& op = *to.posted.front();
  to.posted.pop_front();
  op.posted = false;
  --outstanding_;
  const Verb& verb = op.verb;
  if (status == VerbStatus::ok && reads_words(verb))
    op.show_words();
  else if (status == VerbStatus::ok && verb.kind >= VerbKind::masked_cas)
    op.completion.value = masked_reply(*op.landing, verb.bytes);
  else if (status == VerbStatus::ok && verb.kind != VerbKind::write && !uses_local(verb))
    std::memcpy(&op.completion.value, op.landing, verb.bytes);
  context_.end(op, status);
}

void VerbEngine::end_batch(Connection& to, const Operation* batch, VerbStatus status) {
  while (!to.waiting.empty() && to.waiting.front()->batch == batch) {
    IbOperation& op = *to.waiting.front();
    to.waiting.pop_front();
    context_.end(op, std::exchange(status, VerbStatus::flushed));
  }
}

void VerbEngine::fail_waiting(Connection& to, VerbStatus status) {
  to.qp.drop();
  std::deque<IbOperation*> waiting = std::exchange(to.waiting, {});
  for (IbOperation* op : waiting) context_.end(*op, status);
}

}  // namespace latchlab::ib

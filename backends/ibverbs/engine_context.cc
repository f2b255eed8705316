#include "backends/ibverbs/engine_context.h"

#include <utility>

#include "core/base/check.h"

namespace latchlab::ib {

namespace {

// Far longer than a live memory server takes to answer.
constexpr Duration kLongestAnswer = seconds(10);

}  // namespace

// ---- ThreadRequests ----

std::uint64_t ThreadRequests::add(ThreadRequest request) {
  request.ticket = next_;
  pending_.emplace(next_, request);
  return next_++;
}

std::optional<ThreadRequest> ThreadRequests::take(std::uint64_t ticket) {
  const auto found = pending_.find(ticket);
  if (found == pending_.end()) return std::nullopt;
  const ThreadRequest request = found->second;
  pending_.erase(found);
  return request;
}

template <class Pred>
void ThreadRequests::fail_if(const Pred& lost) {
  std::vector<ThreadRequest> failed;
  std::erase_if(pending_, [&](const auto& entry) {
    const bool gone = lost(entry.second);
    if (gone) failed.push_back(entry.second);
    return gone;
  });
  for (const ThreadRequest& request : failed) owner_.request_failed(request);
}

void ThreadRequests::peer_is_gone(ThreadId peer) {
  // Not evictions: a node that cannot be reached from here may be reachable for the victim.
  fail_if([peer](const ThreadRequest& request) {
    return request.to == peer && request.kind != FrameKind::evict;
  });
}

void ThreadRequests::node_is_gone(NodeId node) {
  fail_if([node](const ThreadRequest& request) { return request.to.node == node; });
}

std::set<ThreadId> ThreadRequests::expire(Time now) {
  const auto is_late = [&](const ThreadRequest& request) {
    return request.since + kLongestAnswer < now;
  };
  fail_if([&](const ThreadRequest& request) {
    if (!is_late(request)) return false;
    LATCHLAB_CHECK(request.kind != FrameKind::evict,
                   "a node that lives does not answer an eviction: its memory may be written to");
    return request.kind != FrameKind::call;
  });
  std::set<ThreadId> called;
  for (const auto& [ticket, request] : pending_)
    if (is_late(request)) called.insert(request.to);
  return called;
}

// ---- EngineContext ----

void EngineContext::begin(IbActor& actor, const IbOperation& op) {
  ++worker.census.posted;
  ++worker.census.in_flight;
  if (op.detached) ++actor.detached;
}

void EngineContext::end(IbOperation& op, VerbStatus status) {
  count_end(status);
  count_effect(op);
  finish(op, status);
}

void EngineContext::count_end(VerbStatus status) {
  --worker.census.in_flight;
  ++(status == VerbStatus::ok ? worker.census.executed : worker.census.failed);
}

void EngineContext::count_effect(const IbOperation& op) {
  FirstEffect& first = op.owner->first_effect();
  ++worker.effects;
  if (first.armed) first.happened(op.owner->client(), worker.effects);
}

void EngineContext::finish(IbOperation& op, VerbStatus status) {
  auto& actor = static_cast<IbActor&>(*op.owner);
  op.completion.status = status;
  if (op.detached) {
    if (status != VerbStatus::ok && actor.detached_error == VerbStatus::ok)
      actor.detached_error = status;
    --actor.detached;
    operations.give(op);
    if (actor.detached > 0 || actor.flushing == nullptr) return;
    IbOperation& flush = *std::exchange(actor.flushing, nullptr);
    return finish(flush, std::exchange(actor.detached_error, VerbStatus::ok));
  }
  Operation& first = *op.batch;
  if (--first.remaining == 0) worker.ready(static_cast<IbOperation&>(first));
}

void EngineContext::recycle_batch(IbOperation& first) {
  for (Operation* at = &first; at != nullptr;)
    operations.give(static_cast<IbOperation&>(*std::exchange(at, at->next)));
}

}  // namespace latchlab::ib

// Operations of an actor on its own node: CPU access to memory, node state, time, services.

#include <algorithm>
#include <utility>

#include "backends/ibverbs/actor_host.h"
#include "core/base/check.h"

namespace latchlab::ib {

void ActorHost::post_local(IbActor& actor, IbOperation& op) {
  switch (op.kind) {
    case OpKind::cpu:
      access_memory(op);
      break;
    case OpKind::on_node: {
      const std::lock_guard guard(node_.state);
      op.visit();
      break;
    }
    case OpKind::sleep: {  // from a wrapper of Verbs; an actor's own sleep uses no slot
      const Time until = saturating_add(worker_.now(), op.length);
      const std::uint64_t ticket = OperationPool::ticket_of(op);
      if (until == kNever) return;
      return worker_.at(until, [this, ticket] {
        // The wrapper has set the status.
        if (IbOperation* over = operations_.find(ticket)) finish(*over, over->completion.status);
      });
    }
    case OpKind::compute:
      compute(actor, op.length);
      break;
    case OpKind::flush:
      if (actor.detached > 0) {
        LATCHLAB_CHECK(actor.flushing == nullptr, "one flush at a time");
        actor.flushing = &op;
        return;
      }
      return finish(op, std::exchange(actor.detached_error, VerbStatus::ok));
    case OpKind::allocate:
      return post_allocate(op);
    case OpKind::evict:
      return post_evict(op);
    case OpKind::sync_now:
      op.completion.value.lo = static_cast<std::uint64_t>(worker_.now().ps);
      op.length = directory_.synchronisation_error;
      break;
    default:
      LATCHLAB_CHECK(false, "an operation that is not for here");
  }
  finish(op, VerbStatus::ok);
}

// Keeps this thread busy for all of its actors. Releases the turn of a server part with several
// threads, so that its other threads can run it meanwhile.
void ActorHost::compute(IbActor& actor, Duration length) {
  if (actor.turn != nullptr) actor.turn->unlock();
  for (const Time end = saturating_add(worker_.now(), length); worker_.now() < end;) {
  }
  if (actor.turn != nullptr) actor.turn->lock();
}

void ActorHost::access_memory(IbOperation& op) {
  if (op.cpu == CpuAccess::load_words) return load_words(op);
  std::uint64_t* const word = node_.memory->word(op.verb.addr.offset);
  const std::uint64_t value = op.verb.value.lo;
  std::uint64_t before = op.verb.compare.lo;
  switch (op.cpu) {
    case CpuAccess::load:
    case CpuAccess::load_words:
      before = __atomic_load_n(word, __ATOMIC_SEQ_CST);
      break;
    case CpuAccess::store:
    case CpuAccess::exchange:
      before = __atomic_exchange_n(word, value, __ATOMIC_SEQ_CST);
      break;
    case CpuAccess::cas:  // leaves the old value in `before`
      __atomic_compare_exchange_n(word, &before, value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
      break;
    case CpuAccess::faa:
      before = __atomic_fetch_add(word, value, __ATOMIC_SEQ_CST);
      break;
  }
  op.completion.value.lo = before;
  if (op.cpu != CpuAccess::load) count_effect(op);
}

// Loads word by word, in ascending order.
void ActorHost::load_words(IbOperation& op) {
  const Verb& verb = op.verb;
  const auto* const from =
      reinterpret_cast<const std::uint64_t*>(node_.memory->host(verb.addr.offset, verb.bytes));
  std::uint64_t* const words = operations_.lend(op, verb.bytes);
  for (std::uint32_t at = 0; at < verb.bytes; at += 8) {
    const std::uint64_t word = __atomic_load_n(from + at / 8, __ATOMIC_SEQ_CST);
    std::memcpy(words + at / 8, &word, std::min<std::uint32_t>(8, verb.bytes - at));
  }
  op.words = words;
}

void ActorHost::post_allocate(IbOperation& op) {
  LATCHLAB_CHECK(directory_.exists(op.server), "allocation at a node that does not exist");
  const ThreadId memory_server = directory_.memory_server_of(op.server);
  if (!frames_->reaches(memory_server)) return finish(op, VerbStatus::peer_failed);
  const RegionBody body{op.allocated_bytes};
  frames_->send(memory_server, FrameKind::allocate,
                ask(FrameKind::allocate, memory_server, &op, nullptr), body);
}

// Every node that the client's verbs could reach cuts the client off.
void ActorHost::post_evict(IbOperation& op) {
  const std::uint32_t client = op.evicted.value;
  LATCHLAB_CHECK(client < alive_.size(), "eviction of a client that does not exist");
  LATCHLAB_CHECK(!directory_.dc, "nobody is evicted where verbs go by DC");
  std::vector<ThreadId> memory_servers;
  for (const NodeDescriptor& descriptor : directory_.nodes) {
    if (gone_.count(descriptor.node) > 0) continue;
    const ThreadId memory_server = directory_.memory_server_of(descriptor.node);
    LATCHLAB_CHECK(frames_->reaches(memory_server), "an eviction cannot reach a node that lives");
    memory_servers.push_back(memory_server);
  }
  if (memory_servers.empty()) return finish(op, VerbStatus::ok);
  op.pieces = static_cast<std::uint32_t>(memory_servers.size());
  for (const ThreadId memory_server : memory_servers)
    frames_->send(memory_server, FrameKind::evict,
                  ask(FrameKind::evict, memory_server, &op, nullptr), EvictBody{client});
}

}  // namespace latchlab::ib

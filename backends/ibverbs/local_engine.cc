#include "backends/ibverbs/local_engine.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "core/base/check.h"
#include "core/verbs/wait_ends.h"

namespace latchlab::ib {

void LocalEngine::start(IbActor& actor, IbOperation& op) {
  switch (op.kind) {
    case OpKind::cpu:
      access_memory(op);
      break;
    case OpKind::on_node: {
      const std::lock_guard guard(context_.node.state);
      op.visit();
      break;
    }
    case OpKind::sleep: {  // from a wrapper of Verbs; an actor's own sleep uses no slot
      const Time until = saturating_add(context_.worker.now(), op.length);
      const std::uint64_t ticket = OperationPool::ticket_of(op);
      if (until == kNever) return;
      return context_.worker.at(until, [this, ticket] {
        // The wrapper has set the status.
        if (IbOperation* over = context_.operations.find(ticket))
          context_.finish(*over, over->completion.status);
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
      return context_.finish(op, std::exchange(actor.detached_error, VerbStatus::ok));
    case OpKind::allocate:
      return allocate(op);
    case OpKind::evict:
      return evict(op);
    case OpKind::sync_now:
      op.completion.value.lo = static_cast<std::uint64_t>(context_.worker.now().ps);
      op.length = context_.directory.synchronisation_error;
      break;
    default:
      LATCHLAB_CHECK(false, "an operation that is not for here");
  }
  context_.finish(op, VerbStatus::ok);
}

// Keeps this thread busy for all of its actors. Releases the turn of a server part with several
// threads, so that its other threads can run it meanwhile.
void LocalEngine::compute(IbActor& actor, Duration length) {
  if (actor.turn != nullptr) actor.turn->unlock();
  const Worker& worker = context_.worker;
  for (const Time end = saturating_add(worker.now(), length); worker.now() < end;) {
  }
  if (actor.turn != nullptr) actor.turn->lock();
}

// ---- memory ----

void LocalEngine::access_memory(IbOperation& op) {
  std::uint64_t* const word = context_.node.memory->word(op.verb.addr.offset);
  const std::uint64_t value = op.verb.value.lo;
  std::uint64_t before = op.verb.compare.lo;
  switch (op.cpu) {
    case CpuAccess::load:
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
  if (op.cpu != CpuAccess::load) context_.count_effect(op);
}

// ---- services of memory-server threads ----

void LocalEngine::allocate(IbOperation& op) {
  LATCHLAB_CHECK(context_.directory.exists(op.server), "allocation at a node that does not exist");
  const ThreadId memory_server = context_.directory.memory_server_of(op.server);
  if (!context_.frames.reaches(memory_server)) return context_.finish(op, VerbStatus::peer_failed);
  context_.ask(FrameKind::allocate, memory_server, &op, nullptr, op.allocated_bytes);
}

// Every node that the client's verbs could reach cuts the client off.
void LocalEngine::evict(IbOperation& op) {
  const std::uint32_t client = op.evicted.value;
  LATCHLAB_CHECK(client < alive_.size(), "eviction of a client that does not exist");
  LATCHLAB_CHECK(!context_.directory.dc, "no client is evicted where verbs go by DC");
  std::vector<ThreadId> memory_servers;
  for (const NodeDescriptor& node : context_.directory.nodes) {
    if (gone_.count(node.node) > 0) continue;
    const ThreadId memory_server = context_.directory.memory_server_of(node.node);
    LATCHLAB_CHECK(context_.frames.reaches(memory_server),
                   "an eviction cannot reach a node that lives");
    memory_servers.push_back(memory_server);
  }
  if (memory_servers.empty()) return context_.finish(op, VerbStatus::ok);
  op.pieces = static_cast<std::uint32_t>(memory_servers.size());
  for (const ThreadId memory_server : memory_servers)
    context_.ask(FrameKind::evict, memory_server, &op, nullptr, op.evicted);
}

void LocalEngine::evicted_there(IbOperation& op) {
  if (--op.pieces == 0) context_.finish(op, VerbStatus::ok);
}

// ---- waits ----

void LocalEngine::start_wait(IbActor& actor, IbWait& wait) {
  wait.owner = &actor;
  wait.life = actor.life;
  wait.armed = true;
  actor.waits.push_back(&wait);
  if (wait.set.word_count > 0) ++word_waits_;
  if (try_satisfy(actor, wait)) return satisfied(actor, wait);
  if (wait.set.deadline != kNever) context_.worker.wake_at(actor, wait, wait.set.deadline);
}

bool LocalEngine::try_satisfy(IbActor& actor, IbWait& wait) {
  const bool its_turn = context_.worker.running() == &actor;
  const std::unique_lock turn = its_turn ? std::unique_lock<std::mutex>() : actor.take_turn();
  return take_end_of_wait(
      wait.set, membership_version_,
      [&](EndpointAddr own) -> MessageEngine::Endpoint& {
        MessageEngine::Endpoint* const endpoint =
            own.node == actor.node() ? messages_.endpoint_at(own) : nullptr;
        LATCHLAB_CHECK(endpoint != nullptr && endpoint->owner == &actor,
                       "waiting on another actor's endpoint");
        return *endpoint;
      },
      [&](RemoteAddr word) {
        LATCHLAB_CHECK(word.node == actor.node(), "waiting on foreign memory");
        return __atomic_load_n(context_.node.memory->word(word.offset), __ATOMIC_SEQ_CST);
      },
      wait.outcome);
}

void LocalEngine::satisfied(IbActor& actor, IbWait& wait) {
  wait.armed = false;
  if (wait.set.word_count > 0) --word_waits_;
  std::erase(actor.waits, &wait);
  context_.worker.ready(wait);
}

void LocalEngine::deadline_came(IbActor& actor, IbWait& wait) {
  if (!try_satisfy(actor, wait)) wait.outcome.by = Woke::deadline;
  satisfied(actor, wait);
}

bool LocalEngine::check_words() {
  if (word_waits_ == 0) return false;
  bool any = false;
  for (const auto& actor : context_.actors) {
    for (std::size_t i = 0; i < actor->waits.size();) {
      IbWait& wait = *actor->waits[i];
      if (wait.set.word_count > 0 && try_satisfy(*actor, wait)) {
        satisfied(*actor, wait);
        any = true;
      } else {
        ++i;
      }
    }
  }
  return any;
}

template <class Pred>
void LocalEngine::check_waits(IbActor& actor, const Pred& concerns) {
  const std::vector<IbWait*> armed = actor.waits;
  for (IbWait* wait : armed)
    if (wait->armed && concerns(*wait) && try_satisfy(actor, *wait)) satisfied(actor, *wait);
}

void LocalEngine::check_messages(IbActor& actor) {
  check_waits(actor, [](const IbWait& wait) { return wait.set.message_count > 0; });
}

void LocalEngine::clients_gone(const std::vector<ClientId>& gone) {
  for (const ClientId client : gone) alive_[client.value] = false;
  ++membership_version_;
  for (const auto& actor : context_.actors) check_waits(*actor, [](const IbWait&) { return true; });
}

void LocalEngine::drop_waits(IbActor& actor) {
  for (IbWait* wait : std::exchange(actor.waits, {})) {
    wait->armed = false;
    if (wait->set.word_count > 0) --word_waits_;
    recycle_wait(*wait);
  }
}

}  // namespace latchlab::ib

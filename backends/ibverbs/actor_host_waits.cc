// Waits on the own node (messages, words in own memory, deadlines, membership), and crashes.

#include <utility>

#include "backends/ibverbs/actor_host.h"
#include "core/base/check.h"
#include "core/verbs/wait_ends.h"

namespace latchlab::ib {

void ActorHost::start_wait(IbActor& actor, IbWait& wait) {
  wait.owner = &actor;
  wait.life = actor.life;
  wait.armed = true;
  actor.waits.push_back(&wait);
  if (wait.set.word_count > 0) ++word_waits_;
  if (try_satisfy(actor, wait)) return satisfied(actor, wait);
  if (wait.set.deadline != kNever) worker_.wake_at(actor, wait, wait.set.deadline);
}

bool ActorHost::try_satisfy(IbActor& actor, IbWait& wait) {
  const bool its_turn = worker_.running() == &actor;
  const std::unique_lock turn = its_turn ? std::unique_lock<std::mutex>() : actor.take_turn();
  return take_end_of_wait(
      wait.set, membership_version_,
      [&](EndpointAddr own) -> Endpoint& {
        Endpoint* const endpoint = own.node == actor.node() ? endpoint_at(own) : nullptr;
        LATCHLAB_CHECK(endpoint != nullptr && endpoint->owner == &actor,
                       "waiting on somebody else's endpoint");
        return *endpoint;
      },
      [&](RemoteAddr word) {
        LATCHLAB_CHECK(word.node == actor.node(), "waiting on foreign memory");
        return __atomic_load_n(node_.memory->word(word.offset), __ATOMIC_SEQ_CST);
      },
      wait.outcome);
}

void ActorHost::satisfied(IbActor& actor, IbWait& wait) {
  wait.armed = false;
  if (wait.set.word_count > 0) --word_waits_;
  std::erase(actor.waits, &wait);
  worker_.ready(wait);
}

void ActorHost::deadline_came(IbActor& actor, IbWait& wait) {
  if (!try_satisfy(actor, wait)) wait.outcome.by = Woke::deadline;
  satisfied(actor, wait);
}

bool ActorHost::check_words() {
  bool any = false;
  for (const auto& actor : actors_) {
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

// ---- crashes ----

void ActorHost::membership_changed(const std::vector<ClientId>& gone) {
  for (const ClientId client : gone) alive_[client.value] = false;
  ++membership_version_;
  for (const auto& actor : actors_) {
    const std::vector<IbWait*> armed = actor->waits;
    for (IbWait* wait : armed)
      if (wait->armed && try_satisfy(*actor, *wait)) satisfied(*actor, *wait);
  }
}

void ActorHost::tell_others(ClientId gone) {
  for (const NodeDescriptor& descriptor : directory_.nodes)
    for (std::uint8_t i = 0; descriptor.node != node_.id && i + 1U < descriptor.threads; ++i)
      if (const ThreadId thread{descriptor.node, i}; frames_->reaches(thread))
        frames_->send(thread, FrameKind::gone, 0, EvictBody{gone.value});
}

void ActorHost::kill(IbActor& actor, CrashKind kind) {
  if (kind != CrashKind::client) {
    for (Endpoint& endpoint : endpoints_)
      if (endpoint.owner == &actor) endpoint.gone = true;
    for (auto& [to, made] : actor.connections) break_off(*made);
  }
  if (!std::exchange(actor.alive, false)) return;
  ++actor.life;
  if (actor.kind() == ActorKind::client && actor.root.valid() && !actor.root.done())
    worker_.client_ended();
  for (IbWait* wait : std::exchange(actor.waits, {})) {
    wait->armed = false;
    if (wait->set.word_count > 0) --word_waits_;
    recycle_wait(*wait);
  }
  if (actor.flushing != nullptr) recycle(*std::exchange(actor.flushing, nullptr));
  actor.root.reset();
  actor.serving.clear();
}

void ActorHost::kill_all() {
  for (const auto& actor : actors_) kill(*actor, CrashKind::node);
}

}  // namespace latchlab::ib

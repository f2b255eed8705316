// Waits at home: messages, words in own memory, deadlines, membership.

#include <algorithm>
#include <utility>

#include "backends/simgrid/simulator.h"
#include "core/base/check.h"
#include "core/verbs/wait_ends.h"

namespace latchlab::sim {

SimWait& Simulator::take_wait() {
  SimWait& wait = waits_.take();
  wait.clear();
  return wait;
}

void Simulator::start_wait(SimActor& actor, SimWait& wait) {
  wait.owner = &actor;
  wait.life = actor.life;
  wait.armed = true;
  actor.waits.push(&wait);
  if (crowded()) note_frames(wait);
  if (try_satisfy(actor, wait)) return satisfied(actor, wait, {});
  if (wait.set.word_count > 0 && !std::exchange(actor.watching, true))
    node(actor.node()).watchers.push_back(&actor);
  wait.deadline_true = true_date_of(node(actor.node()), wait.set.deadline);
  arm_timer(actor, wait);
}

bool Simulator::try_satisfy(SimActor& actor, SimWait& wait) {
  return take_end_of_wait(
      wait.set, membership_version_,
      [&](EndpointAddr own) -> Endpoint& {
        Endpoint* const endpoint = find_endpoint(own);
        LATCHLAB_CHECK(endpoint != nullptr && endpoint->owner == &actor,
                       "waiting on somebody else's endpoint");
        return *endpoint;
      },
      [&](RemoteAddr word) {
        LATCHLAB_CHECK(word.node == actor.node(), "waiting on foreign memory");
        return node(actor.node()).memory.word(word.offset);
      },
      wait.outcome);
}

void Simulator::satisfied(SimActor& actor, SimWait& wait, Duration until_seen) {
  wait.armed = false;
  wait.waking = true;
  actor.waits.remove(&wait);
  if (crowded()) prepare_for(actor, wait);
  push(now_ + until_seen, actor.index, EventKind::woken, &wait);
}

void Simulator::woken(SimWait& wait) {
  auto& actor = static_cast<SimActor&>(*wait.owner);
  if (actor.core != nullptr && wait.life == actor.life && !wait.on_core) {
    wait.on_core = true;
    const Duration seen = wait.outcome.by == Woke::message ? actor.nic.completion : Duration{};
    const Duration cost = cpu_time(actor, seen);
    return queue_for_core({&actor, nullptr, &wait, nullptr, now_ + (cost - seen), cost});
  }
  wait.on_core = false;
  wait.waking = false;
  if (wait.life != actor.life) {
    recycle_wait(wait);
    return;
  }
  resume(actor, wait.waiter);
}

// A slot keeps at most one useful timer event: one that comes early is set again for the date that
// is due then. Long deadlines of short waits so cost nothing.
void Simulator::arm_timer(SimActor& actor, SimWait& wait) {
  if (wait.deadline_true == kNever || wait.timer_at <= wait.deadline_true) return;
  wait.timer_at = std::max(wait.deadline_true, now_);
  push(wait.timer_at, actor.index, EventKind::timer, &wait);
}

void Simulator::timer(SimWait& wait) {
  if (wait.timer_at != now_) return;  // replaced by an earlier one
  wait.timer_at = kNever;
  if (!wait.armed) return;
  auto& actor = static_cast<SimActor&>(*wait.owner);
  if (wait.deadline_true > now_) return arm_timer(actor, wait);
  wait.outcome.by = Woke::deadline;
  satisfied(actor, wait, {});
}

void Simulator::check_messages(SimActor& actor) {
  for (SimWait* at = actor.waits.front(); at != nullptr;) {
    SimWait& wait = *std::exchange(at, at->queue_next);
    if (wait.set.message_count > 0 && try_satisfy(actor, wait))
      satisfied(actor, wait, actor.nic.completion);
  }
}

void Simulator::word_changed(NodeId where, std::uint64_t offset) {
  for (SimActor* actor : node(where).watchers) {
    for (SimWait* at = actor->waits.front(); at != nullptr;) {
      SimWait& wait = *std::exchange(at, at->queue_next);
      const auto watched =
          std::any_of(wait.set.words.begin(), wait.set.words.begin() + wait.set.word_count,
                      [offset](const WordWait& word) { return word.word.offset == offset; });
      if (watched && try_satisfy(*actor, wait)) satisfied(*actor, wait, actor->nic.cpu_access);
    }
  }
}

void Simulator::membership_changed(const std::vector<ClientId>& gone) {
  for (const ClientId client : gone) alive_[client.value] = false;
  ++membership_version_;
  for (const auto& actor : actors_) {
    for (SimWait* at = actor->waits.front(); at != nullptr;) {
      SimWait& wait = *std::exchange(at, at->queue_next);
      if (try_satisfy(*actor, wait)) satisfied(*actor, wait, {});
    }
  }
}

}  // namespace latchlab::sim

#include "backends/simgrid/waits.h"

#include <algorithm>
#include <utility>

#include "core/base/check.h"
#include "core/base/prefetch.h"
#include "core/verbs/wait_ends.h"

namespace latchlab::sim {

namespace {

constexpr std::size_t kLongFrameBytes = 768;  // what a wait's coroutine touches when it is resumed

// After a long wait the frames of its awaiters have left the cache, and following the chain then
// would cost a miss for each.
void note_frames(SimWait& wait) {
  wait.frames = {};
  std::size_t count = 0;
  for (auto at = wait.waiter; at && count < wait.frames.size(); at = awaiting(at))
    wait.frames[count++] = at.address();
}

}  // namespace

SimWait& Waits::take() {
  SimWait& wait = waits_.take();
  wait.clear();
  return wait;
}

void Waits::start(SimActor& actor, SimWait& wait) {
  wait.owner = &actor;
  wait.life = actor.life;
  wait.armed = true;
  actor.waits.armed_.push(&wait);
  if (actors_.crowded()) note_frames(wait);
  if (try_satisfy(actor, wait)) {
    const bool message = wait.outcome.by == Woke::message;
    return satisfied(actor, wait, message ? actor.nic.handle_message : Duration{});
  }
  wait.deadline_true = clocks_.true_date_of(actor.node(), wait.set.deadline);
  if (wait.deadline_true <= timeline_.now()) {  // a poll, which needs no timer
    wait.outcome.by = Woke::deadline;
    return satisfied(actor, wait, {});
  }
  watch(wait);
  arm_timer(actor, wait);
}

bool Waits::try_satisfy(SimActor& actor, SimWait& wait) {
  if (take_other_end(actor, wait)) return true;
  if (wait.set.server == kNoNode || life_of(wait.set.server) == wait.set.life) return false;
  wait.outcome.by = Woke::membership;
  return true;
}

bool Waits::take_other_end(SimActor& actor, SimWait& wait) {
  return take_end_of_wait(
      wait.set, membership_version_,
      [&](EndpointAddr own) -> Endpoint& {
        Endpoint* const endpoint = messages_.find(own);
        LATCHLAB_CHECK(endpoint != nullptr && endpoint->owner == &actor,
                       "waiting on an endpoint of another actor");
        return *endpoint;
      },
      [&](RemoteAddr word) {
        LATCHLAB_CHECK(word.node == actor.node(), "waiting on foreign memory");
        return memory_.word(word);
      },
      wait.outcome);
}

void Waits::satisfied(SimActor& actor, SimWait& wait, Duration until_seen) {
  wait.armed = false;
  actor.waits.armed_.remove(&wait);
  watch_no_more(wait);
  if (actors_.crowded()) prepare(actor, wait);
  timeline_.push(timeline_.now() + until_seen, actor.index, Gate::woken, &wait);
}

void Waits::prepare(const SimActor& actor, const SimWait& wait) const {
  for (const void* const frame : wait.frames) {
    if (frame == nullptr) break;
    prefetch_bytes(frame, kLongFrameBytes);
  }
  actors_.prepare(actor, wait.waiter);
}

void Waits::woken(SimWait& wait) {
  auto& actor = static_cast<SimActor&>(*wait.owner);
  const bool message = wait.outcome.by == Woke::message;
  const Duration seen = message ? actor.nic.completion + actor.nic.handle_message : Duration{};
  if (wait.life == actor.life && cpus_.queue({&actor, Gate::wait, &wait, timeline_.now()}, seen))
    return;
  end(wait);
}

void Waits::end(SimWait& wait) {
  auto& actor = static_cast<SimActor&>(*wait.owner);
  if (wait.life != actor.life) return recycle(wait);
  actors_.resume(actor, wait.waiter);
}

void Waits::forget(SimActor& dead) {
  while (!dead.waits.armed_.empty()) {
    SimWait& wait = *dead.waits.armed_.pop();
    wait.armed = false;
    watch_no_more(wait);
    recycle(wait);
  }
}

// ---- deadlines ----

// A slot has at most one useful timer event: one that fires early is set again for the date that is
// due then. So long deadlines of short waits cost nothing.
void Waits::arm_timer(SimActor& actor, SimWait& wait) {
  if (wait.deadline_true == kNever || wait.timer_at <= wait.deadline_true) return;
  wait.timer_at = std::max(wait.deadline_true, timeline_.now());
  timeline_.push(wait.timer_at, actor.index, Gate::timer, &wait);
}

void Waits::timer(SimWait& wait) {
  if (wait.timer_at != timeline_.now()) return;  // replaced by an earlier one
  wait.timer_at = kNever;
  if (!wait.armed) return;
  auto& actor = static_cast<SimActor&>(*wait.owner);
  if (wait.deadline_true > timeline_.now()) return arm_timer(actor, wait);
  wait.outcome.by = Woke::deadline;
  satisfied(actor, wait, {});
}

void Waits::clock_moved(NodeId node) {
  for (const auto& actor : actors_.all()) {
    if (actor->node() != node) continue;
    for (SimWait* at = actor->waits.armed_.front(); at != nullptr; at = at->queue_next) {
      at->deadline_true = clocks_.true_date_of(node, at->set.deadline);
      arm_timer(*actor, *at);
    }
  }
}

// ---- what ends waits ----

template <class Concerns>
void Waits::check(SimActor& actor, Duration until_seen, Concerns&& concerns) {
  for (SimWait* at = actor.waits.armed_.front(); at != nullptr;) {
    SimWait& wait = *std::exchange(at, at->queue_next);
    if (concerns(wait.set) && try_satisfy(actor, wait)) satisfied(actor, wait, until_seen);
  }
}

void Waits::message_came(SimActor& actor) {
  check(actor, actor.nic.completion + actor.nic.handle_message,
        [](const WaitSet& set) { return set.message_count > 0; });
}

void Waits::watch(SimWait& wait) {
  for (std::uint8_t i = 0; i < wait.set.word_count; ++i) {
    const RemoteAddr word = wait.set.words[i].word;
    memory_.watch(word, wait);
  }
  share_words(wait);
}

// The core of its actor looks at the words, and finds no end of the wait.
void Waits::share_words(const SimWait& wait) {
  const std::uint32_t cache = cpus_.cache_of(*static_cast<SimActor*>(wait.owner));
  for (std::uint8_t i = 0; i < wait.set.word_count; ++i)
    memory_.share(wait.set.words[i].word, cache);
}

void Waits::watch_no_more(const SimWait& wait) {
  for (std::uint8_t i = 0; i < wait.set.word_count; ++i) {
    const RemoteAddr word = wait.set.words[i].word;
    memory_.watch_no_more(word, wait);
  }
}

void Waits::word_changed(const Memory::Watchers& waits) {
  for (std::size_t i = 0; i < waits.size();) {
    SimWait& wait = *waits[i];
    auto& actor = static_cast<SimActor&>(*wait.owner);
    if (!try_satisfy(actor, wait)) {
      share_words(wait);
      ++i;
      continue;
    }
    const RemoteAddr word =
        wait.set.words[wait.outcome.by == Woke::word ? wait.outcome.index : 0].word;
    satisfied(actor, wait,  // leaves the list
              memory_.access_time(actor.nic, cpus_.cache_of(actor), word, false));
  }
}

void Waits::remove_members(const std::vector<ClientId>& gone) {
  for (const ClientId client : gone) alive_[client.value] = false;
  ++membership_version_;
  for (const auto& actor : actors_.all()) check(*actor, {}, [](const WaitSet&) { return true; });
}

void Waits::server_changed(NodeId server, std::uint32_t changes) {
  lives_[server].changes += changes;
  for (const auto& actor : actors_.all())
    check(*actor, {}, [server](const WaitSet& set) { return set.server == server; });
}

// ---- sleeps ----

void Waits::sleep(SimActor& actor, Duration length, std::coroutine_handle<> waiter) {
  const Time date = clocks_.end_of(actor.node(), length);
  if (date == kNever) return;
  SimSleep& sleep = sleeps_.take();
  sleep = {&actor, waiter, actor.life};
  timeline_.push(std::max(date, timeline_.now()), actor.index, Gate::wake_up, &sleep);
}

void Waits::wake_up(SimSleep& sleep) {
  if (!cpus_.queue({sleep.actor, Gate::sleep, &sleep, timeline_.now()}, {})) end(sleep);
}

void Waits::end(SimSleep& sleep) {
  const SimSleep over = sleep;
  sleeps_.give(sleep);
  if (over.life == over.actor->life) actors_.resume(*over.actor, over.waiter);
}

}  // namespace latchlab::sim

#include "backends/ibverbs/worker.h"

#include <sched.h>

#include <algorithm>
#include <utility>

#include "backends/ibverbs/actor_host.h"
#include "core/base/check.h"

namespace latchlab::ib {

namespace {

constexpr int kIdleTurns = 16;  // idle turns before a shared core is yielded
// A worker without clients keeps polling for this long after it last did something, and then sleeps
// until something comes.
constexpr Duration kAwake = milliseconds(1);
constexpr Duration kLongestSleep = milliseconds(1);
// A thread that waits for a nearer date polls, because a sleep ends tens of microseconds late.
constexpr Duration kShortestSleep = microseconds(100);
constexpr Duration kSweep = seconds(1);

}  // namespace

Status Worker::set_sleeps() {
  if (Status made = bell_.make(); !made) return made;
  bells_.push_back(bell_.descriptor());
  return fine();
}

void Worker::add_host(ActorHost& host) {
  hosts_.push_back(&host);
  for (const int bell : host.frames().bells()) bells_.push_back(bell);
}

void Worker::at(Time date, std::function<void()> action) {
  Timer timer{date, next_order_++, nullptr, 0, {}, nullptr, 0, nullptr};
  timer.action = std::make_shared<std::function<void()>>(std::move(action));
  timers_.push(std::move(timer));
}

void Worker::sleep(IbActor& actor, Time until, std::coroutine_handle<> waiter) {
  timers_.push({until, next_order_++, &actor, actor.life, waiter, nullptr, 0, nullptr});
}

void Worker::wake_at(IbActor& actor, IbWait& wait, Time date) {
  timers_.push({date, next_order_++, &actor, wait.life, {}, &wait, wait.generation, nullptr});
}

void Worker::inbox(std::function<void()> action) {
  const std::lock_guard guard(inbox_mutex_);
  inbox_.push_back(std::move(action));
  has_mail_.store(true, std::memory_order_release);
  bell_.ring();
}

void Worker::resume(IbActor& actor, std::coroutine_handle<> handle) {
  CheckContext& context = check_context();
  if (index_ == 0) {
    context.client = actor.kind() == ActorKind::client ? actor.client().value : -1;
    context.time_ps = turn_began_.ps;
  }
  const bool was_done = actor.root.done();
  run_as(actor, [handle] { handle.resume(); });
  ++events;
  if (!was_done && actor.root.done() && actor.kind() == ActorKind::client) client_ended();
}

void Worker::begin(IbActor& actor) {
  if (!actor.alive || std::exchange(actor.started, true)) return;
  run_as(actor, [&actor] { actor.root.start(); });
  if (actor.root.done() && actor.kind() == ActorKind::client) client_ended();
}

void Worker::fire(const Timer& timer) {
  if (timer.action) return (*timer.action)();
  if (timer.wait == nullptr) {
    if (timer.life == timer.actor->life) resume(*timer.actor, timer.waiter);
    return;
  }
  if (timer.wait->generation == timer.generation && timer.wait->armed)
    timer.actor->host().local().deadline_came(*timer.actor, *timer.wait);
}

bool Worker::run_timers() {
  bool any = false;
  while (!timers_.empty() && timers_.top().date <= turn_began_) {
    const Timer timer = timers_.top();
    timers_.pop();
    fire(timer);
    any = true;
  }
  return any;
}

bool Worker::run_ready() {
  const std::size_t count = ready_.size();
  for (std::size_t i = 0; i < count; ++i) {
    const Ready next = ready_.front();
    ready_.pop_front();
    Verbs* const owner = next.op != nullptr ? next.op->owner : next.wait->owner;
    auto& actor = static_cast<IbActor&>(*owner);
    if (next.op != nullptr) {
      if (next.op->life == actor.life)
        resume(actor, next.op->waiter);
      else
        actor.host().context().recycle_batch(*next.op);
    } else if (next.wait->life == actor.life) {
      resume(actor, next.wait->waiter);
    } else {
      actor.recycle_wait(*next.wait);
    }
  }
  return count > 0;
}

bool Worker::run_inbox() {
  if (!has_mail_.load(std::memory_order_acquire)) return false;
  std::vector<std::function<void()>> mail;
  {
    const std::lock_guard guard(inbox_mutex_);
    mail.swap(inbox_);
    has_mail_.store(false, std::memory_order_release);
  }
  for (const auto& action : mail) action();
  return true;
}

bool Worker::turn() {
  const bool timed = run_timers();
  bool any = false;
  for (ActorHost* host : hosts_) any = host->poll() || any;
  any = run_ready() || any;
  any = run_inbox() || any;
  if (any) busy_at_ = turn_began_;
  return any || timed;
}

void Worker::sweep() {
  if (turn_began_ < swept_ + kSweep) return;
  swept_ = turn_began_;
  for (ActorHost* host : hosts_) host->sweep(swept_);
}

bool Worker::nothing_under_way() const {
  if (!timers_.empty() || !ready_.empty() || census.in_flight > 0) return false;
  for (const ActorHost* host : hosts_)
    if (host->busy()) return false;
  return true;
}

bool Worker::may_nap(bool idle_for_long) const {
  if (bell_.descriptor() >= 0)
    return std::none_of(hosts_.begin(), hosts_.end(),
                        [](const ActorHost* host) { return host->awaits_words(); });
  return idle_for_long && live_ == 0 && hosts_.size() == 1 && turn_began_ > busy_at_ + kAwake;
}

// Idle: it is not worth while. Busy: something came before it slept.
PollKind Worker::nap(Time date) {
  if (!timers_.empty()) date = std::min(date, timers_.top().date);
  if (time_until(date, turn_began_) < kShortestSleep) return PollKind::idle;
  for (ActorHost* host : hosts_) host->arm();
  if (turn()) return PollKind::busy;
  const Duration left = std::min(time_until(date, now()), kLongestSleep);
  if (left.ps > 0) sleep_on(bells_, left);
  for (ActorHost* host : hosts_) host->frames().take_events();
  bell_.hear();
  return PollKind::asleep;
}

RunEnd Worker::run_until(Time date, const std::atomic<bool>& stop, bool quiet) {
  int idle = 0;
  PollKind last = PollKind::absent;
  for (;;) {
    if (stop.load(std::memory_order_relaxed)) return RunEnd::stopped;
    if (all_live_.load(std::memory_order_relaxed) == 0 && !serves_others_) return RunEnd::finished;
    turn_began_ = now();
    began_ = std::min(began_, turn_began_);
    poll_times_.polled(turn_began_, last);
    if (turn_began_ >= date) return RunEnd::reached;
    last = turn() ? PollKind::busy : PollKind::idle;
    if (last == PollKind::busy) {
      idle = 0;
      continue;
    }
    sweep();  // only after an idle turn, because answers that seem late may be in the CQ
    const bool idle_for_long = ++idle >= kIdleTurns;
    if (idle_for_long) idle = 0;
    if (idle_for_long && quiet && nothing_under_way()) return RunEnd::stuck;
    if (may_nap(idle_for_long)) last = nap(date);
    if (last == PollKind::idle && idle_for_long && !has_own_core_) {
      ::sched_yield();
      last = PollKind::yielded;
    }
  }
}

}  // namespace latchlab::ib

#pragma once
// One thread of clients: polls its hosts, runs timers, and resumes coroutines. Only that thread
// uses it, except for inbox() and the counters.

#include <algorithm>
#include <atomic>
#include <coroutine>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <queue>
#include <vector>

#include "backends/ibverbs/actor.h"
#include "backends/ibverbs/clock_offset.h"
#include "backends/ibverbs/mailbox.h"
#include "core/base/time.h"
#include "core/world/backend.h"

namespace latchlab::ib {

// How a polling thread spends its time, computed from the times at which its polls begin. The
// thread reads these anyway; reading the clock costs as much as a poll without work.
enum class PollKind : std::uint8_t {
  idle,     // polled, and found nothing
  busy,     // found work and did it
  yielded,  // found nothing, and yielded its core
  asleep,   // slept until something came
  absent,   // did not poll: before a run
};

class PollTimeStats {
 public:
  // Restarts the statistics at `now`; the current poll counts from here.
  void restart(Time now) { *this = PollTimeStats(now); }
  // A poll is over, and the next one begins.
  void polled(Time now, PollKind kind) {
    const Duration length = now - began_;
    began_ = now;
    const bool taken = kind == PollKind::yielded && length > kUntakenYield;
    if (kind == PollKind::busy || taken) busy_ += length;
    if (kind == PollKind::asleep)
      asleep_ += length;
    else if (kind != PollKind::absent)
      longest_ = std::max(longest_, length);
  }

  Duration watched() const { return began_ - since_; }
  // Time in polls with work, and in polls during which another thread took the core: all but idle
  // polling.
  Duration busy() const { return busy_; }
  // Time in sleeps, each with the poll before it.
  Duration asleep() const { return asleep_; }
  // The longest time between two polls, for whatever reason (work, another thread on the core, a
  // stall of the machine); sleeps do not count.
  Duration longest() const { return longest_; }

  PollTimeStats() = default;

 private:
  // A yield that no other thread takes is shorter.
  static constexpr Duration kUntakenYield = microseconds(5);

  explicit PollTimeStats(Time now) : since_(now), began_(now) {}

  Time since_, began_;
  Duration busy_, asleep_, longest_;
};

class ActorHost;

class Worker {
 public:
  // `live_clients`: counts the clients of all threads of this process whose coroutines have not
  // ended.
  Worker(std::uint32_t index, std::int64_t epoch_ns, std::atomic<std::uint32_t>& live_clients)
      : index_(index), epoch_ns_(epoch_ns), all_live_(live_clients) {}

  void set_epoch(std::int64_t epoch_ns) { epoch_ns_ = epoch_ns; }
  Time now() const { return Time{(monotonic_ns() - epoch_ns_) * 1000}; }
  // When this turn of the loop began. Reading the clock is expensive compared with a turn without
  // work.
  Time turn_began() const { return turn_began_; }
  std::uint32_t index() const { return index_; }
  // Other processes need what is here: a run lasts until its date, with or without live clients
  // here.
  void set_serves_others() { serves_others_ = true; }
  // No other thread of the run uses its core, so that it never yields.
  void set_has_own_core(bool has) { has_own_core_ = has; }
  // It learns of completions by event (IbverbsOptions).
  Status set_sleeps();
  void add_host(ActorHost& host);
  const std::vector<ActorHost*>& hosts() const { return hosts_; }

  // ---- scheduling ----
  void at(Time date, std::function<void()> action);
  void sleep(IbActor& actor, Time until, std::coroutine_handle<> waiter);
  void wake_at(IbActor& actor, IbWait& wait, Time date);
  void ready(IbOperation& first) { ready_.push_back({&first, nullptr}); }
  void ready(IbWait& wait) { ready_.push_back({nullptr, &wait}); }
  // Any thread: runs the action on this one, soon.
  void inbox(std::function<void()> action);

  // `quiet`: no other thread or process can wake an actor here, so that a worker with nothing to do
  // is stuck.
  RunEnd run_until(Time date, const std::atomic<bool>& stop, bool quiet);

  // ---- statistics ----
  // Restarts the statistics of this thread's time. Called by this thread, within a turn.
  void restart_poll_times() { poll_times_.restart(turn_began_); }
  const PollTimeStats& poll_times() const { return poll_times_; }
  // When it first polled.
  Time began() const { return began_; }
  std::uint64_t effects = 0;
  std::uint64_t events = 0;
  VerbCensus census;

  // The actor whose coroutine this thread runs now; destroying it has to wait (inbox). Null: none.
  const IbActor* running() const { return running_; }
  void resume(IbActor& actor, std::coroutine_handle<> handle);
  void begin(IbActor& actor);
  // Runs code of an actor's part, while holding its `turn`.
  template <class Code>
  void run_as(const IbActor& actor, const Code& code) {
    const std::unique_lock turn = actor.take_turn();
    running_ = &actor;
    code();
    running_ = nullptr;
  }
  void client_began() { ++live_, ++all_live_; }
  void client_ended() { --live_, --all_live_; }

 private:
  struct Timer {
    Time date;
    std::uint64_t order;
    IbActor* actor = nullptr;  // of a sleep or a wait
    std::uint64_t life = 0;
    std::coroutine_handle<> waiter;
    IbWait* wait = nullptr;
    std::uint64_t generation = 0;
    std::shared_ptr<std::function<void()>> action;
    bool operator>(const Timer& other) const {
      return date != other.date ? date > other.date : order > other.order;
    }
  };
  struct Ready {
    IbOperation* op;
    IbWait* wait;
  };

  bool turn();
  void sweep();
  bool may_nap(bool idle_for_long) const;
  PollKind nap(Time date);
  bool run_timers();
  bool run_ready();
  bool run_inbox();
  void fire(const Timer& timer);
  bool nothing_under_way() const;

  std::uint32_t index_;
  std::int64_t epoch_ns_;
  std::uint32_t live_ = 0;  // of this thread
  std::atomic<std::uint32_t>& all_live_;
  bool serves_others_ = false;
  bool has_own_core_ = false;
  Bell bell_;  // of its inbox; silent: it polls
  std::vector<ActorHost*> hosts_;
  std::vector<int> bells_;  // of the hosts, and its own
  std::priority_queue<Timer, std::vector<Timer>, std::greater<>> timers_;
  std::uint64_t next_order_ = 0;
  Time turn_began_;
  Time began_ = kNever;
  PollTimeStats poll_times_;
  Time swept_;
  Time busy_at_;  // when it last did something other than timers
  const IbActor* running_ = nullptr;
  std::deque<Ready> ready_;
  std::mutex inbox_mutex_;
  std::vector<std::function<void()>> inbox_;
  std::atomic<bool> has_mail_ = false;
};

}  // namespace latchlab::ib

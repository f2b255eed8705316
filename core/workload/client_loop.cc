#include "core/workload/client_loop.h"

#include <algorithm>
#include <optional>

#include "core/base/check.h"
#include "core/checks/guard_words.h"
#include "core/workload/turn.h"

namespace latchlab {

RemoteAddr OperationSource::object_of(LockId /*lock*/) const {
  LATCHLAB_CHECK(false, "this workload has locks that guard no object");
  return {};
}
RemoteAddr OperationSource::buffer_of(ClientId /*client*/) const {
  LATCHLAB_CHECK(false, "this workload has no memory that WRITEs come from");
  return {};
}

namespace {

using loop::Client;
using loop::Turn;

// What follows an acquisition or an upgrade.
enum class Next : std::uint8_t { go_on, start_over, stop };

Next after(AbortReason reason, const Section& section) {
  if (reason == AbortReason::unsupported) return Next::stop;
  if (reason == AbortReason::deadline)
    return section.patience.ps > 0 ? Next::start_over : Next::stop;
  return section.on_abort == OnAbort::retry ? Next::go_on : Next::start_over;
}

Task<void> pause(Turn& turn) {
  if (turn.section.pause.ps > 0) co_await turn.verbs.sleep(turn.section.pause);
}

void be_patient(Turn& turn) {
  Section& section = turn.section;
  if (section.patience.ps > 0) section.options.deadline = turn.verbs.now() + section.patience;
}

Task<void> wait_for_arrival(Turn& turn, Time arrival) {
  Time now = turn.verbs.now();
  if (now < arrival) co_await turn.verbs.sleep(arrival - now);
  now = std::max(arrival, turn.verbs.now());
  turn.observer.arrived(turn.me(), now - arrival);
}

// Not needed if the lock granted a want for update mode exclusively.
bool needs_upgrade(Turn& turn, std::size_t index) {
  return turn.section.wants[index].mode == LockMode::update &&
         turn.held[index].mode != LockMode::exclusive;
}

Task<Next> upgrade(Turn& turn, std::size_t index) {
  Grant& grant = turn.held[index];
  for (;;) {
    turn.observer.upgrade_begins(turn.me(), grant);
    turn.verbs.mark(Phase::other);
    const AcquireResult result = co_await turn.lock.upgrade(grant, turn.section.options);
    if (const Grant* const upgraded = std::get_if<Grant>(&result)) {
      grant = *upgraded;
      turn.observer.upgraded(turn.me(), grant);
      if (turn.guard != nullptr) co_await turn.guard->upgrade(turn.verbs, grant);
      co_return Next::go_on;
    }
    const AbortReason reason = std::get_if<Aborted>(&result)->reason;
    turn.observer.upgrade_aborted(turn.me(), grant, reason);
    const Next next = after(reason, turn.section);
    if (next != Next::go_on) co_return next;
    co_await pause(turn);
  }
}

Task<Next> upgrade_first(Turn& turn) {
  std::uint32_t left = turn.section.upgrades;
  for (std::size_t i = 0; i < turn.held.size() && left > 0; ++i) {
    if (turn.section.wants[i].mode == LockMode::update) --left;
    if (!needs_upgrade(turn, i)) continue;
    const Next next = co_await upgrade(turn, i);
    if (next != Next::go_on) co_return next;
  }
  co_return Next::go_on;
}

// Requests the next want. Its grant id is the number of grants held before it.
Task<AcquireResult> acquire_next(Turn& turn) {
  Want& want = turn.section.wants[turn.held.size()];
  want.id = GrantId{static_cast<std::uint32_t>(turn.held.size())};
  turn.observer.acquire_begins(turn.me(), want);
  turn.verbs.mark(Phase::other);
  return turn.lock.acquire(want, turn.section.options);
}

// Handles the result of an acquisition.
Next take(Turn& turn, const AcquireResult& result) {
  if (const Grant* const grant = std::get_if<Grant>(&result)) {
    turn.held.add(*grant);
    turn.observer.acquired(turn.me(), *grant);
    return Next::go_on;
  }
  const AbortReason reason = std::get_if<Aborted>(&result)->reason;
  turn.observer.acquire_aborted(turn.me(), turn.section.wants[turn.held.size()], reason);
  return after(reason, turn.section);
}

// Requests the next want, and reads the result in place, without copying it between coroutines.
struct Acquiring {
  Turn& turn;
  Task<AcquireResult> task = acquire_next(turn);

  bool await_ready() const noexcept { return false; }
  std::coroutine_handle<> await_suspend(std::coroutine_handle<> waiter) const {
    return task.start_then(waiter);
  }
  Next await_resume() {
    const AcquireResult result = task.take_result();
    return take(turn, result);
  }
};

void tell_of_transaction(Turn& turn, bool done) {
  if (done)
    turn.observer.transaction_done(turn.me());
  else
    turn.observer.transaction_given_back(turn.me());
}

Task<ReleaseResult> release(Turn& turn, const Grant& grant) {
  if (turn.last) return turn.lock.write_and_release(*turn.last, grant);
  return turn.lock.release(grant);
}

// One section of a client, from its choice to the release of all its grants. Returns the think time
// that follows; none: the source is exhausted. Most sections have one want and no work: their path
// creates no further coroutine.
Task<std::optional<Duration>> one_turn(const Client& client) {
  Turn turn(client);
  const Section& section = turn.section;
  if (!turn.source.next(turn.me(), turn.section)) co_return std::nullopt;
  if (section.arrived) co_await wait_for_arrival(turn, *section.arrived);
  for (;;) {
    if (!section.lookups.empty()) co_await loop::look_up(turn);
    be_patient(turn);
    Next next = Next::go_on;
    while (next == Next::go_on && turn.held.size() < section.wants.size()) {
      const std::size_t held = turn.held.size();
      Acquiring acquiring{turn};
      next = co_await acquiring;
      const bool granted = turn.held.size() > held;
      if (granted && turn.guard != nullptr) co_await turn.guard->enter(turn.verbs, turn.held[held]);
      if (!granted && next == Next::go_on) co_await pause(turn);
    }
    if (next == Next::go_on && section.upgrades > 0) next = co_await upgrade_first(turn);
    bool done = next == Next::go_on;
    if (done && loop::is_some(section.work))
      done = co_await loop::do_work(turn);
    else if (done && (section.transaction || turn.held.size() > 1))
      done = loop::has_kept_all(turn);
    if (next == Next::go_on && !done) turn.observer.section_cut(turn.me());
    if (section.transaction) tell_of_transaction(turn, done);
    const bool forget = next == Next::go_on && section.skip_release;
    for (std::size_t left = turn.held.size(); left > 0; --left) {
      const Grant& grant = turn.held[left - 1];
      if (turn.guard != nullptr) co_await turn.guard->leave(turn.verbs, grant);
      if (forget) {
        turn.observer.release_skipped(turn.me(), grant);
      } else {
        turn.observer.release_begins(turn.me(), grant);
        const ReleaseResult released = co_await release(turn, grant);
        turn.observer.released(turn.me(), grant, released);
      }
    }
    if (next != Next::start_over) break;
    turn.held.clear();
    co_await pause(turn);
  }
  co_return section.think;
}

// A thinking client keeps this coroutine's frame, so it has few variables.
Task<void> all_turns(Client client) {
  const ClientId me = client.verbs.client();
  client.observer.cycle_begins(me);
  for (;;) {
    const std::optional<Duration> think = co_await one_turn(client);
    if (!think) co_return;
    if (think->ps > 0) co_await client.verbs.sleep(*think);
    client.observer.cycle_begins(me);
  }
}

}  // namespace

Task<void> client_loop(Verbs& verbs, LockClient& client, OperationSource& source,
                       LoopObserver& observer, Guard* guard) {
  return all_turns({verbs, client, source, observer, guard});
}

}  // namespace latchlab

#include "core/workload/client_loop.h"

#include <algorithm>
#include <optional>

#include "core/base/check.h"
#include "core/checks/guard_words.h"
#include "core/workload/section_run.h"

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
using loop::SectionRun;

// What follows an acquisition or an upgrade.
enum class Next : std::uint8_t { go_on, start_over, stop };

Next after(AbortReason reason, const Section& section) {
  if (reason == AbortReason::unsupported) return Next::stop;
  if (reason == AbortReason::deadline)
    return section.patience.ps > 0 ? Next::start_over : Next::stop;
  return section.on_abort == OnAbort::retry ? Next::go_on : Next::start_over;
}

Task<void> pause(SectionRun& run) {
  if (run.section.pause.ps > 0) co_await run.verbs.sleep(run.section.pause);
}

void be_patient(SectionRun& run) {
  Section& section = run.section;
  if (section.patience.ps > 0) section.options.deadline = run.verbs.now() + section.patience;
}

Task<void> wait_for_arrival(SectionRun& run, Time arrival) {
  Time now = run.verbs.now();
  if (now < arrival) co_await run.verbs.sleep(arrival - now);
  now = std::max(arrival, run.verbs.now());
  run.observer.arrived(run.me(), now - arrival);
}

Task<void> wait_for_turn(SectionRun& run, Section::Turn turn) {
  const std::uint64_t least = turn.value;
  const WordWait wait{turn.word, [least](std::uint64_t value) { return value >= least; }};
  co_await run.verbs.await_local(wait);
  run.observer.arrived(run.me(), {});
}

// Not needed if the lock granted a want for update mode exclusively.
bool needs_upgrade(SectionRun& run, std::size_t index) {
  return run.section.wants[index].mode == LockMode::update &&
         run.held[index].mode != LockMode::exclusive;
}

Task<Next> upgrade(SectionRun& run, std::size_t index) {
  Grant& grant = run.held[index];
  for (;;) {
    run.observer.upgrade_begins(run.me(), grant);
    run.verbs.mark(Phase::other);
    const AcquireResult result = co_await run.lock.upgrade(grant, run.section.options);
    if (const Grant* const upgraded = std::get_if<Grant>(&result)) {
      grant = *upgraded;
      run.observer.upgraded(run.me(), grant);
      if (run.guard != nullptr) co_await run.guard->upgrade(run.verbs, grant);
      co_return Next::go_on;
    }
    const AbortReason reason = std::get_if<Aborted>(&result)->reason;
    run.observer.upgrade_aborted(run.me(), grant, reason);
    const Next next = after(reason, run.section);
    if (next != Next::go_on) co_return next;
    co_await pause(run);
  }
}

Task<Next> upgrade_first(SectionRun& run) {
  std::uint32_t left = run.section.upgrades;
  for (std::size_t i = 0; i < run.held.size() && left > 0; ++i) {
    if (run.section.wants[i].mode == LockMode::update) --left;
    if (!needs_upgrade(run, i)) continue;
    const Next next = co_await upgrade(run, i);
    if (next != Next::go_on) co_return next;
  }
  co_return Next::go_on;
}

// Requests the next want. Its grant id is the number of grants held before it.
Task<AcquireResult> acquire_next(SectionRun& run) {
  Want& want = run.section.wants[run.held.size()];
  want.id = GrantId{static_cast<std::uint32_t>(run.held.size())};
  run.observer.acquire_begins(run.me(), want);
  run.verbs.mark(Phase::other);
  return run.lock.acquire(want, run.section.options);
}

// Handles the result of an acquisition.
Next take(SectionRun& run, const AcquireResult& result) {
  if (const Grant* const grant = std::get_if<Grant>(&result)) {
    run.held.add(*grant);
    run.observer.acquired(run.me(), *grant);
    return Next::go_on;
  }
  const AbortReason reason = std::get_if<Aborted>(&result)->reason;
  run.observer.acquire_aborted(run.me(), run.section.wants[run.held.size()], reason);
  return after(reason, run.section);
}

// Requests the next want, and reads the result in place, without copying it between coroutines.
struct Acquiring {
  SectionRun& run;
  Task<AcquireResult> task = acquire_next(run);

  bool await_ready() const noexcept { return false; }
  std::coroutine_handle<> await_suspend(std::coroutine_handle<> waiter) const {
    return task.start_then(waiter);
  }
  Next await_resume() {
    const AcquireResult result = task.take_result();
    return take(run, result);
  }
};

void tell_of_transaction(SectionRun& run, bool done) {
  if (done)
    run.observer.transaction_done(run.me());
  else
    run.observer.transaction_given_back(run.me());
}

Task<ReleaseResult> release(SectionRun& run, const Grant& grant) {
  if (run.last) return run.lock.write_and_release(*run.last, grant);
  return run.lock.release(grant);
}

// One section of a client, from its choice to the release of all its grants. Returns the think time
// that follows; none: the source is exhausted. Most sections have one want and no work: their path
// creates no further coroutine.
Task<std::optional<Duration>> one_turn(const Client& client) {
  SectionRun run(client);
  const Section& section = run.section;
  if (!run.source.next(run.me(), run.section)) co_return std::nullopt;
  if (section.arrived) co_await wait_for_arrival(run, *section.arrived);
  if (section.after) co_await wait_for_turn(run, *section.after);
  for (;;) {
    if (!section.lookups.empty()) co_await loop::look_up(run);
    be_patient(run);
    Next next = Next::go_on;
    while (next == Next::go_on && run.held.size() < section.wants.size()) {
      const std::size_t held = run.held.size();
      Acquiring acquiring{run};
      next = co_await acquiring;
      const bool granted = run.held.size() > held;
      if (granted && run.guard != nullptr) co_await run.guard->enter(run.verbs, run.held[held]);
      if (!granted && next == Next::go_on) co_await pause(run);
    }
    if (next == Next::go_on && section.upgrades > 0) next = co_await upgrade_first(run);
    bool done = next == Next::go_on;
    if (done && loop::is_some(section.work))
      done = co_await loop::do_work(run);
    else if (done && (section.transaction || run.held.size() > 1))
      done = loop::has_kept_all(run);
    if (next == Next::go_on && !done) run.observer.section_cut(run.me());
    if (section.transaction) tell_of_transaction(run, done);
    const bool forget = next == Next::go_on && section.skip_release;
    for (std::size_t left = run.held.size(); left > 0; --left) {
      const Grant& grant = run.held[left - 1];
      if (run.guard != nullptr) co_await run.guard->leave(run.verbs, grant);
      if (forget) {
        run.observer.release_skipped(run.me(), grant);
      } else {
        run.observer.release_begins(run.me(), grant);
        const ReleaseResult released = co_await release(run, grant);
        run.observer.released(run.me(), grant, released);
      }
    }
    if (done && section.file_bytes > 0) run.observer.transferred(run.me(), section.file_bytes);
    if (next != Next::start_over) break;
    run.held.clear();
    co_await pause(run);
  }
  if (section.counts) co_await run.verbs.cpu_fetch_add(*section.counts, 1);
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

// The base version of Verbs::await_remote: issues every probe, as a real client does.

#include "core/base/check.h"
#include "core/verbs/verbs.h"

namespace latchlab {

namespace {

// What counts as progress, as one value.
struct Observed {
  ProbeValues values = {};
  bool any = false;
};

bool progressed(const RemoteWait& wait, Observed& last, const ProbeValues& seen) {
  ProbeValues now = seen;
  if (wait.observe) {
    now = {};
    now[0] = wait.observe(seen);
  }
  const bool changed = !last.any || now != last.values;
  last = {now, true};
  return changed;
}

Duration pause_after(const RemoteWait& wait, const ProbeValues& seen, std::uint64_t misses) {
  return wait.pacing ? wait.pacing(seen, misses) : Duration{};
}

}  // namespace

Task<RemoteWaitResult> Verbs::await_remote(const RemoteWait& wait) {
  RemoteWaitResult result;
  Observed observed;
  std::uint64_t misses = 0;
  result.last_change = now();
  result.values = wait.first_seen;
  bool pause_now = wait.pause_first;
  for (;;) {
    if (pause_now) {
      const Duration pause = pause_after(wait, result.values, misses);
      Time until = saturating_add(now(), pause);
      if (wait.deadline < until) until = wait.deadline;
      const Time give_up = saturating_add(result.last_change, wait.unchanged_for);
      if (give_up < until) until = give_up;
      if (wait.stop_on_message) {
        const WaitOutcome woke =
            co_await receive(wait.message.endpoint, wait.message.filter, until);
        if (woke.by == Woke::message) {
          result.end = WaitEnd::message;
          result.message = woke.message;
          co_return result;
        }
      } else if (until > now()) {
        co_await sleep(until - now());
      }
    }
    pause_now = true;
    if (wait.probe_count == 1) {
      const Completion seen = co_await issue(wait.probes[0]);
      result.values[0] = seen.value;
      result.status = seen.status;
    } else {
      Batch batch(*this);
      for (int i = 0; i < wait.probe_count; ++i) batch.add(wait.probes[i]);
      co_await batch.run();
      for (int i = 0; i < wait.probe_count; ++i) {
        result.values[i] = batch.result(i).value;
        if (!batch.result(i).ok()) result.status = batch.result(i).status;
      }
    }
    result.tries += wait.probe_count;
    if (result.status != VerbStatus::ok) {
      result.end = WaitEnd::failed;
      co_return result;
    }
    const bool reads = wait.probes[0].kind == VerbKind::read;
    if (reads) tally().probe_reads += wait.probe_count;
    const Verdict verdict = wait.classify(result.values);
    if (verdict != Verdict::pending) {
      result.end = verdict == Verdict::done ? WaitEnd::satisfied : WaitEnd::abandoned;
      co_return result;
    }
    ++misses;
    if (reads) tally().probe_misses += wait.probe_count;
    if (progressed(wait, observed, result.values)) result.last_change = now();
    if (now() >= wait.deadline) {
      result.end = WaitEnd::deadline;
      co_return result;
    }
    if (wait.unchanged_for < kForever && now() - result.last_change >= wait.unchanged_for) {
      result.end = WaitEnd::unchanged;
      co_return result;
    }
  }
}

}  // namespace latchlab

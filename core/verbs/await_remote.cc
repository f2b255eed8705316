// The base version of Verbs::await_remote: issues every probe, as a real client does.

#include "core/base/check.h"
#include "core/verbs/batch.h"

namespace latchlab {

namespace {

// The last observation, for the comparison: one value, or all that was read.
struct Observed {
  Words value;
  ProbeValues values;
  bool any = false;
};

bool progressed(const RemoteWait& wait, Observed& last, const ProbeValues& seen) {
  const Words value = wait.observe ? wait.observe(seen) : Words{};
  const bool same = wait.observe ? value == last.value : seen == last.values;
  if (last.any && same) return false;
  last.value = value;
  if (!wait.observe) last.values = seen;
  last.any = true;
  return true;
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
  result.values.lay_out(wait.probes.data(), wait.probes.size());
  result.values.set(0, wait.first_seen);
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
        co_await sleep(time_until(until, now()));
      }
    }
    pause_now = true;
    if (wait.probes.size() == 1 && !reads_words(wait.probes[0])) {
      const Completion seen = co_await issue(wait.probes[0]);
      result.values.set(0, seen.value);
      result.status = seen.status;
    } else {
      Batch batch(*this);
      for (const Verb& probe : wait.probes) batch.add(probe);
      co_await batch.run();
      result.status = batch.status();
      for (std::size_t i = 0; i < wait.probes.size() && result.status == VerbStatus::ok; ++i)
        result.values.set(i, batch.words(static_cast<int>(i)).data());
    }
    result.tries += wait.probes.size();
    if (result.status != VerbStatus::ok) {
      result.end = WaitEnd::failed;
      co_return result;
    }
    const bool reads = wait.probes[0].kind == VerbKind::read;
    if (reads) tally().probe_reads += wait.probes.size();
    const Verdict verdict = wait.classify(result.values);
    if (verdict != Verdict::pending) {
      result.end = verdict == Verdict::done ? WaitEnd::satisfied : WaitEnd::abandoned;
      co_return result;
    }
    ++misses;
    if (reads) tally().probe_misses += wait.probes.size();
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

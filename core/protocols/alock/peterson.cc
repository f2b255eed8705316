// Algorithm 4: how the leaders of the two cohorts compete, one by CPU and one by RNIC.

#include "core/base/paths.h"
#include "core/protocols/alock/client.h"
#include "core/protocols/common/planted.h"
#include "core/verbs/batch.h"

namespace latchlab::alock {

namespace {

// Bytes of a READ from the local tail to the victim (without `whole_lock`).
constexpr std::uint32_t kPart = kVictim + 8 - kLocalTail;

std::uint64_t victim_value(Cohort cohort) {
  return static_cast<std::uint64_t>(cohort);
}

// True if such a READ lets a remote leader acquire.
bool shows_a_way(const Options& options, std::span<const std::uint64_t> words) {
  const std::uint64_t first = options.whole_lock ? 0 : kLocalTail;
  return may_enter(options.wait_while, Cohort::remote, words[(kLocalTail - first) / 8],
                   words[(kVictim - first) / 8]);
}

}  // namespace

Task<bool> Client::compete(Attempt attempt) {
  if (options_.cohorts == Cohorts::one) co_return true;
  LATCHLAB_PATH("alock: a leader competes");
  if (!attempt.by_cpu) co_return co_await compete_by_rnic(attempt);
  if (PLANTED(alock_yields_after_it_looked)) co_await await_by_cpu(attempt);
  if (!PLANTED(alock_writes_no_victim))
    co_await verbs_.store(attempt.entry + kVictim, victim_value(attempt.cohort));
  if (!PLANTED(alock_yields_after_it_looked)) co_await await_by_cpu(attempt);
  co_return true;
}

// ---- the local leader ----

Task<void> Client::await_by_cpu(Attempt attempt) {
  const bool at_once = co_await look_by_cpu(attempt);
  if (at_once) co_return;
  LATCHLAB_PATH("alock: the local leader waits for the remote cohort");
  verbs_.mark(Phase::wait_writers);
  WordWait gone;
  gone.word = attempt.entry + tail_of(other(attempt.cohort));
  gone.until = [](std::uint64_t tail) { return tail == 0; };
  WordWait yielded;
  yielded.word = attempt.entry + kVictim;
  yielded.until = [me = victim_value(attempt.cohort)](std::uint64_t victim) {
    return victim != me;
  };
  if (options_.wait_while == WaitWhile::both) {
    WaitSet either;
    either.add(gone);
    either.add(yielded);
    co_await verbs_.first_of(either);
    co_return;
  }
  for (bool enters = false; !enters;) {  // as printed: both conditions together
    co_await verbs_.await_local(gone);
    co_await verbs_.await_local(yielded);
    enters = co_await look_by_cpu(attempt);
  }
}

// Loads the victim only if the tail does not decide.
Task<bool> Client::look_by_cpu(Attempt attempt) {
  const std::uint64_t tail = co_await verbs_.load(attempt.entry + tail_of(other(attempt.cohort)));
  const bool alone = tail == 0;
  const bool alone_is_enough = options_.wait_while == WaitWhile::both;
  if (alone == alone_is_enough) co_return alone;
  const std::uint64_t victim = co_await verbs_.load(attempt.entry + kVictim);
  co_return victim != victim_value(attempt.cohort);
}

// ---- the remote leader ----

Verb Client::look_at(RemoteAddr entry) const {
  if (options_.whole_lock) return read_verb(entry, kEntryBytes);
  return read_verb(entry + kLocalTail, kPart);
}

Task<bool> Client::compete_by_rnic(Attempt attempt) {
  const RemoteAddr victim = attempt.entry + kVictim;
  const std::uint64_t me = victim_value(attempt.cohort);
  if (PLANTED(alock_writes_no_victim)) co_return co_await await_by_rnic(attempt);
  if (PLANTED(alock_yields_after_it_looked)) co_await await_by_rnic(attempt);
  if (options_.victim == Yield::batched) {
    Batch batch(verbs_);
    batch.add(write_verb(victim, me));
    const int look = batch.add(look_at(attempt.entry));
    co_await batch.run();
    if (batch.status() != VerbStatus::ok) co_return false;
    if (shows_a_way(options_, batch.words(look))) co_return true;
    verbs_.mark(Phase::wait_writers);
  } else if (options_.victim == Yield::cas_loop) {
    const Found swapped = co_await swap_by_cas(victim, me);
    if (!swapped.ok) co_return false;
  } else {
    const bool written = co_await put(attempt, victim, me);
    if (!written) co_return false;
  }
  if (PLANTED(alock_yields_after_it_looked)) co_return true;
  co_return co_await await_by_rnic(attempt);
}

Task<bool> Client::await_by_rnic(Attempt attempt) {
  const Options* const options = &options_;
  RemoteWait wait;
  wait.add(look_at(attempt.entry));
  wait.classify = [options](const ProbeValues& seen) {
    if (shows_a_way(*options, seen.words(0))) return Verdict::done;
    LATCHLAB_PATH("alock: the remote leader waits for the local cohort");
    return Verdict::pending;
  };
  const Duration pause = options_.poll_pause;
  wait.pacing = [pause](const ProbeValues&, std::uint64_t) { return pause; };
  const RemoteWaitResult end = co_await verbs_.await_remote(wait);
  if (end.tries > 1) verbs_.mark_past(Phase::wait_writers);
  co_return end.end == WaitEnd::satisfied;
}

}  // namespace latchlab::alock

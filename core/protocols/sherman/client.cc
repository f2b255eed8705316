#include "core/protocols/sherman/client.h"

#include "core/base/paths.h"
#include "core/protocols/common/planted.h"
#include "core/verbs/batch.h"

// A path label with the prefix of the lock that the client is instantiated for.
#define PATH(label) LATCHLAB_PATH_OF(Lock::kPrefix, label)

namespace latchlab::sherman {

template <class Lock>
Task<AcquireResult> Client<Lock>::acquire(Want want, AcquireOptions /*options*/) {
  if (options_.local_queue) {
    const HandoverWord turn = co_await queue_up(want.lock.id);
    if constexpr (Lock::kHandsOver) {
      if (turn == kYours) {
        PATH("a neighbour hands the lock over");
        co_return Grant(want);
      }
    }
    if (turn == kLead) PATH("a client leads its node");
    if (PLANTED(sherman_leads_without_the_lock) && turn == kLead) co_return Grant(want);
  }
  const bool taken = co_await take(want.lock.entry);
  if (taken) co_return Grant(want);
  PATH("the server fails an acquire");
  if (options_.local_queue) co_await step_down(want.lock.id);
  co_return Aborted{AbortReason::server_failed};
}

template <class Lock>
auto Client<Lock>::queue_up(LockId lock) -> Task<HandoverWord> {
  verbs_.mark(Phase::wait_pred);
  LocalQueues* const queues = &neighbours_->queues;
  LocalQueues::Joined joined = LocalQueues::Joined::waits;
  const auto join = [queues, lock, me = verbs_.client(), &joined] {
    joined = queues->join(lock, {me});
  };
  co_await verbs_.on_node(lock, join);
  if (joined == LocalQueues::Joined::leads) {
    PATH("a client is the first of its node");
    co_return kLead;
  }
  PATH("a client waits for its neighbours");
  WordWait turn;
  turn.word = my_turn_;
  turn.until = [](std::uint64_t value) { return value != kWait; };
  const WaitOutcome woke = co_await verbs_.await_local(turn);
  co_await verbs_.store(my_turn_, kWait);  // for the next time
  co_return static_cast<HandoverWord>(woke.value);
}

template <class Lock>
Task<bool> Client<Lock>::take(RemoteAddr entry) {
  verbs_.mark(Phase::initial_atomic);
  const Word word(options_.lock_width, entry);
  const Verb take = word.take(verbs_.node());
  const Completion first = co_await verbs_.issue(take);
  if (!first.ok()) co_return false;
  if (word.owner(first.value.lo) == 0 || PLANTED(sherman_takes_a_lock_that_is_taken)) {
    PATH("the lock is free");
    co_return true;
  }
  PATH("the lock is taken");
  verbs_.mark(Phase::retry);
  RemoteWait wait;
  wait.add(take);
  wait.classify = [word](const ProbeValues& before) {
    return word.owner(before[0].lo) == 0 ? Verdict::done : Verdict::pending;
  };
  const Duration pause = options_.retry_pause;
  wait.pacing = [pause](const ProbeValues&, std::uint64_t) { return pause; };
  wait.pause_first = true;
  const RemoteWaitResult end = co_await verbs_.await_remote(wait);
  if (end.end != WaitEnd::satisfied) co_return false;
  PATH("the lock is taken after retries");
  co_return true;
}

template <class Lock>
Task<ReleaseResult> Client<Lock>::leave(Grant grant, std::optional<Verb> last) {
  if constexpr (Lock::kHandsOver) {
    const bool handed = co_await hand_over(grant.lock.id, last);
    if (PLANTED(sherman_hands_over_and_frees) && handed)
      co_await free(grant.lock.entry, std::nullopt);
    if (handed) co_return ReleaseResult::released;
  }
  co_await free(grant.lock.entry, last);
  if (options_.local_queue) co_await step_down(grant.lock.id);
  co_return ReleaseResult::released;
}

template <class Lock>
Task<bool> Client<Lock>::hand_over(LockId lock, const std::optional<Verb>& last) {
  verbs_.mark(Phase::notify_succ);
  LocalQueues* const queues = &neighbours_->queues;
  const std::uint64_t most =
      options_.max_handovers + (PLANTED(sherman_hands_over_once_more) ? 1 : 0);
  LocalQueues::Exit exit;
  const auto leave = [queues, lock, most, &exit] {
    exit = queues->leave(lock, LocalQueues::at_most(most));
  };
  co_await verbs_.on_node(lock, leave);
  if (exit.left == LocalQueues::Left::must_free) co_return false;
  PATH("the lock stays at the node");
  if (PLANTED(sherman_forgets_its_neighbour)) co_return true;
  const bool early = PLANTED(sherman_hands_over_before_its_write);
  if (last && !early) co_await verbs_.issue(*last);
  co_await verbs_.store(peers_.client_words(exit.next.client), kYours);
  if (last && early) co_await verbs_.issue(*last);
  co_return true;
}

template <class Lock>
Task<void> Client<Lock>::free(RemoteAddr entry, const std::optional<Verb>& last) {
  if (PLANTED(sherman_never_frees)) co_return;
  verbs_.mark(Phase::initial_atomic);
  const Verb free = Word(options_.lock_width, entry).free(verbs_.node(), options_.unlock_by);
  if (last) {
    PATH("the lock is freed together with a write-back");
    Batch batch(verbs_);
    batch.add(*last);
    batch.add(free);
    co_await batch.run();
    if (batch.status() != VerbStatus::ok) PATH("the server fails a release");
    co_return;
  }
  if (options_.unlock_posted) {
    PATH("the lock is freed by a verb that no client awaits");
    verbs_.post(free);
    co_return;
  }
  const Completion freed = co_await verbs_.issue(free);
  if (!freed.ok()) PATH("the server fails a release");
}

template <class Lock>
Task<void> Client<Lock>::step_down(LockId lock) {
  LocalQueues* const queues = &neighbours_->queues;
  LocalQueues::Next next;
  const auto freed = [queues, lock, &next] { next = queues->freed(lock); };
  co_await verbs_.on_node(lock, freed);
  if (!next.any) {
    PATH("no client of the node waits");
    co_return;
  }
  PATH("the next of the node leads");
  if (PLANTED(sherman_forgets_who_leads_next)) co_return;
  co_await verbs_.store(peers_.client_words(next.waiter.client), kLead);
}

// Members that these call are instantiated with them. Members that only one lock has, and their
// path labels, exist for that lock alone.
template Task<AcquireResult> Client<Sherman>::acquire(Want, AcquireOptions);
template Task<ReleaseResult> Client<Sherman>::leave(Grant, std::optional<Verb>);
template Task<AcquireResult> Client<ShermanNh>::acquire(Want, AcquireOptions);
template Task<ReleaseResult> Client<ShermanNh>::leave(Grant, std::optional<Verb>);

}  // namespace latchlab::sherman

#undef PATH

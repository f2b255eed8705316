#include "core/base/paths.h"
#include "core/protocols/common/planted.h"
#include "core/protocols/rma_rw/client.h"

namespace latchlab::rma_rw {

namespace {

// What a writer's grant stores, in Grant::words.
Grant writers_grant(const Want& want, const QueuePlace& place) {
  Grant grant(want);
  grant.words = {place.turns, place.self, place.next,
                 place.generation | std::uint64_t{place.next_generation} << 32};
  return grant;
}

QueuePlace place_of(const Grant& grant) {
  return {grant.lock,
          grant.words[1],
          grant.words[2],
          static_cast<std::uint32_t>(grant.words[3]),
          static_cast<std::uint32_t>(grant.words[3] >> 32),
          grant.words[0]};
}

}  // namespace

Task<AcquireResult> Client::acquire_exclusive(Want want) {
  QueuePlace place{want.lock};
  const std::uint64_t turn = co_await queue_up(only_queue(want.lock), place);
  if (turn == kNoNode) co_return Aborted{AbortReason::too_many};
  if (turn == kFailed) co_return Aborted{AbortReason::server_failed};
  if (turn != kAlone && options_.successor_at_grant) co_await notes_->look_for_successor(place);
  if (turn < kTurns) {
    LATCHLAB_PATH("rma_rw: a writer is handed the lock");
    place.turns = turn;
    co_return writers_grant(want, place);
  }
  if (turn == kModeChanged) LATCHLAB_PATH("rma_rw: a writer has to change the mode");
  const bool alone = co_await keep_readers_out(want.lock);
  if (!alone) {
    // The writer's place stays in the queue, and its queue node is never used again.
    LATCHLAB_PATH("rma_rw: the server fails the first writer");
    co_return Aborted{AbortReason::server_failed};
  }
  co_return writers_grant(want, place);
}

Task<std::uint64_t> Client::queue_up(Queue queue, QueuePlace& place) {
  const std::uint64_t opened = co_await queue.notes->open(place);
  if (opened != kAlone) {
    if (opened == kNoNode) LATCHLAB_PATH("rma_rw: no queue node is left");
    if (opened == kFailed) LATCHLAB_PATH("rma_rw: an element's place does not answer");
    co_return opened;
  }
  verbs_.mark(Phase::initial_atomic);
  const std::optional<std::uint64_t> predecessor = co_await swap_tail(queue, place.self);
  if (!predecessor.has_value()) {
    LATCHLAB_PATH("rma_rw: the server fails a writer that queues up");
    co_return kFailed;
  }
  if (*predecessor == 0) {
    LATCHLAB_PATH("rma_rw: the queue is empty");
    co_return kAlone;
  }
  LATCHLAB_PATH("rma_rw: a writer queues up behind another");
  verbs_.mark(Phase::notify_pred);
  co_await queue.notes->tell_predecessor(place, *predecessor);
  verbs_.mark(Phase::wait_pred);
  const std::uint64_t turn = co_await queue.notes->await_turn(place, *predecessor);
  co_return turn;
}

Task<std::optional<std::uint64_t>> Client::swap_tail(Queue queue, std::uint64_t self) {
  if (queue.by_cpu) {
    const std::uint64_t before = co_await verbs_.exchange(queue.tail, self);
    co_return before;
  }
  const Words swap = {self, 0};
  const Completion swapped =
      co_await verbs_.masked_compare_swap(queue.tail, 8, {}, {}, swap, {kTailMask, 0});
  if (!swapped.ok()) co_return std::nullopt;
  co_return swapped.value.lo& kTailMask;
}

Task<std::optional<bool>> Client::clear_tail(Queue queue, std::uint64_t self) {
  if (queue.by_cpu) {
    const std::uint64_t before = co_await verbs_.cpu_compare_swap(queue.tail, self, 0);
    co_return before == self;
  }
  const Completion left = co_await verbs_.compare_swap(queue.tail, self, 0);
  if (!left.ok()) co_return std::nullopt;
  co_return left.value.lo == self;
}

// Readers leave by themselves, or because the threshold keeps later ones out. The writer handles
// one set of counters after the other.
Task<bool> Client::keep_readers_out(LockRef lock) {
  verbs_.mark(Phase::wait_readers);
  for (std::uint64_t i = 0; i < counters(); ++i) {
    const bool gone = co_await wait_for_readers(counters_at(lock, i));
    if (!gone) co_return false;
    const Verb change_mode = write_mode_verb(counters_at(lock, i));
    const Completion changed = co_await verbs_.issue(change_mode);
    if (!changed.ok()) co_return false;
    if (unpack_counters(changed.value.lo).readers_in() != 0)
      LATCHLAB_PATH("rma_rw: readers arrive before the mode changes");
  }
  if (PLANTED(rma_rw_no_second_look)) co_return true;
  const std::uint64_t looked_at = PLANTED(rma_rw_skips_a_counter) ? 1 : counters();
  for (std::uint64_t i = 0; i < looked_at; ++i) {
    const bool all_gone = co_await wait_for_readers(counters_at(lock, i));
    if (!all_gone) co_return false;
  }
  co_return true;
}

Task<bool> Client::wait_for_readers(RemoteAddr counters) {
  RemoteWait wait;
  wait.add(read_verb(counters));
  wait.classify = [](const ProbeValues& values) {
    const Counters seen = unpack_counters(values[0].lo);
    return seen.readers_in() == 0 ? Verdict::done : Verdict::pending;
  };
  const RemoteWaitResult end = co_await verbs_.await_remote(wait);
  co_return end.end == WaitEnd::satisfied;
}

Task<bool> Client::let_readers_in(LockRef lock) {
  for (std::uint64_t i = 0; i < counters(); ++i) {
    const std::optional<std::uint64_t> done = co_await reset(counters_at(lock, i));
    if (!done.has_value()) co_return false;
  }
  co_return true;
}

Task<std::optional<std::uint64_t>> Client::reset(RemoteAddr counters) {
  const Completion now = co_await verbs_.read(counters);
  if (!now.ok()) co_return std::nullopt;
  Counters seen = unpack_counters(now.value.lo);
  if (PLANTED(rma_rw_reset_keeps_the_mode)) seen.arrive &= ~kWriteMode;
  Verb back = reset_verb(counters, seen);
  if (PLANTED(rma_rw_reset_by_write)) back = write_verb(counters, 0);
  const Completion done = co_await verbs_.issue(back);
  if (!done.ok()) co_return std::nullopt;
  co_return seen.depart;
}

Task<ReleaseResult> Client::release_exclusive(Grant grant) {
  QueuePlace place = place_of(grant);
  const bool left = co_await leave_root(only_queue(grant.lock), place);
  if (!left) LATCHLAB_PATH("rma_rw: the server fails a release");
  co_return ReleaseResult::released;  // even if the server failed: the lock is lost with it
}

Task<bool> Client::leave_root(Queue queue, QueuePlace& place) {
  const std::uint64_t writers = place.turns + 1;
  std::uint64_t turn = writers;
  verbs_.mark(Phase::initial_atomic);
  if (writers >= options_.writer_threshold) {
    LATCHLAB_PATH("rma_rw: enough writers were in a row");
    const bool done = co_await let_readers_in(place.lock);
    if (!done) co_return false;
    turn = kModeChanged;
  }
  if (place.next == 0 && !options_.successor_at_grant)
    co_await queue.notes->look_for_successor(place);
  if (place.next == 0) {
    LATCHLAB_PATH("rma_rw: a release knows no successor");
    if (turn != kModeChanged && !PLANTED(rma_rw_leaves_in_write_mode)) {
      const bool done = co_await let_readers_in(place.lock);
      if (!done) co_return false;
      turn = kModeChanged;
    }
    const std::optional<bool> empty = co_await clear_tail(queue, place.self);
    if (!empty.has_value()) co_return false;
    if (*empty) {
      LATCHLAB_PATH("rma_rw: a release leaves the queue empty");
      queue.notes->close(place);
      co_return true;
    }
    LATCHLAB_PATH("rma_rw: a release waits for a late successor");
    verbs_.mark(Phase::notify_succ);
    co_await queue.notes->await_successor(place);
    if (place.next == 0) co_return false;
  }
  verbs_.mark(Phase::notify_succ);
  if (turn != kModeChanged) LATCHLAB_PATH("rma_rw: a release hands over");
  if (turn == kModeChanged) LATCHLAB_PATH("rma_rw: a release grants to readers");
  co_await queue.notes->tell_successor(place, turn);
  queue.notes->close(place);
  co_return true;
}

}  // namespace latchlab::rma_rw

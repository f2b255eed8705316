#include "core/base/paths.h"
#include "core/protocols/common/planted.h"
#include "core/protocols/rma_rw/client.h"

namespace latchlab::rma_rw {

namespace {

// What a writer's grant remembers: Grant::words.
Grant writers_grant(const Want& want, const Place& place, std::uint64_t writers_before) {
  Grant grant(want);
  grant.words = {writers_before, place.self, place.next,
                 place.generation | std::uint64_t{place.next_generation} << 32};
  return grant;
}

Place place_of(const Grant& grant) {
  return {grant.lock, grant.words[1], grant.words[2], static_cast<std::uint32_t>(grant.words[3]),
          static_cast<std::uint32_t>(grant.words[3] >> 32)};
}

}  // namespace

Task<AcquireResult> Client::acquire_exclusive(Want want) {
  const RemoteAddr entry = want.lock.entry;
  Place place{want.lock};
  const bool has_node = co_await notes_->open(place);
  if (!has_node) {
    LATCHLAB_PATH("rma_rw: no queue node is left");
    co_return Aborted{AbortReason::too_many};
  }
  verbs_.mark(Phase::initial_atomic);
  const Words self = {place.self, 0};
  const Completion swapped =
      co_await verbs_.masked_compare_swap(entry, 8, {}, {}, self, {kTailMask, 0});
  if (!swapped.ok()) {
    LATCHLAB_PATH("rma_rw: the server fails a writer that queues up");
    co_return Aborted{AbortReason::server_failed};
  }
  const std::uint64_t predecessor = swapped.value.lo & kTailMask;
  if (predecessor != 0) {
    LATCHLAB_PATH("rma_rw: a writer queues up behind another");
    verbs_.mark(Phase::notify_pred);
    co_await notes_->tell_predecessor(place, predecessor);
    verbs_.mark(Phase::wait_pred);
    const std::uint64_t turn = co_await notes_->await_turn(place, predecessor);
    if (options_.successor_at_grant) co_await notes_->look_for_successor(place);
    if (turn != kModeChanged) {
      LATCHLAB_PATH("rma_rw: a writer is handed the lock");
      co_return writers_grant(want, place, turn);
    }
    LATCHLAB_PATH("rma_rw: a writer has to change the mode");
  } else {
    LATCHLAB_PATH("rma_rw: the queue is empty");
  }
  verbs_.mark(Phase::wait_readers);
  const bool alone = co_await keep_readers_out(entry);
  if (!alone) {
    // Its place stays in the queue, and its queue node is never used again.
    LATCHLAB_PATH("rma_rw: the server fails the first writer");
    co_return Aborted{AbortReason::server_failed};
  }
  co_return writers_grant(want, place, 0);
}

// A moment without readers comes by itself, or because the threshold keeps them out.
Task<bool> Client::keep_readers_out(RemoteAddr entry) {
  const bool gone = co_await wait_for_readers(entry);
  if (!gone) co_return false;
  const Verb change_mode = write_mode_verb(counters_of(entry));
  const Completion changed = co_await verbs_.issue(change_mode);
  if (!changed.ok()) co_return false;
  if (unpack_counters(changed.value.lo).readers_in() != 0)
    LATCHLAB_PATH("rma_rw: readers arrive before the mode changes");
  if (PLANTED(rma_rw_no_second_look)) co_return true;
  const bool all_gone = co_await wait_for_readers(entry);
  co_return all_gone;
}

Task<bool> Client::wait_for_readers(RemoteAddr entry) {
  RemoteWait wait;
  wait.add(read_verb(counters_of(entry)));
  wait.classify = [](const ProbeValues& values) {
    const Counters seen = unpack_counters(values[0].lo);
    return seen.readers_in() == 0 ? Verdict::done : Verdict::pending;
  };
  const RemoteWaitResult end = co_await verbs_.await_remote(wait);
  co_return end.end == WaitEnd::satisfied;
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
  const RemoteAddr entry = grant.lock.entry;
  Place place = place_of(grant);
  const std::uint64_t writers = grant.words[0] + 1;
  std::uint64_t turn = writers;
  verbs_.mark(Phase::initial_atomic);
  if (writers >= options_.writer_threshold) {
    LATCHLAB_PATH("rma_rw: enough writers were in a row");
    const std::optional<std::uint64_t> done = co_await reset(counters_of(entry));
    if (!done.has_value()) co_return ReleaseResult::released;  // the server is gone, and the lock
    turn = kModeChanged;
  }
  if (!options_.successor_at_grant) co_await notes_->look_for_successor(place);
  if (place.next == 0) {
    LATCHLAB_PATH("rma_rw: a release knows no successor");
    if (turn != kModeChanged && !PLANTED(rma_rw_leaves_in_write_mode)) {
      const std::optional<std::uint64_t> done = co_await reset(counters_of(entry));
      if (!done.has_value()) co_return ReleaseResult::released;
      turn = kModeChanged;
    }
    const Completion left = co_await verbs_.compare_swap(entry, place.self, 0);
    if (!left.ok()) {
      LATCHLAB_PATH("rma_rw: the server fails a release");
      co_return ReleaseResult::released;
    }
    if (left.value.lo == place.self) {
      LATCHLAB_PATH("rma_rw: a release leaves the queue empty");
      notes_->close(place);
      co_return ReleaseResult::released;
    }
    LATCHLAB_PATH("rma_rw: a release waits for a late successor");
    verbs_.mark(Phase::notify_succ);
    co_await notes_->await_successor(place);
  }
  verbs_.mark(Phase::notify_succ);
  if (turn != kModeChanged) LATCHLAB_PATH("rma_rw: a release hands over");
  if (turn == kModeChanged) LATCHLAB_PATH("rma_rw: a release lets readers in");
  co_await notes_->tell_successor(place, turn);
  notes_->close(place);
  co_return ReleaseResult::released;
}

}  // namespace latchlab::rma_rw

// Writers in a tree of queues.

#include "core/base/paths.h"
#include "core/protocols/common/planted.h"
#include "core/protocols/rma_rw/client.h"

namespace latchlab::rma_rw {

Client::Queue Client::queue_at(LockRef lock, unsigned level) {
  NoteBook* const notes = level == 0 ? notes_.get() : elements_[level - 1].get();
  return {notes, tree_->tail(lock, level), level == 0};
}

Task<AcquireResult> Client::climb(Want want) {
  Grant grant(want);
  for (unsigned level = 0; level <= tree_->root(); ++level) {
    QueuePlace place{want.lock};
    const std::uint64_t turn = co_await queue_up(queue_at(want.lock, level), place);
    if (turn == kNoNode) co_return Aborted{AbortReason::too_many};
    if (turn == kFailed) co_return Aborted{AbortReason::server_failed};
    if (level == 0) grant.words = {turn < kTurns ? turn : 0, place.self};
    if (turn < kTurns) {  // in an element's place, the count is in STATUS
      if (level == 0) LATCHLAB_PATH("rma_rw: a writer is handed the lock within its node");
      if (level > 0 && level < tree_->root())
        LATCHLAB_PATH("rma_rw: a writer is handed the lock within its group of nodes");
      if (level == tree_->root()) LATCHLAB_PATH("rma_rw: a writer is handed the lock");
      co_return grant;
    }
    if (PLANTED(rma_rw_takes_the_parent_as_granted) && turn == kAcquireParent) co_return grant;
    if (turn == kAcquireParent) LATCHLAB_PATH("rma_rw: a writer has to go up by itself");
    if (turn == kModeChanged) LATCHLAB_PATH("rma_rw: a writer has to change the mode");
    if (level == tree_->root()) {
      const bool alone = co_await keep_readers_out(want.lock);
      if (!alone) {
        LATCHLAB_PATH("rma_rw: the server fails the first writer");
        co_return Aborted{AbortReason::server_failed};
      }
    }
    if (level == 0) continue;
    const bool started = co_await elements_[level - 1]->start(place);
    if (!started) {
      LATCHLAB_PATH("rma_rw: an element's place does not answer");
      co_return Aborted{AbortReason::server_failed};
    }
  }
  co_return grant;
}

// Goes up to a queue with a successor and turns left, or to the root. Then goes down again: in the
// elements that were left, the successor has to go up by itself.
Task<ReleaseResult> Client::descend(Grant grant) {
  const ReleaseResult released = ReleaseResult::released;  // even if a node failed
  std::vector<QueuePlace> left;
  left.reserve(tree_->root());
  for (;;) {
    const auto level = static_cast<unsigned>(left.size());
    const Queue queue = queue_at(grant.lock, level);
    QueuePlace place{grant.lock};
    if (level == 0) {
      place.turns = grant.words[0];
      place.self = grant.words[1];
      co_await notes_->look_for_successor(place);
    } else {
      const bool answers = co_await elements_[level - 1]->find_out(place);
      if (!answers) co_return released;
    }
    if (level == tree_->root()) {
      const bool done = co_await leave_root(queue, place);
      if (!done) {
        LATCHLAB_PATH("rma_rw: the server fails a release");
        co_return released;
      }
      break;
    }
    const bool enough = place.turns >= threshold(level) && !PLANTED(rma_rw_never_has_enough_turns);
    if (place.next != 0 && !enough) {
      if (level == 0) LATCHLAB_PATH("rma_rw: the lock stays at the node");
      if (level > 0) LATCHLAB_PATH("rma_rw: the lock stays in the group of nodes");
      verbs_.mark(Phase::notify_succ);
      co_await queue.notes->tell_successor(place, place.turns + 1);
      queue.notes->close(place);
      break;
    }
    if (enough) LATCHLAB_PATH("rma_rw: an element has had enough turns");
    left.push_back(place);
  }
  while (!left.empty()) {
    const auto level = static_cast<unsigned>(left.size() - 1);
    const bool done = co_await leave_element(queue_at(grant.lock, level), left.back());
    if (!done) co_return released;
    left.pop_back();
  }
  co_return released;
}

Task<bool> Client::leave_element(Queue queue, QueuePlace& place) {
  if (place.next == 0) {
    verbs_.mark(Phase::initial_atomic);
    const std::optional<bool> empty = co_await clear_tail(queue, place.self);
    if (!empty.has_value()) co_return false;
    if (*empty) {
      LATCHLAB_PATH("rma_rw: a release leaves an element's queue empty");
      queue.notes->close(place);
      co_return true;
    }
    LATCHLAB_PATH("rma_rw: an element's release waits for a late successor");
    verbs_.mark(Phase::notify_succ);
    co_await queue.notes->await_successor(place);
    if (place.next == 0) co_return false;
  }
  verbs_.mark(Phase::notify_succ);
  if (!PLANTED(rma_rw_forgets_who_has_to_go_up))
    co_await queue.notes->tell_successor(place, kAcquireParent);
  queue.notes->close(place);
  co_return true;
}

}  // namespace latchlab::rma_rw

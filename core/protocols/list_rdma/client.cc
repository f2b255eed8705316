#include "core/protocols/list_rdma/client.h"

#include "core/base/paths.h"
#include "core/protocols/common/planted.h"
#include "core/verbs/batch.h"

namespace latchlab::list_rdma {
namespace {

Range range_of(const Extent& extent) {
  if (extent.whole()) return {0, ~0ULL};
  return {extent.first, extent.first + (extent.count - 1)};
}

// The words of a grant.
enum GrantWord : std::uint8_t { kSlot, kIndex, kAlone };  // kAlone: the head, if it is marked

Verb write_range(RemoteAddr node, Range range) {
  Verb verb;
  verb.kind = VerbKind::write;
  verb.bytes = 16;
  verb.addr = node;
  verb.value = {range.first, range.last};
  return verb;
}

}  // namespace

Task<AcquireResult> Client::acquire(Want want, AcquireOptions options) {
  const RemoteAddr entry = want.lock.entry;
  std::optional<Mine> mine = nodes_.take(entry.node);
  while (!mine) {
    const std::optional<RemoteAddr> list = nodes_.with_released(entry.node);
    bool fine = list.has_value();
    if (fine) fine = co_await sweep(*list);
    if (!fine) {
      LATCHLAB_PATH("list_rdma: the server fails a client that needs a node");
      co_return Aborted{AbortReason::server_failed};
    }
    mine = nodes_.take(entry.node);
  }
  const Range range = range_of(want.extent);
  WalkPosition place{.word = entry};
  const End end = co_await enter(&place, *mine, range, options.deadline);
  if (end == End::linked) {
    nodes_.all_gone(entry, PLANTED(list_rdma_forgets_all_nodes) ? ~0ULL : range.last);
    Grant grant(want);
    grant.extent = want.extent;
    grant.words[kSlot] = mine->slot;
    grant.words[kIndex] = mine->ref.index;
    if (place.seen.marked) grant.words[kAlone] = place.seen.packed();
    co_return grant;
  }
  if (end == End::unknown) {
    nodes_.lost(mine->slot);
  } else {
    nodes_.free(mine->slot);
  }
  if (end == End::deadline) {
    LATCHLAB_PATH("list_rdma: a client gives up at its deadline");
    co_return Aborted{AbortReason::deadline};
  }
  LATCHLAB_PATH("list_rdma: the server fails an acquire");
  co_return Aborted{AbortReason::server_failed};
}

// Walks to the position of the range, and links its node in behind `place`.
Task<Client::End> Client::enter(WalkPosition* place, Mine mine, Range range, Time deadline) {
  const RemoteAddr entry = place->word;
  if (options_.first_look == FirstLook::read) {
    const bool fine = co_await look(place);
    if (!fine) co_return End::failed;
  } else {
    LATCHLAB_PATH("list_rdma: a client takes the list for empty");
  }
  for (bool written = false;;) {
    Node node;
    End end = End::again;
    switch (co_await next_of(place, entry, &node)) {
      case Next::again:
        break;
      case Next::failed:
        end = End::failed;
        break;
      case Next::alone:
        end = co_await join(place);
        break;
      case Next::none:
        end = co_await link_in(place, mine, range, &written);
        break;
      case Next::node:
        if (node.range.first > range.last) {
          end = co_await link_in(place, mine, range, &written);
        } else if (node.range.last < range.first) {
          LATCHLAB_PATH("list_rdma: a walk passes a node");
          move_to(place, node);
        } else {
          end = co_await wait_for(place, node.ref, deadline);
        }
    }
    if (end != End::again) co_return end;
    if (deadline != kNever && verbs_.now() >= deadline) co_return End::deadline;
  }
}

// Removes the mark of the head: from now on the node that was alone is released as any other.
Task<Client::End> Client::join(WalkPosition* place) {
  Link together = place->seen;
  together.marked = false;
  bool done = false;
  const bool fine = co_await exchange(place, together, &done);
  if (done) LATCHLAB_PATH("list_rdma: a client joins one that is alone");
  if (fine && !done) LATCHLAB_PATH("list_rdma: a client that is alone leaves before another comes");
  co_return fine ? End::again : End::failed;
}

// Writes and links the node with one doorbell: the CAS lands behind the WRITEs.
Task<Client::End> Client::link_in(WalkPosition* place, Mine mine, Range range, bool* written) {
  verbs_.mark(*written ? Phase::retry : Phase::initial_atomic);
  const bool alone = options_.fast_path && place->head && place->seen.next.null();
  const Link before{place->seen.marked || alone, mine.ref, place->own};
  const Link own{false, place->seen.next, mine.ref.generation};
  const RemoteAddr node = node_at(place->word.node, mine.ref.index);
  const std::uint64_t expected = place->seen.packed();
  const bool too_late = PLANTED(list_rdma_writes_what_it_has_linked);
  Batch batch(verbs_);
  if (!*written && !too_late) batch.add(write_range(node, range));
  batch.add(write_verb(node + kNextAt, own.packed()));
  const int cas = batch.add(cas_verb(place->word, expected, before.packed()));
  if (!*written && too_late) batch.add(write_range(node, range));
  co_await batch.run();
  *written = true;
  if (batch.status() != VerbStatus::ok) co_return End::unknown;
  if (batch.result(cas).value.lo == expected) {
    LATCHLAB_PATH("list_rdma: a range is linked in");
    place->seen = before;
    co_return End::linked;
  }
  LATCHLAB_PATH("list_rdma: another client changes a link before a range is linked in");
  verbs_.mark(Phase::retry);
  place->seen = Link::of(batch.result(cas).value.lo);
  co_return End::again;
}

// Waits until the overlapping node is released, and then unlinks it.
Task<Client::End> Client::wait_for(WalkPosition* place, NodeRef node, Time deadline) {
  LATCHLAB_PATH("list_rdma: a client waits for a node in its way");
  verbs_.mark(Phase::wait_pred);
  RemoteWait wait;
  wait.add(read_verb(next_at(place->word.node, node.index)));
  wait.classify = [node](const ProbeValues& seen) {
    const Link link = Link::of(seen[0].lo);
    return link.marked || link.own != node.generation ? Verdict::done : Verdict::pending;
  };
  if (options_.pause.ps > 0)
    wait.pacing = [this](const ProbeValues&, std::uint64_t) { return options_.pause; };
  wait.deadline = deadline;
  const RemoteWaitResult result = co_await verbs_.await_remote(wait);
  if (result.end == WaitEnd::deadline) co_return End::deadline;
  if (result.end != WaitEnd::satisfied) co_return End::failed;
  verbs_.mark(Phase::other);
  const Link link = Link::of(result.values[0].lo);
  bool fine = true;
  if (link.own == node.generation) {
    fine = co_await take_out(place, node, link.next);
  } else {
    LATCHLAB_PATH("list_rdma: a node is in use anew when its release is seen");
    fine = co_await look(place);
  }
  co_return fine ? End::again : End::failed;
}

Task<ReleaseResult> Client::release(Grant grant) {
  const auto slot = static_cast<std::uint32_t>(grant.words[kSlot]);
  const RemoteAddr entry = grant.lock.entry;
  const std::uint64_t alone = grant.words[kAlone];
  verbs_.mark(Phase::initial_atomic);
  bool fine = true;
  if (alone != 0) {
    Verb empty = cas_verb(entry, alone, 0);
    if (PLANTED(list_rdma_frees_by_write)) empty = write_verb(entry, 0);
    const Completion emptied = co_await verbs_.issue(empty);
    fine = emptied.ok();
    if (fine && matched(empty, emptied.value)) {
      LATCHLAB_PATH("list_rdma: a client that is alone empties the list");
      nodes_.free(slot);
      co_return ReleaseResult::released;
    }
    if (fine) LATCHLAB_PATH("list_rdma: a client that was alone is so no more");
  }
  if (fine && !PLANTED(list_rdma_releases_without_a_mark)) {
    const RemoteAddr next = next_at(entry.node, static_cast<std::uint32_t>(grant.words[kIndex]));
    const Completion marked = co_await verbs_.fetch_add(next, kMark);
    fine = marked.ok();
  }
  if (fine) {
    LATCHLAB_PATH("list_rdma: a node is marked as released");
    nodes_.released(slot, entry, range_of(grant.extent).first);
    if (PLANTED(list_rdma_uses_nodes_at_once)) nodes_.free(slot);
  } else {
    LATCHLAB_PATH("list_rdma: the server fails a release");
    nodes_.lost(slot);  // the list is lost with the server
  }
  co_return ReleaseResult::released;
}

}  // namespace latchlab::list_rdma

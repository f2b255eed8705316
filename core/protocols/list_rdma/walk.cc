// Walking along a list: from the head, from node to node, unlinking released nodes.

#include "core/base/paths.h"
#include "core/protocols/common/planted.h"
#include "core/protocols/list_rdma/client.h"

namespace latchlab::list_rdma {

Task<bool> Client::look(WalkPosition* place) {
  const Completion word = co_await verbs_.read(place->word);
  place->seen = Link::of(word.value.lo);
  co_return word.ok();
}

Task<bool> Client::from_the_head(WalkPosition* place, RemoteAddr entry) {
  *place = {.word = entry};
  co_return co_await look(place);
}

void Client::move_to(WalkPosition* place, const Node& node) const {
  *place = {.word = next_at(place->word.node, node.ref.index),
            .head = false,
            .own = node.ref.generation,
            .seen = node.link};
}

// Reads the next node of the list, or `none`. `again`: the position has changed, because a marked
// node was unlinked, or because the walk starts again at the head when the node that it is in was
// released. `alone`: the head is marked.
Task<Client::Next> Client::next_of(WalkPosition* place, RemoteAddr entry, Node* node) {
  if (place->gone() && !(PLANTED(list_rdma_enters_behind_the_dead) && place->seen.marked)) {
    LATCHLAB_PATH("list_rdma: a walk begins anew, as the node that it has reached was released");
    const bool fine = co_await from_the_head(place, entry);
    co_return fine ? Next::again : Next::failed;
  }
  if (place->head && place->seen.marked && !PLANTED(list_rdma_leaves_the_mark))
    co_return Next::alone;
  node->ref = place->seen.next;
  if (node->ref.null()) co_return Next::none;
  {
    const ReadWords words = co_await verbs_.read_words(node_at(entry.node, node->ref.index), 24);
    if (!words.ok()) co_return Next::failed;
    node->range = {words[0], words[1]};
    node->link = Link::of(words[2]);
  }
  bool fine = true;
  if (node->link.own != node->ref.generation) {
    LATCHLAB_PATH("list_rdma: a node is in use anew when a walk comes to it");
    fine = co_await look(place);
  } else if (node->link.marked) {
    fine = co_await take_out(place, node->ref, node->link.next);
  } else {
    co_return Next::node;
  }
  co_return fine ? Next::again : Next::failed;
}

// CAS from `seen` to `desired`; `done`: it succeeded. Afterwards `seen` is up to date either way.
Task<bool> Client::exchange(WalkPosition* place, Link desired, bool* done) {
  const std::uint64_t expected = place->seen.packed();
  const Completion cas = co_await verbs_.compare_swap(place->word, expected, desired.packed());
  *done = cas.ok() && cas.value.lo == expected;
  place->seen = *done ? desired : Link::of(cas.value.lo);
  co_return cas.ok();
}

// The successor of a marked node never changes.
Task<bool> Client::take_out(WalkPosition* place, NodeRef node, NodeRef next) {
  Link without = place->seen;
  without.next = next;
  bool done = false;
  const bool fine = co_await exchange(place, without, &done);
  if (done) {
    LATCHLAB_PATH("list_rdma: a walk takes out a node that was released");
    nodes_.taken_out(place->word.node, node.index);
  } else {
    LATCHLAB_PATH("list_rdma: another client changes a link before a node is taken out");
  }
  co_return fine;
}

// Walks until a node of this client can be reused.
Task<bool> Client::sweep(RemoteAddr entry) {
  LATCHLAB_PATH("list_rdma: a client walks along a list for its own nodes");
  WalkPosition place;
  bool fine = co_await from_the_head(&place, entry);
  while (fine && !nodes_.has_free(entry.node)) {
    Node node;
    const Next next = co_await next_of(&place, entry, &node);
    if (next == Next::failed) fine = false;
    if (next == Next::node) move_to(&place, node);
    // While one node is alone, no other node is in the list.
    if (next == Next::none || next == Next::alone) nodes_.all_gone(entry, ~0ULL);
  }
  co_return fine;
}

}  // namespace latchlab::list_rdma

// What a client tells its node's part: that it uses a lock, and that it does not any more.

#include "core/base/paths.h"
#include "core/protocols/cql/client.h"

namespace latchlab::cql {

// False: the client may not use locks in this life of the server, or not yet.
Task<bool> Client::enter(LockRef lock, ServerLife life, std::uint64_t& count) {
  bool may = false;
  const auto visit = [this, &lock, &life, &may, to = &count] {
    may = node_->servers().may_use(lock.entry.node, life_number(life));
    if (may) *to = node_->enter(lock.id, identity_.inside);
  };
  co_await verbs_.on_node(lock.id, visit);
  co_return may;
}

Task<bool> Client::enter_again(LockId lock, std::uint32_t count) {
  Node* const node = node_;
  bool entered = false;
  const auto visit = [node, lock, me = identity_.inside, count, &entered] {
    entered = node->enter_again(lock, me, count);
  };
  co_await verbs_.on_node(lock, visit);
  co_return entered;
}

// The last client of a node to leave answers a reset that waits for it. It notes that only
// afterwards: if it dies before, its node finds the question still open.
Task<void> Client::leave(LockRef lock) {
  Node* const node = node_;
  Answer answer;
  bool owes = false;
  const auto visit = [node, &lock, me = identity_.inside, &answer, &owes] {
    answer = node->leave(lock.id, me);
    owes = node->owes_answer(lock.entry.node);
  };
  co_await verbs_.on_node(lock.id, visit);
  if (owes) {
    LATCHLAB_PATH("cql: the last client that had locks of a server's earlier life leaves");
    const Message left = {kLeft, 0, lock.id, {}};
    co_await cql::answer(verbs_, peers_.node_endpoint(verbs_.node()), left);
  }
  if (answer.to.null()) co_return;
  LATCHLAB_PATH("cql: a client answers a reset when it has left");
  const std::uint32_t here = peers_.client_node_index(verbs_.node());
  co_await acknowledge(verbs_, lock.id, answer, here);
  const auto done = [node, lock = lock.id, answer] { node->answered(lock, answer); };
  co_await verbs_.on_node(lock.id, done);
}

Task<std::uint32_t> Client::count_of(LockId lock) {
  Node* const node = node_;
  std::uint32_t count = 0;
  const auto visit = [node, lock, &count] { count = node->count_of(lock); };
  co_await verbs_.on_node(lock, visit);
  co_return count;
}

}  // namespace latchlab::cql

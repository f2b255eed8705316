#include "core/protocols/cql/node.h"

#include "core/base/paths.h"
#include "core/protocols/common/planted.h"
#include "core/verbs/batch.h"

namespace latchlab::cql {

Task<void> answer(Verbs& verbs, EndpointAddr to, Message message) {
  Batch batch(verbs);
  batch.add(to, message);
  if (PLANTED(cql_awaits_answers))
    co_await batch.run();
  else
    batch.post();
}

Task<void> acknowledge(Verbs& verbs, LockId lock, Answer answer, std::uint32_t node) {
  return cql::answer(verbs, answer.to, {kAcknowledge, answer.asked, lock, {node, answer.count}});
}

// ---- visits ----

// The least count of a lock of which nothing has been heard since its server came back.
std::uint32_t Node::least_count(LockId lock) const {
  return servers_.any_returned() ? first_count(servers_.known(server_of(lock))) : 0;
}

Node::State& Node::state_of(LockId lock) {
  State& state = locks_[lock.value];
  state.count = std::max(state.count, least_count(lock));
  return state;
}

std::uint32_t Node::enter(LockId lock, ClientId client) {
  State& state = state_of(lock);
  if (state.inside.empty()) busy_.insert(std::lower_bound(busy_.begin(), busy_.end(), lock), lock);
  state.inside.push_back(client);
  return state.count;
}

bool Node::enter_again(LockId lock, ClientId client, std::uint32_t count) {
  if (state_of(lock).count != count) return false;
  enter(lock, client);
  return true;
}

void Node::last_holder_left(LockId lock) {
  const auto at = std::lower_bound(busy_.begin(), busy_.end(), lock);
  if (at != busy_.end() && *at == lock) busy_.erase(at);
}

Answer Node::leave(LockId lock, ClientId client) {
  State& state = state_of(lock);
  std::erase(state.inside, client);
  if (state.inside.empty()) last_holder_left(lock);
  if (state.due()) return state.pending;
  if (state.idle() && state.count == least_count(lock)) locks_.erase(lock.value);
  return {};
}

void Node::answered(LockId lock, const Answer& answer) {
  State& state = locks_[lock.value];
  if (state.pending != answer) return;
  state.pending = {};
  std::erase(asked_, lock);
}

std::uint32_t Node::count_of(LockId lock) const {
  const State* const state = locks_.find(lock.value);
  return std::max(state == nullptr ? 0 : state->count, least_count(lock));
}

bool Node::asked(LockId lock) const {
  return std::find(asked_.begin(), asked_.end(), lock) != asked_.end();
}

void Node::heard_of(const Message& reset) {
  State& state = state_of(reset.lock);
  state.count = std::max(state.count, reset.generation);
  state.pending = {EndpointAddr::unpack(reset.words[0]), reset.generation, state.count,
                   ClientId{static_cast<std::uint32_t>(reset.words[1])}};
  if (!asked(reset.lock)) asked_.push_back(reset.lock);
  if (!state.inside.empty()) LATCHLAB_PATH("cql: a reset waits for clients of a node");
  if (PLANTED(cql_answers_while_holding)) state.inside.clear();
}

// The question was under way for long, and a later reset of the lock has asked already.
bool Node::comes_late(const Message& reset, const Membership& members) const {
  const State* const state = locks_.find(reset.lock.value);
  if (state == nullptr || state->pending.to.null()) return false;
  if (reset.generation >= state->pending.asked) return false;
  if (!members.is_alive(state->pending.asks)) return false;
  LATCHLAB_PATH("cql: a question of an earlier reset comes late");
  return true;
}

// Removes dead clients. True: no client of the node uses the lock any more.
bool Node::forget_dead(LockId lock) {
  State& state = locks_[lock.value];
  std::erase_if(state.inside,
                [this](ClientId client) { return client != kWholeNode && gone_[client.value]; });
  return state.inside.empty();
}

// Has every client of the node left the locks of the server's lives before the one that the node
// knows of? A client that uses a lock of that life has had this node's answer.
bool Node::cleared(NodeId server) {
  if (servers_.has_left(server)) return true;
  std::erase_if(busy_, [this, server](LockId lock) {
    return server_of(lock) == server && forget_dead(lock);
  });
  for (const LockId lock : busy_)
    if (server_of(lock) == server) return PLANTED(cql_clears_while_holding);
  servers_.left(server);
  return true;
}

bool Node::owes_answer(NodeId server) {
  for (const Servers::Question& question : servers_.questions())
    if (question.server == server) return cleared(server);
  return false;
}

Node::Next Node::what_is_next() {
  Next next;
  for (const LockId lock : asked_) {
    if (forget_dead(lock)) {
      last_holder_left(lock);
      next = {lock, locks_[lock.value].pending, false, {}};
      return next;
    }
    next.waits = true;
  }
  for (const Servers::Question& question : servers_.questions()) {
    if (cleared(question.server)) {
      next.cleared = question;
      return next;
    }
    LATCHLAB_PATH("cql: a node waits for clients that have locks of a server's earlier life");
    next.waits = true;
  }
  return next;
}

// ---- resets, and servers that are back ----

Task<void> Node::background(Verbs& verbs) {
  Next next;
  std::uint64_t seen = 0;  // version of the membership
  for (;;) {
    WaitSet set;
    set.add(MessageWait{env_.endpoint, {}});
    if (next.waits) set.membership_after = seen;
    const WaitOutcome woke = co_await verbs.first_of(set);
    seen = verbs.membership().version;
    if (woke.by == Woke::message)
      co_await hear(verbs, woke.message);
    else
      LATCHLAB_PATH("cql: a node hears of a death while a reset waits for its clients");
    co_await cut_off_dead(verbs);
    next = co_await answer_what_is_due(verbs);
  }
}

Task<void> Node::hear(Verbs& verbs, const Message& message) {
  if (message.type == kLeft) co_return;  // what is due is looked for in any case
  const ClientId asks{static_cast<std::uint32_t>(message.words[1])};
  if (!verbs.membership().is_alive(asks)) {
    LATCHLAB_PATH("cql: a reset by a dead client is ignored");
    co_return;
  }
  const Message* const heard = &message;
  if (message.type == kReturned) {
    const auto ask = [this, heard] {
      servers_.ask({EndpointAddr::unpack(heard->words[0]),
                    NodeId{static_cast<std::uint16_t>(heard->lock.value)}, heard->generation});
    };
    co_await verbs.on_node(ask);
    co_return;
  }
  std::uint32_t count = 0;
  const Membership members = verbs.membership();
  const auto note = [this, heard, &members, &count] {
    if (!comes_late(*heard, members)) heard_of(*heard);
    count = count_of(heard->lock);
  };
  co_await verbs.on_node(message.lock, note);
  // The waiting clients are told before the reset is answered.
  co_await verbs.store(env_.peers->node_lock_words(env_.node, message.lock), count);
}

// Verbs that this node's dead clients had posted may still be under way.
Task<void> Node::cut_off_dead(Verbs& verbs) {
  for (std::uint32_t i = 0; i < gone_.size(); ++i) {
    if (env_.peers->node_of(ClientId{i}) != env_.node || gone_[i]) continue;
    if (verbs.membership().is_alive(ClientId{i})) continue;
    if (options_.evict_dead) co_await verbs.evict(ClientId{i});
    gone_[i] = true;
  }
}

// When it returns, no answer is due.
Task<Node::Next> Node::answer_what_is_due(Verbs& verbs) {
  const std::uint32_t here = env_.peers->client_node_index(env_.node);
  Next next;
  for (;;) {
    const auto look = [this, &next] {
      if (!next.answer.to.null()) answered(next.lock, next.answer);
      if (!next.cleared.to.null()) servers_.answered(next.cleared);
      next = what_is_next();
    };
    co_await verbs.on_node(look);
    const Servers::Question& asked = next.cleared;
    if (!next.answer.to.null()) {
      co_await acknowledge(verbs, next.lock, next.answer, here);
    } else if (!asked.to.null()) {
      const Message cleared = {kCleared, asked.life, LockId{asked.server.value}, {here}};
      co_await answer(verbs, asked.to, cleared);
    } else {
      co_return next;
    }
  }
}

}  // namespace latchlab::cql

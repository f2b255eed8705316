#include "core/protocols/cql/node.h"

#include "core/base/paths.h"
#include "core/protocols/common/planted.h"

namespace latchlab::cql {

Task<void> acknowledge(Verbs& verbs, LockId lock, Answer answer, std::uint32_t node) {
  const Message message = {kAcknowledge, answer.asked, lock, {node, answer.count}};
  VerbStatus told = VerbStatus::receiver_not_ready;
  while (told == VerbStatus::receiver_not_ready) told = co_await verbs.send(answer.to, message);
  if (told != VerbStatus::ok) LATCHLAB_PATH("cql: an answer to a reset cannot be delivered");
}

// ---- visits ----

std::uint32_t Node::enter(LockId lock, ClientId client) {
  State& state = locks_[lock.value];
  state.inside.push_back(client);
  return state.count;
}

bool Node::enter_again(LockId lock, ClientId client, std::uint32_t count) {
  State& state = locks_[lock.value];
  if (state.count != count) return false;
  state.inside.push_back(client);
  return true;
}

Answer Node::leave(LockId lock, ClientId client) {
  State& state = locks_[lock.value];
  std::erase(state.inside, client);
  if (state.due()) return state.pending;
  if (state.idle()) locks_.erase(lock.value);
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
  return state == nullptr ? 0 : state->count;
}

bool Node::asked(LockId lock) const {
  return std::find(asked_.begin(), asked_.end(), lock) != asked_.end();
}

void Node::heard_of(const Message& reset) {
  State& state = locks_[reset.lock.value];
  state.count = std::max(state.count, reset.generation);
  state.pending = {EndpointAddr::unpack(reset.words[0]), reset.generation, state.count};
  if (!asked(reset.lock)) asked_.push_back(reset.lock);
  if (!state.inside.empty()) LATCHLAB_PATH("cql: a reset waits for clients of a node");
  if (PLANTED(cql_answers_while_holding)) state.inside.clear();
}

// Those who have died do not stand in the way.
Node::Next Node::what_is_next() {
  Next next;
  for (const LockId lock : asked_) {
    State& state = locks_[lock.value];
    std::erase_if(state.inside,
                  [this](ClientId client) { return client != kWholeNode && gone_[client.value]; });
    if (state.inside.empty()) return {lock, state.pending, false};
    next.waits = true;
  }
  return next;
}

// ---- resets ----

Task<void> Node::background(Verbs& verbs) {
  Next next;
  std::uint64_t seen = 0;  // version of the membership
  for (;;) {
    WaitSet set;
    set.add(MessageWait{env_.endpoint, {}});
    if (next.waits) set.membership_after = seen;
    const WaitOutcome woke = co_await verbs.first_of(set);
    const Membership members = verbs.membership();
    seen = members.version;
    bool asked = woke.by == Woke::message;
    if (!asked) LATCHLAB_PATH("cql: a node hears of a death while a reset waits for its clients");
    if (asked && !members.is_alive(ClientId{static_cast<std::uint32_t>(woke.message.words[1])})) {
      LATCHLAB_PATH("cql: a reset by somebody who has died is ignored");
      asked = false;
    }
    if (asked) {
      const LockId lock = woke.message.lock;
      std::uint32_t count = 0;
      const auto note = [this, message = &woke.message, lock, &count] {
        heard_of(*message);
        count = count_of(lock);
      };
      co_await verbs.on_node(note);
      // Those that wait are told before the reset is answered.
      co_await verbs.store(env_.peers->node_lock_words(env_.node, lock), count);
    }
    co_await cut_off_dead(verbs);
    next = co_await answer_what_is_due(verbs);
  }
}

// What those of this node had posted may be under way still.
Task<void> Node::cut_off_dead(Verbs& verbs) {
  for (std::uint32_t i = 0; i < gone_.size(); ++i) {
    if (env_.peers->node_of(ClientId{i}) != env_.node || gone_[i]) continue;
    if (verbs.membership().is_alive(ClientId{i})) continue;
    if (options_.evict_dead) co_await verbs.evict(ClientId{i});
    gone_[i] = true;
  }
}

// What is left afterwards: nothing that is due.
Task<Node::Next> Node::answer_what_is_due(Verbs& verbs) {
  Next next;
  for (;;) {
    const auto look = [this, &next] {
      if (!next.answer.to.null()) answered(next.lock, next.answer);
      next = what_is_next();
    };
    co_await verbs.on_node(look);
    if (next.answer.to.null()) co_return next;
    co_await acknowledge(verbs, next.lock, next.answer, env_.peers->client_node_index(env_.node));
  }
}

}  // namespace latchlab::cql

// How a client handles servers that fail and come back.

#include "core/base/paths.h"
#include "core/protocols/common/planted.h"
#include "core/protocols/cql/client.h"

namespace latchlab::cql {

// Is the lock's server still in this life? A verb posted right after this is executed in it, or
// fails.
bool Client::lasts(LockRef lock, ServerLife life) const {
  return verbs_.life_of(lock.entry.node) == life;
}

// The result of an acquisition that failed on the way to the server, or at it.
Task<AcquireResult> Client::refuse(LockRef lock, ServerLife life) {
  if (lasts(lock, life)) co_return Aborted{AbortReason::server_failed};
  co_return co_await start_over(lock);
}

// The same if the server has failed, or is back: what the client had of the lock is lost. Pauses
// until the server is back.
Task<AcquireResult> Client::start_over(LockRef lock) {
  const NodeId server = lock.entry.node;
  verbs_.mark(Phase::retry);
  ServerLife now = verbs_.life_of(server);
  while (!now.up()) {
    LATCHLAB_PATH("cql: an acquisition is paused until the server is back");
    WaitSet back;
    back.server = server;
    back.life = now;
    co_await verbs_.first_of(back);
    now = verbs_.life_of(server);
  }
  co_return Aborted{AbortReason::recovered};
}

// From now on the client is `inside` of the lock, in this life of its server. False: that life is
// over, or not all nodes have left the earlier ones.
Task<bool> Client::begin(LockRef lock, ServerLife life, std::uint64_t& count) {
  if (!life.up()) co_return false;
  bool entered = co_await enter(lock, life, count);
  if (!entered) {
    const bool met = co_await meet(lock.entry.node, life);
    if (met) entered = co_await enter(lock, life, count);
  }
  if (!entered) co_return false;
  if (lasts(lock, life)) co_return true;
  LATCHLAB_PATH("cql: the server fails before an acquisition has begun");
  co_await leave(lock);
  co_return false;
}

// No client uses locks of a server that is back before all nodes have left those of its earlier
// lives. The wait is bounded, since the holders that it waits for may wait for other locks that
// this client holds.
Task<bool> Client::meet(NodeId server, ServerLife life) {
  Node* const node = node_;
  const std::uint32_t number = life_number(life);
  const LockId about{server.value};
  const bool bounded = options_.timeout.ps > 0;
  const Time end = bounded ? verbs_.now() + options_.timeout : kNever;
  const bool lossy = is_datagram(options_.transport());
  answered_.assign(peers_.shape().client_nodes, PLANTED(cql_skips_meeting));
  if (!PLANTED(cql_skips_meeting)) co_await ask_those_missing(kReturned, about, number);
  while (!all_nodes_answered()) {
    WaitSet set;
    set.add(MessageWait{inbox_, {}});
    set.membership_after = verbs_.membership().version;
    set.server = server;
    set.life = life;
    set.deadline = lossy ? std::min(end, verbs_.now() + options_.resend) : end;
    const WaitOutcome woke = co_await verbs_.first_of(set);
    if (verbs_.life_of(server) != life) co_return false;
    if (woke.by == Woke::deadline && verbs_.now() >= end) {
      LATCHLAB_PATH("cql: a client keeps locks of a server's earlier life for too long");
      co_return false;
    }
    if (woke.by == Woke::deadline) co_await ask_those_missing(kReturned, about, number);
    const Message& answer = woke.message;
    if (woke.by != Woke::message || answer.type != kCleared) continue;
    if (answer.lock == about && answer.generation == number) answered_[answer.words[0]] = true;
  }
  LATCHLAB_PATH("cql: all nodes have left what they had before the server failed");
  const auto met = [node, server, number] {
    node->servers().is_in(server, number);
    node->servers().met(server, number);
  };
  co_await verbs_.on_node(met);
  ++recoveries_;
  co_return true;
}

}  // namespace latchlab::cql

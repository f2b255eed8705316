// How a CQL lock is reset, and how other clients wait until it has been.

#include "core/base/paths.h"
#include "core/protocols/common/inbox.h"
#include "core/protocols/common/planted.h"
#include "core/protocols/cql/client.h"
#include "core/verbs/batch.h"

namespace latchlab::cql {

// Called by a client that is not `inside` of the lock.
Task<Client::Reset> Client::reset(LockRef lock, ServerLife life) {
  std::uint64_t header = 0;
  const Reset claimed = co_await claim(lock, life, header);
  if (claimed != Reset::done) co_return claimed;
  verbs_.mark_recovery_begins();
  // Afterwards no node hears a question of a dead client, and no verb of one lands.
  if (options_.evict_dead) co_await evict_dead();
  bool anew = co_await ask_all_nodes(lock.id, life);
  if (options_.evict_dead) co_await evict_dead();
  if (anew) anew = co_await start_anew(lock, life, header);
  if (!anew) {
    LATCHLAB_PATH("cql: the server fails a reset");
    co_return Reset::failed;
  }
  verbs_.mark_recovery_ends();
  ++recoveries_;
  co_return Reset::done;
}

// ---- step 1: the header names the client that resets the lock ----

// `claimed`: the header afterwards.
Task<Client::Reset> Client::claim(LockRef lock, ServerLife life, std::uint64_t& claimed) {
  std::uint64_t expected = 0;
  for (;;) {
    Header header = format_.unpack(expected);
    if (header.reset != 0) {
      const bool ours = is_ours(header.resetter());
      if (!ours && verbs_.membership().is_alive(ClientId{header.resetter()})) {
        LATCHLAB_PATH("cql: another client resets the lock");
        co_return Reset::by_another;
      }
      if (ours) {
        LATCHLAB_PATH("cql: a reset that was cut short is begun anew");
      } else {
        LATCHLAB_PATH("cql: a reset is taken over from the dead");
      }
    }
    header.reset = me_ + 1;
    claimed = format_.pack(header);
    if (!lasts(lock, life)) co_return Reset::failed;
    const Completion before = co_await verbs_.compare_swap(lock.entry, expected, claimed);
    if (!before.ok()) co_return Reset::failed;
    if (before.value.lo == expected) co_return Reset::done;
    expected = before.value.lo;
  }
}

// Is the reset this client's own, cut short when a path to the server failed? Or, where clients act
// for the node, one of its node's: no other client of the node acts for it now.
bool Client::is_ours(Owner resetter) const {
  const bool for_the_node = identity_.inside == kWholeNode;
  return resetter == me_ || (for_the_node && peers_.node_of(ClientId{resetter}) == verbs_.node());
}

// ---- step 2: all nodes are asked, and have answered ----

// Asks again when a node knows of more resets than this client does: the client that began those
// has died. False: a node knows that the server is back, and the lock is in its initial state.
Task<bool> Client::ask_all_nodes(LockId lock, ServerLife life) {
  const std::uint32_t before = co_await count_of(lock);
  for (std::uint32_t count = before + 1;;) {
    if (life_of_count(count) != life && !PLANTED(cql_resets_another_life)) co_return false;
    answered_.assign(peers_.shape().client_nodes, false);
    co_await ask_those_missing(kReset, lock, count);
    const std::uint32_t latest = co_await collect(lock, count);
    if (latest == count) co_return true;
    LATCHLAB_PATH("cql: a reset learns of a later one");
    count = latest;
  }
}

// Returns the largest reset count among the answers. Asks again, because datagrams may be lost,
// paths between nodes may be cut for longer than RC retries, and a client that answered for its
// node may have died before its answer arrived.
Task<std::uint32_t> Client::collect(LockId lock, std::uint32_t count) {
  const bool lossy = is_datagram(options_.transport());
  const bool patient = !lossy && options_.timeout.ps == 0;
  const Duration again = lossy ? options_.resend : std::max(options_.timeout, options_.resend);
  std::uint32_t latest = count;
  std::uint64_t asked = verbs_.membership().version;
  for (;;) {
    const std::uint64_t members = verbs_.membership().version;
    if (members != asked) LATCHLAB_PATH("cql: a reset hears of a death");
    if (all_nodes_answered()) co_return latest;
    if (members != asked) co_await ask_those_missing(kReset, lock, count);
    asked = members;
    WaitSet set;
    set.add(
        MessageWait{inbox_, [](const Message& message) { return message.type == kAcknowledge; }});
    set.membership_after = members;
    if (!patient) set.deadline = verbs_.now() + again;
    const WaitOutcome woke = co_await verbs_.first_of(set);
    if (woke.by == Woke::deadline) {
      LATCHLAB_PATH("cql: a reset asks again");
      co_await ask_those_missing(kReset, lock, count);
    }
    if (woke.by != Woke::message) continue;
    if (woke.message.lock != lock || woke.message.generation != count) continue;
    answered_[woke.message.words[0]] = true;
    latest = std::max(latest, static_cast<std::uint32_t>(woke.message.words[1]));
  }
}

// Not awaited: a SEND to a node that has died, but is not known to be dead, is under way for as
// long as RC retries, and all other clients wait for the reset. The answers tell which nodes were
// reached.
Task<void> Client::ask_those_missing(MessageType question, LockId about, std::uint32_t count) {
  Batch questions(verbs_);
  const Message message = {question, count, about, {inbox_.packed(), verbs_.client().value}};
  for (std::uint32_t i = 0; i < answered_.size(); ++i)
    if (!answered_[i] && node_lives(i))
      questions.add(peers_.node_endpoint(peers_.client_node(i)), message);
  if (PLANTED(cql_awaits_questions))
    co_await questions.run();
  else
    questions.post();
}

// True while at least one of the node's clients lives.
bool Client::node_lives(std::uint32_t node) const {
  const Membership members = verbs_.membership();
  const NodeId id = peers_.client_node(node);
  for (std::uint32_t i = 0; i < peers_.shape().clients; ++i)
    if (members.is_alive(ClientId{i}) && peers_.node_of(ClientId{i}) == id) return true;
  return false;
}

bool Client::all_nodes_answered() const {
  for (std::uint32_t i = 0; i < answered_.size(); ++i)
    if (!answered_[i] && node_lives(i)) return false;
  return true;
}

Task<void> Client::evict_dead() {
  evicted_.resize(peers_.shape().clients);
  for (std::uint32_t i = 0; i < evicted_.size(); ++i) {
    if (evicted_[i] || verbs_.membership().is_alive(ClientId{i})) continue;
    LATCHLAB_PATH("cql: a reset cuts off the dead");
    co_await verbs_.evict(ClientId{i});
    evicted_[i] = true;
  }
}

// ---- step 3: an empty queue, and a free header ----

Task<bool> Client::start_anew(LockRef lock, ServerLife life, std::uint64_t header) {
  if (!image_ready_) co_await prepare_image();
  if (!lasts(lock, life) && !PLANTED(cql_resets_another_life)) co_return false;
  Verb queue;
  queue.kind = VerbKind::write;
  queue.addr = lock.entry + 8;
  queue.local = node_words_;
  queue.bytes = format_.queue_bytes();
  if (options_.header_reset == HeaderReset::write) {
    Batch batch(verbs_);
    batch.add(queue);
    batch.add(write_verb(lock.entry, 0));
    co_await batch.run();
    co_return batch.status() == VerbStatus::ok;
  }
  const Completion written = co_await verbs_.issue(queue);
  if (!written.ok()) co_return false;
  co_return co_await free_header(lock, life, header);
}

// By an atomic: RNICs may lose a WRITE beside the FAA of a client that comes too early.
Task<bool> Client::free_header(LockRef lock, ServerLife life, std::uint64_t expected) {
  for (;;) {
    if (!lasts(lock, life) && !PLANTED(cql_resets_another_life)) co_return false;
    const Completion before = co_await verbs_.compare_swap(lock.entry, expected, 0);
    if (!before.ok()) co_return false;
    if (before.value.lo == expected) co_return true;
    expected = before.value.lo;
  }
}

// All clients of the node store the same words.
Task<void> Client::prepare_image() {
  for (std::uint32_t i = 0; i < format_.capacity(); ++i)
    co_await verbs_.store(node_words_ + 8 * i, format_.initial());
  image_ready_ = true;
}

// ---- all other clients ----

// Waits until the reset is over. Takes it over if its client has died, or it was cut short. False:
// the server fails.
Task<bool> Client::reset_ends(LockRef lock, ServerLife life) {
  const Format* const format = &format_;
  const Duration pause = options_.reset_pause;
  for (;;) {
    RemoteWait wait;
    wait.add(read_verb(lock.entry));
    wait.classify = [format](const ProbeValues& seen) {
      return format->unpack(seen[0].lo).reset == 0 ? Verdict::done : Verdict::pending;
    };
    wait.observe = [format](const ProbeValues& seen) {
      return Words{format->unpack(seen[0].lo).reset, 0};
    };
    wait.pacing = [pause](const ProbeValues&, std::uint64_t) { return pause; };
    if (options_.timeout.ps > 0) wait.unchanged_for = options_.timeout;
    const RemoteWaitResult end = co_await verbs_.await_remote(wait);
    if (end.end == WaitEnd::failed) {
      LATCHLAB_PATH("cql: the server fails a client that waits for a reset");
      co_return false;
    }
    // The reset may have ended at the same time as the wait.
    const Header header = format_.unpack(end.values[0].lo);
    if (end.end == WaitEnd::satisfied || header.reset == 0) co_return true;
    const Owner resets = header.resetter();
    if (!is_ours(resets) && verbs_.membership().is_alive(ClientId{resets})) continue;
    const Reset ended = co_await reset(lock, life);
    if (ended == Reset::done) co_return true;
    if (ended == Reset::failed) co_return false;
  }
}

}  // namespace latchlab::cql

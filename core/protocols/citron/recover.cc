// The waits of Algorithm 2, and the recovery when they take too long (3.10). Line 22 is in
// lock_leaf and clear_suspect.

#include <algorithm>

#include "core/base/paths.h"
#include "core/protocols/citron/client.h"

namespace latchlab::citron {

// How long the state of a request at a node may stay unchanged: it waits for requests below, a
// lease for each level, and has a lease of its own.
Duration Client::patience(const TreeNode& node) const {
  if (!options_.recovers()) return kForever;
  if (options_.patience == Patience::one_lease) return options_.lease;
  return options_.lease * static_cast<std::int64_t>(node.height + 1);
}

// How much longer other requests wait, so that what a request posts at the end of its time lands.
Duration Client::landing() const {
  return options_.patience == Patience::levels ? options_.lease / 4 : Duration{};
}

// Until when this client may rely on holding the node, if it posted the verb that took it at
// `posted`: other requests wait at least that long after they see the verb's effect.
Time Client::fence(Time posted, const TreeNode& node) const {
  if (!options_.recovers() || options_.patience == Patience::one_lease) return kNever;
  return posted + surely(patience(node));
}

// Until when all nodes are held except the last, at which the client still tries.
Time Client::held_until(const Held& held) const {
  Time until = kNever;
  for (std::size_t i = 0; i + 1 < held.nodes.size(); ++i)
    until = std::min(until, held.nodes[i].until);
  return until;
}

namespace {

auto paced(Duration pause) {
  return [pause](const ProbeValues&, std::uint64_t) { return pause; };
}

}  // namespace

// Line 11.
Task<Client::Outcome> Client::wait_for_turn(Attempt& attempt, AtNode& mine) {
  const NodeWord format = options_.node;
  const auto ticket = static_cast<std::uint32_t>(mine.ticket);
  const Duration alone = patience(mine.node) + landing();
  RemoteWait wait;
  wait.add(read_verb(word(attempt.lock, mine.node)));
  std::size_t above = 0;  // ancestors where a request may wait for a node that this one holds
  for (TreeNode node = mine.node; node != tree(attempt.lock).root();) {
    node = node.up(1);
    if (!is_above_held(attempt, node)) continue;
    wait.add(read_verb(word(attempt.lock, node)));
    ++above;
  }
  wait.classify = [format, ticket, above](const ProbeValues& values) {
    const Node seen = format.unpack(values[0].lo);
    if (seen.t_cnt == ticket) return Verdict::done;
    for (std::size_t i = 1; i <= above; ++i)
      if (format.unpack(values[i].lo).occ != 0) return Verdict::abandon;
    return format.passed(seen.t_cnt, ticket) ? Verdict::abandon : Verdict::pending;
  };
  wait.observe = [format](const ProbeValues& values) {
    const Node seen = format.unpack(values[0].lo);
    return Words{seen.t_cnt, seen.occ};
  };
  wait.pacing = paced(options_.poll_pause);
  wait.unchanged_for = alone;
  std::optional<Node> stuck;  // the node as it was when the first patience ended
  for (;;) {
    const RemoteWaitResult end = co_await verbs_.await_remote(wait);
    if (end.end == WaitEnd::satisfied) co_return Outcome::proceed;
    if (end.end == WaitEnd::failed) co_return Outcome::failed;
    if (end.end == WaitEnd::abandoned && !format.passed(at(end.values[0].lo).t_cnt, ticket))
      co_return Outcome::yields;
    if (end.end == WaitEnd::abandoned) {
      LATCHLAB_PATH("citron: a ticket has been passed over");
      co_return Outcome::passed;
    }
    const Node seen = at(end.values[0].lo);
    const std::uint32_t ahead = format.minus(ticket, seen.t_cnt);
    if (ahead > 1 && (!stuck || stuck->t_cnt != seen.t_cnt || stuck->occ != seen.occ)) {
      LATCHLAB_PATH("citron: a ticket behind other tickets waits for them to recover a node");
      stuck = seen;
      wait.unchanged_for = alone * (static_cast<std::int64_t>(ahead) - 1);
      continue;
    }
    if (co_await take_over(attempt, mine, seen)) co_return Outcome::proceed;
    stuck.reset();
    wait.unchanged_for = alone;
  }
}

// The request that is served at this node (`seen`) is dead, and so are those between it and this
// ticket.
Task<bool> Client::take_over(Attempt& attempt, const AtNode& mine, Node seen) {
  const NodeWord& format = options_.node;
  const Node mask{.occ = 1, .t_cnt = format.counter_ones()};
  const Node mine_now{.t_cnt = static_cast<std::uint32_t>(mine.ticket)};
  const Verb swap = format.swap(word(attempt.lock, mine.node), seen, mine_now, mask);
  const Completion before = co_await verbs_.issue(swap);
  if (!before.ok() || !matched(swap, before.value)) co_return false;
  LATCHLAB_PATH("citron: a node is taken over from the dead");
  ++recoveries_;
  co_return true;
}

// Line 18: a request that is stuck behind an ancestor locks that ancestor instead, and so comes to
// line 11.
Task<Client::Outcome> Client::wait_for_ancestor(Attempt& attempt, TreeNode ancestor) {
  const NodeWord format = options_.node;
  RemoteWait wait;
  wait.add(read_verb(word(attempt.lock, ancestor)));
  wait.classify = [format](const ProbeValues& values) {
    return format.unpack(values[0].lo).occ == 0 ? Verdict::done : Verdict::pending;
  };
  wait.observe = [format](const ProbeValues& values) {
    return Words{format.unpack(values[0].lo).t_cnt, 0};
  };
  wait.pacing = paced(options_.poll_pause);
  wait.unchanged_for = patience(ancestor) + landing();
  const RemoteWaitResult end = co_await verbs_.await_remote(wait);
  if (end.end == WaitEnd::satisfied) co_return Outcome::proceed;
  if (end.end == WaitEnd::failed) co_return Outcome::failed;
  LATCHLAB_PATH("citron: an ancestor that stands still is locked instead");
  attempt.instead = ancestor;
  co_return Outcome::instead;
}

// The bits may be those of a live request that is about to clear them: it read its ancestors before
// the node was occupied, set the bits within T_wait, and clears them within a lease for each level
// of this node, or never. If it cleared them later, they could be another request's by then.
Task<bool> Client::outwait_suspect(const Attempt& attempt, const AtNode& mine, RemoteAddr leaf) {
  const auto levels = static_cast<std::int64_t>(mine.node.height);
  RemoteWait wait;
  wait.add(read_verb(leaf));
  wait.classify = [](const ProbeValues& values) {
    return values[0].lo == 0 ? Verdict::done : Verdict::pending;
  };
  wait.pacing = paced(options_.poll_pause);
  wait.deadline = mine.since + attempt.tuning.wait + options_.lease * levels + landing();
  const RemoteWaitResult end = co_await verbs_.await_remote(wait);
  if (end.end != WaitEnd::deadline) co_return false;
  if (verbs_.now() < mine.until) co_return true;
  LATCHLAB_PATH("citron: bits of a leaf that stay set are left to the next request");
  co_return false;
}

// Line 36. After a lease for each level below no request there holds a range any more.
Task<Client::Outcome> Client::wait_for_counts(Attempt& attempt, const AtNode& mine, TreeNode node) {
  const NodeWord format = options_.node;
  RemoteWait wait;
  wait.add(read_verb(word(attempt.lock, node)));
  wait.classify = [format](const ProbeValues& values) {
    const Node seen = format.unpack(values[0].lo);
    return seen.d_cnt == seen.d_max ? Verdict::done : Verdict::pending;
  };
  wait.observe = [format](const ProbeValues& values) {
    const Node seen = format.unpack(values[0].lo);
    return Words{seen.d_cnt, seen.d_max};
  };
  wait.pacing = paced(options_.poll_pause);
  if (options_.recovers())
    wait.unchanged_for = options_.lease * static_cast<std::int64_t>(mine.node.height) + landing();
  if (options_.patience == Patience::levels) wait.deadline = mine.until;
  for (;;) {
    const RemoteWaitResult end = co_await verbs_.await_remote(wait);
    if (end.end == WaitEnd::satisfied) co_return Outcome::proceed;
    if (end.end == WaitEnd::failed) co_return Outcome::failed;
    if (end.end == WaitEnd::deadline) {
      LATCHLAB_PATH("citron: a request waits too long for some below");
      co_return Outcome::passed;
    }
    const Node seen = at(end.values[0].lo);
    Node done = seen;
    done.d_cnt = seen.d_max;
    const Node mask{.d_cnt = format.counter_ones(), .d_max = format.counter_ones()};
    const Verb swap = format.swap(word(attempt.lock, node), seen, done, mask);
    const Completion before = co_await verbs_.issue(swap);
    if (!before.ok()) co_return Outcome::failed;
    if (!matched(swap, before.value)) continue;
    LATCHLAB_PATH("citron: requests of the dead are counted as over");
    ++recoveries_;
    co_return Outcome::proceed;
  }
}

}  // namespace latchlab::citron

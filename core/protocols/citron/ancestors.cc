// Step 2 at any node, the part about ancestors: phase (b) of Algorithm 2, and the first half of
// (d).

#include "core/base/paths.h"
#include "core/protocols/citron/client.h"
#include "core/protocols/common/planted.h"

namespace latchlab::citron {

namespace {

constexpr Node kTold{.d_max = 1};

}  // namespace

// ---- phase (b): no ancestor is occupied ----

void Client::add_search(Batch& batch, LockRef lock, TreeNode from) {
  const Tree& known = tree(lock);
  for (TreeNode node = from; node.height < known.height();) {
    node = node.up(1);
    batch.add(read_verb(known.address(node)));
  }
}

bool Client::is_above_held(const Attempt& attempt, const TreeNode& node) const {
  if (options_.between_nodes == BetweenNodes::wait) return false;
  const SmallVector<AtNode, 2>& nodes = attempt.held->nodes;
  return nodes.size() > 1 && nodes[nodes.size() - 2].node.is_below(node);
}

Client::Outcome Client::judge_search(const Batch& batch, int first, Attempt& attempt, TreeNode from,
                                     std::optional<TreeNode>& occupied) {
  const Tree& known = tree(attempt.lock);
  Node seen;
  for (TreeNode node = from; node.height < known.height(); ++first) {
    node = node.up(1);
    seen = at(batch.result(first).value.lo);
    if (seen.occ == 0 || occupied) continue;
    if (!is_above_held(attempt, node)) {
      occupied = node;
    } else {
      LATCHLAB_PATH("citron: a request passes one above that waits for it");
      if (options_.suspects == Suspects::outwaited) attempt.until = held_until(*attempt.held);
    }
  }
  if (from.height == known.height()) return Outcome::proceed;
  if (!is_stale(known, known.root(), seen.exp)) return Outcome::proceed;
  LATCHLAB_PATH("citron: a search sees that the tree has grown");
  return Outcome::expanded;
}

Task<Client::Outcome> Client::search(Attempt& attempt, const AtNode& mine) {
  attempt.searched = verbs_.now();
  Batch batch(verbs_);
  add_search(batch, attempt.lock, mine.node);
  co_await batch.run();
  if (batch.status() != VerbStatus::ok) co_return Outcome::failed;
  std::optional<TreeNode> occupied;
  const Outcome outcome = judge_search(batch, 0, attempt, mine.node, occupied);
  if (outcome != Outcome::proceed || !occupied) co_return outcome;
  co_return co_await search_on(attempt, mine, *occupied);
}

// Waits until a round of READs finds no ancestor occupied. The paper reads only the ancestors above
// the one that it has waited for; the first round then remains the last READ of those below.
Task<Client::Outcome> Client::search_on(Attempt& attempt, const AtNode& mine, TreeNode first) {
  verbs_.mark(Phase::wait_writers);
  std::optional<TreeNode> occupied = first;
  while (occupied) {
    const Outcome waited = co_await wait_for_ancestor(attempt, *occupied);
    if (waited != Outcome::proceed) co_return waited;
    const TreeNode from = options_.reread == Reread::all ? mine.node : *occupied;
    const Time posted = verbs_.now();
    Batch batch(verbs_);
    add_search(batch, attempt.lock, from);
    co_await batch.run();
    if (batch.status() != VerbStatus::ok) co_return Outcome::failed;
    occupied.reset();
    const Outcome outcome = judge_search(batch, 0, attempt, from, occupied);
    if (outcome != Outcome::proceed) co_return outcome;
    if (options_.reread == Reread::all) attempt.searched = posted;
  }
  LATCHLAB_PATH("citron: a request has waited for one above");
  co_return Outcome::proceed;
}

// ---- phase (d), first half: notifying ancestors ----

void Client::add_told(Batch& batch, Attempt& attempt, AtNode& mine) {
  const Tree& known = tree(attempt.lock);
  mine.told.clear();
  if (!PLANTED(citron_notifies_none))
    for (const TreeNode& node : known.told(mine.node, attempt.tuning.tell_meet)) {
      batch.add(options_.node.add(known.address(node), kTold));
      mine.told.push_back({node, 0});
    }
  batch.add(read_verb(known.address(known.root())));
}

void Client::note_told(const Batch& batch, int first, AtNode& mine) {
  for (AncestorNotice& told : mine.told) told.exp = at(batch.result(first++).value.lo).exp;
}

// Lines 32 and 33. Above the root there is no request that can have read the counters. If this
// request notified its ancestors before the tree grew, the scale-up has added the counts to the new
// nodes; it has also notified them of an old root that was occupied before. In both cases this
// request may go on.
Client::Outcome Client::judge_told(const Batch& batch, int root, Attempt& attempt,
                                   const AtNode& mine, Time told_at) {
  const Tree& known = tree(attempt.lock);
  if (is_late(attempt, mine.node, told_at)) {
    LATCHLAB_PATH("citron: ancestors are told too late");
    return Outcome::too_late;
  }
  const bool grown = is_stale(known, known.root(), at(batch.result(root).value.lo).exp);
  bool missed = grown;
  if (!mine.told.empty()) {
    const AncestorNotice& highest = mine.told[mine.told.size() - 1];
    const bool stale = is_stale(known, highest.node, highest.exp);
    missed = options_.expansion == Expansion::flag ? stale && grown : stale;
  } else if (options_.expansion == Expansion::counted) {
    missed = is_stale(known, mine.node, mine.exp);
  }
  if (grown && !missed) LATCHLAB_PATH("citron: the tree grows behind a request");
  if (!missed) return Outcome::proceed;
  LATCHLAB_PATH("citron: a request is told to a tree that has grown");
  return Outcome::expanded;
}

bool Client::is_late(const Attempt& attempt, const TreeNode& node, Time told_at) {
  if (node == tree(attempt.lock).root()) return false;
  return told_at - attempt.searched > surely(attempt.tuning.in_time);
}

std::optional<Client::Outcome> Client::too_old_for_bits(const Attempt& attempt,
                                                        const TreeNode& node) {
  if (options_.suspects == Suspects::cleared) return std::nullopt;
  if (verbs_.now() >= attempt.until) {
    LATCHLAB_PATH("citron: a request has passed one above that waits for it no longer");
    return Outcome::passed;
  }
  if (!is_late(attempt, node, verbs_.now())) return std::nullopt;
  LATCHLAB_PATH("citron: ancestors would be told too late");
  return Outcome::too_late;
}

// Notifies with a doorbell of its own.
Task<Client::Outcome> Client::tell(Attempt& attempt, AtNode& mine) {
  Batch telling(verbs_);
  add_told(telling, attempt, mine);
  co_await telling.run();
  if (telling.status() != VerbStatus::ok) co_return Outcome::failed;
  note_told(telling, 0, mine);
  co_return judge_told(telling, static_cast<int>(mine.told.size()), attempt, mine, verbs_.now());
}

}  // namespace latchlab::citron

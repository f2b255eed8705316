// Algorithm 3, which is also how a request is undone.

#include <vector>

#include "core/base/paths.h"
#include "core/protocols/citron/client.h"
#include "core/protocols/common/planted.h"

namespace latchlab::citron {

Task<ReleaseResult> Client::release(Grant grant) {
  Held& held = held_[grant.id];
  verbs_.mark(Phase::initial_atomic);
  const bool late = verbs_.now() >= grant.valid_until;
  if (late) LATCHLAB_PATH("citron: a late release is suppressed");
  if (late) held.nodes.clear();
  --holding_;
  ReleaseResult result = co_await undo(grant.lock, held);
  if (late) result = ReleaseResult::suppressed;
  co_await leave_round(held);
  if (options_.scales() && !options_.polls() && holding_ == 0)
    co_await look_at_maximizer(grant.lock);
  co_return result;
}

Task<ReleaseResult> Client::undo(LockRef lock, Held& held) {
  co_await leave_nodes(lock, held);
  ReleaseResult result = ReleaseResult::released;
  if (held.spilled != 0) result = co_await mutex_.release(held.spillover);
  held.spilled = 0;
  co_return result;
}

Task<void> Client::leave_nodes(LockRef lock, Held& held, std::size_t from) {
  co_await leave(lock, held, from);
  held.nodes.resize(from);
}

void Client::add_children(Batch& batch, LockRef lock, const AtNode& mine) {
  const Words all{~0ULL, 0};
  for (unsigned i = 0; i < 4; ++i)
    if ((mine.children & (1ULL << i)) != 0)
      batch.add(masked_cas_verb(word(lock, mine.node.child(i)), 8, all, all, {}, all));
}

// First the node itself, then the nodes that were notified. A ticket that was served and not used
// is passed on only if it is still the one that is served.
Client::Left Client::add_leave(Batch& batch, LockRef lock, const AtNode& mine) {
  const NodeWord& format = options_.node;
  const RemoteAddr addr = word(lock, mine.node);
  Left left;
  if (mine.node.leaf() && mine.stage == Stage::occupied) {
    const Words bits{mine.mask, 0};
    left.itself = batch.add(masked_cas_verb(addr, 8, bits, bits, {}, bits));
  }
  add_children(batch, lock, mine);
  const Node served{.t_cnt = static_cast<std::uint32_t>(mine.ticket)};
  const Node next{.t_cnt = format.plus(served.t_cnt, 1)};
  if (!mine.node.leaf() && mine.stage == Stage::served)
    left.itself = batch.add(options_.occupy == Occupy::cas
                                ? format.swap(addr, served, next, {.t_cnt = format.counter_ones()})
                                : format.add(addr, {.t_cnt = 1}));
  if (!mine.node.leaf() && mine.stage == Stage::occupied)
    left.itself =
        batch.add(format.add(addr, {.occ = PLANTED(citron_stays_occupied) ? 0U : 1U, .t_cnt = 1}));
  for (const AncestorNotice& told : mine.told)
    if (!PLANTED(citron_forgets_whom_it_told))
      left.highest = batch.add(format.add(word(lock, told.node), {.d_cnt = 1}));
  return left;
}

// Releases the nodes from that one on. Nodes that other requests may treat as a dead client's are
// left to them.
Task<void> Client::leave(LockRef lock, const Held& held, std::size_t from) {
  std::vector<Left> all;
  const Time now = verbs_.now();
  Batch batch(verbs_);
  for (std::size_t i = from; i < held.nodes.size(); ++i) {
    const AtNode& mine = held.nodes[i];
    if (now >= mine.until) {
      LATCHLAB_PATH("citron: a request whose lease is over is left to other clients");
      continue;
    }
    all.push_back(add_leave(batch, lock, mine));
    all.back().node = i;
  }
  if (batch.empty()) co_return;
  co_await batch.run();
  if (batch.status() != VerbStatus::ok) {
    LATCHLAB_PATH("citron: the server fails a release");
    co_return;
  }
  for (const Left& left : all) {
    const AtNode& mine = held.nodes[left.node];
    if (left.highest >= 0) {
      const AncestorNotice highest = mine.told[mine.told.size() - 1];
      const std::uint64_t after = at(batch.result(left.highest).value.lo).exp;
      co_await follow(lock, held.generation, highest, after, false, mine.until);
    }
    const bool was_inside = !mine.node.leaf() && mine.stage == Stage::occupied;
    if (was_inside && mine.told.empty() && options_.expansion == Expansion::counted) {
      const AncestorNotice root{mine.node, mine.exp};
      const std::uint64_t after = at(batch.result(left.itself).value.lo).exp;
      co_await follow(lock, held.generation, root, after, true, mine.until);
    }
  }
}

// A request notified this node, or occupied this root, when the node's Exp was `told.exp`; when the
// request undid that, Exp was `after`. Each expansion in between has notified new nodes on its
// behalf, where DCnt has to follow as well: those that existed after the last expansion, and those
// to which later ones have added the counts from there.
Task<void> Client::follow(LockRef lock, std::uint64_t generation, AncestorNotice told,
                          std::uint64_t after, bool occupied, Time until) {
  if (options_.expansion == Expansion::flag) {
    if (after != 0) co_await follow_nonzero(lock, generation, told.node);
    co_return;
  }
  const NodeWord& format = options_.node;
  const auto exp_of = [this, lock, &format](const TreeNode& node, std::uint64_t in) {
    return format.as_exp(tree(lock).expansions(node, options_.meet, in));
  };
  const std::uint32_t before = format.expansions_between(exp_of(told.node, generation),
                                                         static_cast<std::uint32_t>(told.exp));
  bool is_root = occupied;
  if (is_root && before > 0) co_return;  // the node was not the root any more
  generation += before;
  for (;;) {
    const std::uint32_t grown = format.expansions_between(static_cast<std::uint32_t>(told.exp),
                                                          static_cast<std::uint32_t>(after));
    if (grown == 0) co_return;
    generation += is_root ? 1 : grown;  // the first expansion notifies for a request at a root
    LATCHLAB_PATH("citron: the tree has grown before a range is released");
    const bool known = co_await update_tree(lock, generation);
    if (!known) co_return;
    const SmallVector<TreeNode, 6> nodes =
        is_root ? tree(lock).told_for_root(told.node, options_.meet, generation)
                : tree(lock).told_by_expansion(told.node, options_.meet, generation);
    if (nodes.empty()) co_return;
    if (options_.undo == Undo::fenced && verbs_.now() >= until) {
      LATCHLAB_PATH("citron: new nodes are told of a release too late, and not");
      co_return;
    }
    Batch batch(verbs_);
    for (const TreeNode& node : nodes) batch.add(format.add(word(lock, node), {.d_cnt = 1}));
    co_await batch.run();
    if (batch.status() != VerbStatus::ok) co_return;
    is_root = false;
    told = {nodes[nodes.size() - 1], exp_of(nodes[nodes.size() - 1], generation)};
    after = at(batch.result(static_cast<int>(nodes.size()) - 1).value.lo).exp;
  }
}

// As printed: an Exp that is not 0 stands for an expansion, and the tree is the one that the
// metadata server knows by now.
Task<void> Client::follow_nonzero(LockRef lock, std::uint64_t generation, TreeNode node) {
  co_await look_for_changes(lock);
  const Tree& known = tree(lock);
  if (known.generation() == generation) co_return;
  LATCHLAB_PATH("citron: the tree has grown before a range is released");
  const SmallVector<TreeNode, 6> nodes =
      known.told_by_expansion(node, options_.meet, known.generation());
  Batch batch(verbs_);
  for (const TreeNode& each : nodes)
    batch.add(options_.node.add(known.address(each), {.d_cnt = 1}));
  co_await batch.run();
}

}  // namespace latchlab::citron

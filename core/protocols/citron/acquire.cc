// Ranges: Algorithm 1, and step 1 of Algorithm 2.

#include <algorithm>
#include <utility>

#include "core/base/paths.h"
#include "core/protocols/citron/client.h"
#include "core/protocols/common/planted.h"

namespace latchlab::citron {

namespace {

constexpr std::uint64_t kEndless = ~0ULL;

std::uint64_t end_of(const Extent& extent) {
  if (extent.whole() || extent.count > kEndless - extent.first) return kEndless;
  return extent.first + extent.count;
}

// Replaces all nodes below `node` by it.
void replace_below(Cover& cover, const TreeNode& node) {
  SmallVector<TreeNode, 2> nodes;
  for (const TreeNode& each : cover.nodes)
    if (!each.is_below(node)) nodes.push_back(each);
  nodes.push_back(node);
  std::sort(nodes.begin(), nodes.end(),
            [](const TreeNode& one, const TreeNode& other) { return one.first() < other.first(); });
  cover.nodes = nodes;
}

}  // namespace

Tree& Client::tree(LockRef lock) {
  if (Tree* const known = trees_.find(lock.id.value)) return *known;
  return trees_[lock.id.value] = Tree(nodes_of(lock), options_.height);
}

bool Client::is_stale(const Tree& tree, const TreeNode& node, std::uint64_t exp) const {
  if (options_.expansion == Expansion::flag) return exp != 0;
  return exp != options_.node.as_exp(tree.expansions(node, options_.meet));
}

Task<AcquireResult> Client::acquire(Want want, AcquireOptions options) {
  Held& held = held_[want.id];
  held = {};
  Attempt attempt;
  attempt.lock = want.lock;
  attempt.range = {want.extent.first, end_of(want.extent)};
  attempt.held = &held;
  attempt.tuning = Tuning::of(options_.meet, options_.t_wait);
  if (poller_ != nullptr && !trees_.contains(want.lock.id.value)) {
    const auto use = [this, &want] { poller_->uses(want.lock); };
    co_await verbs_.on_node(use);
  }
  if (tuning_ != nullptr) {
    const auto enter = [this, &held, &attempt] {
      held.began = tuning_->round();
      attempt.tuning = tuning_->enter();
    };
    co_await verbs_.on_node(enter);
  }
  verbs_.mark(Phase::initial_atomic);
  held.generation = tree(want.lock).generation();
  const std::uint64_t units = tree(want.lock).units();
  if (attempt.range.end > units) {
    const std::optional<AbortReason> refused = co_await enter_spillover(attempt, want, options);
    if (refused) co_return co_await give_up(attempt, *refused);
  }
  Outcome outcome = Outcome::proceed;
  if (attempt.range.begin < units) {
    outcome = co_await lock_cover(attempt);
  } else if (options_.out_of_bounds == OutOfBounds::looked_at) {
    const Completion root = co_await verbs_.read(word(want.lock, tree(want.lock).root()));
    if (!root.ok()) outcome = Outcome::failed;
    if (root.ok() && is_stale(tree(want.lock), tree(want.lock).root(), at(root.value.lo).exp)) {
      LATCHLAB_PATH("citron: the tree has grown while a client waited for what is beyond it");
      outcome = Outcome::expanded;
    }
  }
  if (outcome == Outcome::proceed) {
    const Grant grant = grant_of(want, held);
    if (verbs_.now() < grant.valid_until) {
      failures_.succeeded();
      ++holding_;
      co_return grant;
    }
    LATCHLAB_PATH("citron: a range is granted too late to be used");
    outcome = Outcome::passed;
  }
  if (outcome == Outcome::failed) LATCHLAB_PATH("citron: the server fails an acquire");
  if (outcome == Outcome::failed) co_return co_await give_up(attempt, AbortReason::server_failed);
  const bool late = outcome == Outcome::too_late;
  co_await undo(want.lock, held);
  if (outcome == Outcome::expanded) co_await update_tree(want.lock, held.generation + 1);
  if (late && options_.too_late == TooLate::pauses) co_await failures_.pause(verbs_);
  co_return co_await give_up(attempt, late ? AbortReason::too_many : AbortReason::recovered);
}

// The grant expires when the first of its nodes may be treated as a dead client's.
Grant Client::grant_of(const Want& want, const Held& held) {
  Grant grant(want);
  grant.extent = want.extent;
  if (options_.recovers()) grant.valid_until = verbs_.now() + options_.lease;
  if (options_.patience == Patience::levels)
    for (const AtNode& node : held.nodes)
      grant.valid_until = std::min(grant.valid_until, node.until);
  if (held.spilled != 0)
    grant.valid_until = std::min(grant.valid_until, held.spillover.valid_until);
  return grant;
}

Task<AcquireResult> Client::give_up(Attempt& attempt, AbortReason reason) {
  co_await leave_round(*attempt.held);
  co_return Aborted{reason};
}

Task<void> Client::leave_round(Held& held) {
  if (tuning_ == nullptr) co_return;
  EndpointAddr manager;
  const auto leave = [this, &held, &manager] { manager = tuning_->leave(held.began); };
  co_await verbs_.on_node(leave);
  if (!manager.null()) co_await tell_ready(verbs_, manager);
}

// One mutex covers all units beyond the tree (3.3). A client that comes here ORs the right end of
// its range to the maximizer, so that a scale-up knows how large the tree has to be.
Task<std::optional<AbortReason>> Client::enter_spillover(Attempt& attempt, Want want,
                                                         AcquireOptions options) {
  LATCHLAB_PATH("citron: a range goes beyond the tree");
  if (attempt.range.end != kEndless) {
    const Words end{attempt.range.end, 0};
    verbs_.post(masked_cas_verb(maximizer_of(want.lock), 8, {}, {}, end, end));
  }
  want.extent = {};
  want.mode = LockMode::exclusive;
  const AcquireResult result = co_await mutex_.acquire(want, options);
  if (const Aborted* const aborted = std::get_if<Aborted>(&result)) co_return aborted->reason;
  attempt.held->spilled = 1;
  attempt.held->spillover = *std::get_if<Grant>(&result);
  co_return std::nullopt;
}

// Step 1, and step 2 for one node after the other, in ascending order.
Task<Client::Outcome> Client::lock_cover(Attempt& attempt) {
  Held& held = *attempt.held;
  const TreeNode root = tree(attempt.lock).root();
  const std::uint64_t end = std::min(attempt.range.end, root.units());
  Cover cover = cover_of(root, attempt.range.begin, end, options_.nodes);
  if (options_.split_time.ps > 0 && !cover.nodes[0].leaf())
    co_await verbs_.compute(options_.split_time);
  if (cover.nodes.size() > 1) LATCHLAB_PATH("citron: a range has several nodes");
  for (std::size_t next = 0; next < cover.nodes.size();) {
    const std::size_t place = held.nodes.size();
    held.nodes.push_back(AtNode{});
    AtNode& mine = held.nodes[place];
    mine.node = cover.nodes[next];
    Outcome outcome = Outcome::proceed;
    if (mine.node.leaf()) {
      mine.mask = leaf_mask(mine.node, attempt.range.begin, end);
      outcome = co_await lock_leaf(attempt, mine);
    } else {
      outcome = co_await lock_internal(attempt, mine);
    }
    if (outcome == Outcome::proceed && attempt.suspected) co_await clear_suspect(attempt, mine);
    if (outcome == Outcome::proceed) {
      ++next;
      continue;
    }
    if (outcome == Outcome::yields) {
      const Outcome turn = co_await begin_anew(attempt);
      if (turn != Outcome::proceed) co_return turn;
      next = 0;
      continue;
    }
    if (outcome == Outcome::too_late && place > 0 && options_.retry == Retry::node) {
      const bool in_time = co_await try_node_again(attempt, place);
      if (!in_time) co_return Outcome::passed;
      continue;
    }
    if (outcome != Outcome::instead) co_return outcome;
    if (options_.fallback == Fallback::node) {  // beside what is held already
      co_await leave_nodes(attempt.lock, held, place);
      cover.nodes[next] = attempt.instead;
      continue;
    }
    co_await leave_nodes(attempt.lock, held);
    replace_below(cover, attempt.instead);
    next = 0;
  }
  co_return Outcome::proceed;
}

// Line 7. The nodes locked before stay held: for other requests this looks like a holder of the
// lower node that waits at the higher one.
Task<bool> Client::try_node_again(Attempt& attempt, std::size_t place) {
  LATCHLAB_PATH("citron: a node is tried again while other nodes are held");
  verbs_.mark(Phase::retry);
  Held& held = *attempt.held;
  const Time until = held_until(held);
  co_await leave_nodes(attempt.lock, held, place);
  if (options_.too_late == TooLate::pauses) co_await failures_.pause(verbs_, until);
  co_return verbs_.now() < until;
}

// The request has a ticket for its last node, behind a request that may wait for one above, which
// in turn waits for this request. It gives up its other nodes, and the ticket when that is served.
Task<Client::Outcome> Client::begin_anew(Attempt& attempt) {
  LATCHLAB_PATH("citron: a request gives up nodes so as not to wait in a circle");
  Held& held = *attempt.held;
  const AtNode last = held.nodes[held.nodes.size() - 1];
  held.nodes.resize(held.nodes.size() - 1);
  co_await leave_nodes(attempt.lock, held);
  held.nodes.push_back(last);
  const Outcome turn = co_await wait_for_turn(attempt, held.nodes[0]);
  if (turn != Outcome::proceed) co_return turn;
  held.nodes[0].stage = Stage::served;
  co_await leave_nodes(attempt.lock, held);
  co_return Outcome::proceed;
}

// A request that holds a node knows that no other request holds anything below it, so bits that are
// set there are those of a dead client (3.10, line 22).
Task<void> Client::clear_suspect(Attempt& attempt, const AtNode& mine) {
  const TreeNode leaf = attempt.suspect;
  if (!leaf.is_below(mine.node) || mine.node.leaf()) co_return;
  attempt.suspected = false;
  if (mine.children != 0) co_return;  // they were all 0, and are this client's
  const RemoteAddr addr = word(attempt.lock, leaf);
  const Completion seen = co_await verbs_.read(addr);
  if (!seen.ok() || seen.value.lo == 0) co_return;
  if (options_.suspects == Suspects::outwaited) {
    const bool dead = co_await outwait_suspect(attempt, mine, addr);
    if (!dead) co_return;
  }
  LATCHLAB_PATH("citron: bits of a dead client are cleared");
  co_await verbs_.write(addr, 0);
  ++recoveries_;
}

}  // namespace latchlab::citron

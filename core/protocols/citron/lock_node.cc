// Step 2 at an internal node: phases (a) to (d) of Algorithm 2.

#include <algorithm>
#include <vector>

#include "core/base/paths.h"
#include "core/coro/when_all.h"
#include "core/protocols/citron/client.h"
#include "core/protocols/citron/cover.h"
#include "core/protocols/common/planted.h"

namespace latchlab::citron {

namespace {

constexpr Node kTicket{.t_max = 1};

}  // namespace

// Phases (a) and (b).
Task<Client::Outcome> Client::lock_internal(Attempt& attempt, AtNode& mine) {
  attempt.searched = verbs_.now();
  Batch batch(verbs_);
  batch.add(options_.node.add(word(attempt.lock, mine.node), kTicket));
  if (options_.batch_search) add_search(batch, attempt.lock, mine.node);
  co_await batch.run();
  if (batch.status() != VerbStatus::ok) co_return Outcome::failed;
  const Node before = at(batch.result(0).value.lo);
  mine.ticket = before.t_max;
  if (before.t_cnt == before.t_max && options_.batch_search) {
    mine.stage = Stage::served;
    std::optional<TreeNode> occupied;
    Outcome outcome = judge_search(batch, 1, attempt, mine.node, occupied);
    if (outcome == Outcome::proceed && occupied)
      outcome = co_await search_on(attempt, mine, *occupied);
    if (outcome != Outcome::proceed) co_return outcome;
    co_return co_await occupy(attempt, mine);
  }
  if (before.t_cnt != before.t_max) {
    verbs_.mark(Phase::wait_pred);
    const Outcome turn = co_await wait_for_turn(attempt, mine);
    if (turn != Outcome::proceed) co_return turn;
  }
  mine.stage = Stage::served;
  const Outcome searched = co_await search(attempt, mine);
  if (searched != Outcome::proceed) co_return searched;
  co_return co_await occupy(attempt, mine);
}

// The verbs that occupy a node: Occ; with `batch_occupy` the FAAs that notify ancestors; and the
// bits of leaves, before or behind those FAAs, which T_wait bounds.
struct Client::Occupation {
  explicit Occupation(Verbs& verbs) : node(verbs), behind(verbs) {}
  Batch node;
  Batch behind;
  bool bits_behind = false;
  int bits = 0;  // of how many leaves
  Time done;     // the first batch
  Time behind_done;

  int first_told() const { return 1 + (bits_behind ? 0 : bits); }
  Completion leaf(int which) const {
    return bits_behind ? behind.result(which) : node.result(1 + which);
  }
  Task<void> run(Verbs& verbs) {
    std::vector<Task<void>> both;
    both.push_back(until_done(verbs, node, done));
    if (bits_behind) both.push_back(until_done(verbs, behind, behind_done));
    co_await when_all(both);
  }
  bool ok() const {
    return node.status() == VerbStatus::ok && (!bits_behind || behind.status() == VerbStatus::ok);
  }

 private:
  static Task<void> until_done(Verbs& verbs, Batch& batch, Time& at) {
    co_await batch.run();
    at = verbs.now();
  }
};

void Client::add_occupation(Occupation& all, Attempt& attempt, AtNode& mine) {
  const NodeWord& node = options_.node;
  const RemoteAddr addr = word(attempt.lock, mine.node);
  if (options_.occupy == Occupy::cas) {
    const Node served{.t_cnt = static_cast<std::uint32_t>(mine.ticket)};
    const Node occupied{.occ = 1, .t_cnt = served.t_cnt};
    all.node.add(node.swap(addr, served, occupied, {.occ = 1, .t_cnt = node.counter_ones()}));
  } else {
    all.node.add(node.add(addr, {.occ = 1}));
  }
  all.bits = takes_leaves(mine.node) ? 4 : 0;
  all.bits_behind = all.bits > 0 && options_.leaf_bits == LeafBits::behind && options_.batch_occupy;
  Batch& leaves = all.bits_behind ? all.behind : all.node;
  for (unsigned i = 0; i < static_cast<unsigned>(all.bits); ++i)
    leaves.add(set_bits(word(attempt.lock, mine.node.child(i)), ~0ULL));
  if (options_.batch_occupy) add_told(all.node, attempt, mine);
}

// Phases (c) and (d). A node just above leaves also sets all of their bits; if it can, it has no
// request below to wait for (3.8).
Task<Client::Outcome> Client::occupy(Attempt& attempt, AtNode& mine) {
  if (takes_leaves(mine.node))
    if (const std::optional<Outcome> old = too_old_for_bits(attempt, mine.node)) co_return *old;
  const Time posted = verbs_.now();
  Occupation all(verbs_);
  add_occupation(all, attempt, mine);
  co_await all.run(verbs_);
  if (!all.ok()) co_return Outcome::failed;
  const Time until = std::min(fence(posted, mine.node), attempt.until);
  if (options_.undo == Undo::fenced) mine.until = until;
  mine.since = all.done;
  const Node before = at(all.node.result(0).value.lo);
  mine.exp = before.exp;
  for (int i = 0; i < all.bits; ++i)
    if (were_clear(all.leaf(i), ~0ULL)) mine.children |= 1ULL << static_cast<unsigned>(i);
  if (options_.batch_occupy) note_told(all.node, all.first_told(), mine);
  if (options_.occupy == Occupy::cas && (before.t_cnt != mine.ticket || before.occ != 0)) {
    LATCHLAB_PATH("citron: a turn has gone before its node is occupied");
    mine.stage = Stage::none;
    if (options_.undo == Undo::fenced) keep_what_others_may_clear(mine, posted, before);
    co_return Outcome::passed;
  }
  mine.stage = Stage::occupied;
  mine.until = until;
  Outcome told = Outcome::proceed;
  if (options_.batch_occupy) {
    const int root = all.first_told() + static_cast<int>(mine.told.size());
    told = judge_told(all.node, root, attempt, mine, all.done);
  } else {
    told = co_await tell(attempt, mine);
  }
  if (told != Outcome::proceed) co_return told;
  if (takes_leaves(mine.node) && mine.children == 0xF) {
    LATCHLAB_PATH("citron: a node has all of its leaves, and waits for no request");
    co_return Outcome::proceed;
  }
  verbs_.mark(Phase::other);
  if (mine.children != 0) {
    LATCHLAB_PATH("citron: some leaves of a node are taken");
    if (options_.undo == Undo::fenced && verbs_.now() >= mine.until) co_return Outcome::passed;
    Batch clearing(verbs_);
    add_children(clearing, attempt.lock, mine);
    if (!PLANTED(citron_keeps_the_leaves)) co_await clearing.run();
    mine.children = 0;
  }
  co_return co_await wait_for_descendants(attempt, mine);
}

// A request that lost its turn has set bits of leaves. If another request occupies the node, that
// one may clear the bits as those of a dead client, and a third may set them: then they are not
// touched. A request that has not occupied the node yet waits for a lease first: until then the
// bits may be cleared here.
void Client::keep_what_others_may_clear(AtNode& mine, Time posted, const Node& seen) const {
  if (seen.occ != 0) mine.children = 0;
  if (options_.recovers()) mine.until = std::min(mine.until, posted + surely(options_.lease));
}

// Phase (d), second half. By the end of T_wait every request that did not see this node occupied
// has notified its ancestors, or gives up.
Task<Client::Outcome> Client::wait_for_descendants(Attempt& attempt, AtNode& mine) {
  const Time end = mine.since + attempt.tuning.wait;
  const Time now = verbs_.now();
  if (now < end && !PLANTED(citron_does_not_wait)) co_await verbs_.sleep(end - now);
  const std::vector<Block> blocks =
      tree(attempt.lock).looked_at(mine.node, attempt.tuning.look_meet);
  Batch batch(verbs_);
  for (const Block& block : blocks)
    batch.add(read_verb(block.addr, static_cast<std::uint32_t>(8 * block.count)));
  co_await batch.run();
  if (batch.status() != VerbStatus::ok) co_return Outcome::failed;
  std::vector<TreeNode> busy;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const Completion seen = batch.result(static_cast<int>(i));
    for (std::uint64_t n = 0; n < blocks[i].count; ++n) {
      const std::uint64_t word = blocks[i].count > 2 ? batch.words(static_cast<int>(i))[n]
                                 : n == 0            ? seen.value.lo
                                                     : seen.value.hi;
      const Node node = at(word);
      if (node.d_cnt != node.d_max)
        busy.push_back({blocks[i].first.at + n, blocks[i].first.height});
    }
  }
  if (!busy.empty()) verbs_.mark(Phase::wait_readers);
  for (const TreeNode& node : busy) {
    LATCHLAB_PATH("citron: a request waits for some below");
    const Outcome waited = co_await wait_for_counts(attempt, mine, node);
    if (waited != Outcome::proceed) co_return waited;
  }
  co_return Outcome::proceed;
}

// Step 2 at a leaf: phases (b) to (d) of Algorithm 2, until its bits are set.

Task<Client::Outcome> Client::lock_leaf(Attempt& attempt, AtNode& mine) {
  for (std::uint32_t tries = 1;; ++tries) {
    const Outcome searched = co_await search(attempt, mine);
    if (searched != Outcome::proceed) co_return searched;
    bool taken = false;
    const Outcome outcome = co_await try_leaf(attempt, mine, taken);
    if (taken || outcome != Outcome::proceed) co_return outcome;
    verbs_.mark(Phase::retry);
    if (tries < options_.leaf_tries) continue;
    LATCHLAB_PATH("citron: a leaf is given up for its parent");
    attempt.instead = mine.node.up(1);
    attempt.suspect = mine.node;
    attempt.suspected = options_.recovers();
    co_return Outcome::instead;
  }
}

// Phases (c) and (d).
Task<Client::Outcome> Client::try_leaf(Attempt& attempt, AtNode& mine, bool& taken) {
  const std::size_t last = attempt.held->nodes.size() - 1;  // this one
  const Time posted = verbs_.now();
  if (const std::optional<Outcome> old = too_old_for_bits(attempt, mine.node)) co_return *old;
  Batch batch(verbs_);
  batch.add(set_bits(word(attempt.lock, mine.node), mine.mask));
  if (options_.batch_occupy) add_told(batch, attempt, mine);
  co_await batch.run();
  if (batch.status() != VerbStatus::ok) co_return Outcome::failed;
  const Time until = std::min(fence(posted, mine.node), attempt.until);
  if (options_.undo == Undo::fenced) mine.until = until;
  taken = were_clear(batch.result(0), mine.mask);
  if (options_.batch_occupy) note_told(batch, 1, mine);
  if (!taken) {
    LATCHLAB_PATH("citron: bits of a leaf are taken");
    if (!PLANTED(citron_leaves_what_it_told)) co_await leave(attempt.lock, *attempt.held, last);
    mine.told.clear();
    co_return Outcome::proceed;
  }
  mine.stage = Stage::occupied;
  mine.until = until;
  if (options_.batch_occupy)
    co_return judge_told(batch, 1 + static_cast<int>(mine.told.size()), attempt, mine,
                         verbs_.now());
  co_return co_await tell(attempt, mine);
}

}  // namespace latchlab::citron

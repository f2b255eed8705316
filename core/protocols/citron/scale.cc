// Growing and shrinking the tree (3.9): Algorithm 4, and what clients know of the tree.

#include <algorithm>
#include <vector>

#include "core/base/paths.h"
#include "core/protocols/citron/client.h"
#include "core/protocols/citron/metadata.h"
#include "core/protocols/common/planted.h"

namespace latchlab::citron {

namespace {

constexpr std::size_t kAtOnce = 16;  // verbs of a doorbell

}  // namespace

// ---- the tree as this client knows it ----

// Applies one more change, if there is one; with `deadline`, waits until then for it.
Task<bool> Client::next_change(LockRef lock, Time deadline) {
  const bool waits = deadline != Time{};
  const Request request = metadata::next_change(lock.entry, tree(lock).generation(), waits ? 1 : 0);
  const Reply reply = co_await verbs_.call(lock.entry.node, request, waits ? deadline : kNever);
  if (!reply.ok()) co_return false;
  const std::optional<Change> change = metadata::change_in(reply);
  if (!change) co_return false;
  tree(lock).apply(*change);
  co_return true;
}

// False: the server does not know, or the client that expands the tree seems to have died.
Task<bool> Client::update_tree(LockRef lock, std::uint64_t generation) {
  while (tree(lock).generation() < generation) {
    const Time deadline = options_.recovers() ? verbs_.now() + options_.lease : kNever;
    const bool changed = co_await next_change(lock, deadline);
    if (!changed) {
      LATCHLAB_PATH("citron: a change of the tree is not told");
      co_return false;
    }
  }
  co_return true;
}

Task<void> Client::look_for_changes(LockRef lock) {
  bool changed = true;
  while (changed) changed = co_await next_change(lock, Time{});
}

// ---- growing ----

// Unless a poller does it: after a release, each client reads from time to time whether a request
// has gone beyond the tree.
Task<void> Client::look_at_maximizer(LockRef lock) {
  const Time now = verbs_.now();
  if (now - looked_at_maximizer_ < options_.scale_up_poll) co_return;
  looked_at_maximizer_ = now;
  co_await grow_if_wanted(lock);
}

Task<void> Client::grow_if_wanted(LockRef lock) {
  const Completion seen = co_await verbs_.read(maximizer_of(lock));
  if (seen.ok() && seen.value.lo != 0) co_await scale_up(lock);
}

void Poller::uses(LockRef lock) {
  if (known_.contains(lock.id.value)) return;
  known_[lock.id.value] = 1;
  locks_.push_back(lock);
}

Task<void> Poller::background(Verbs& verbs) {
  ClientEnv env;
  env.verbs = &verbs;
  env.peers = env_.peers;
  Client grower(options_, env);
  std::vector<LockRef> locks;
  const auto look = [this, &locks] { locks = locks_; };
  const auto period_ns = static_cast<std::uint64_t>(options_.scale_up_poll.ps / 1000);
  const Duration first = nanoseconds(static_cast<std::int64_t>(verbs.random(period_ns + 1)));
  for (Duration pause = first;; pause = options_.scale_up_poll) {
    co_await verbs.sleep(pause);
    co_await verbs.on_node(look);
    for (const LockRef lock : locks) co_await grower.grow_if_wanted(lock);
  }
}

Task<bool> Client::scale_up(LockRef lock) {
  const Want want(lock);
  const AcquireResult result = co_await mutex_.acquire(want, {});
  const Grant* const mutex = std::get_if<Grant>(&result);
  if (mutex == nullptr) co_return false;
  const Grant held = *mutex;
  co_await look_for_changes(lock);
  const Completion wanted = co_await verbs_.read(maximizer_of(lock));
  std::uint64_t height = tree(lock).height() + options_.scale_up_levels;
  while (TreeNode{0, height}.units() < wanted.value.lo && height < kMostHeight) ++height;
  bool grown = false;
  if (wanted.ok() && wanted.value.lo > tree(lock).units() && height <= kMostHeight) {
    LATCHLAB_PATH("citron: a tree grows");
    grown = co_await expand(lock, height, held.valid_until);
  } else {
    LATCHLAB_PATH("citron: a tree has grown already");
  }
  if (wanted.ok() && wanted.value.lo != 0) co_await verbs_.write(maximizer_of(lock), 0);
  co_await mutex_.release(held);
  co_return grown;
}

// Marks cannot be undone. They are not begun with less than half of the mutex' lease left, which
// the server may have used up.
Task<bool> Client::expand(LockRef lock, std::uint64_t height, Time until) {
  const Tree old = tree(lock);
  const std::uint64_t bytes = 8 * old.added_nodes(height);
  const Request request = metadata::allocate(lock.entry, bytes);
  const Reply reply = co_await verbs_.call(lock.entry.node, request);
  const std::optional<RemoteAddr> added = metadata::memory_in(reply);
  if (!added) co_return false;
  if (options_.recovers() && verbs_.now() + options_.lease / 2 > until) {
    LATCHLAB_PATH("citron: memory for a tree to grow comes too late");
    co_return false;
  }
  const Change change{height, *added};
  Tree grown = old;
  grown.apply(change);
  const bool told = co_await propagate(old, grown);
  if (!told) co_return false;
  co_return co_await publish(lock, change);
}

Task<bool> Client::publish(LockRef lock, Change change) {
  const Request request = metadata::publish(lock.entry, tree(lock).generation(), change);
  const Reply reply = co_await verbs_.call(lock.entry.node, request);
  if (!reply.ok()) co_return false;
  tree(lock).apply(change);
  co_return true;
}

// Lines 4 to 8, in the order of indices: the root comes first, and each node after its parent.
Task<bool> Client::propagate(const Tree& old, const Tree& grown) {
  const std::vector<TreeNode> nodes = old.top(options_.meet);
  const std::size_t at_once = options_.propagation == Propagation::batched ? kAtOnce : 1;
  for (std::size_t first = 0; first < nodes.size(); first += at_once) {
    const std::size_t end = std::min(nodes.size(), first + at_once);
    Batch marking(verbs_);
    for (std::size_t i = first; i < end; ++i)
      marking.add(options_.node.add(old.address(nodes[i]), {.exp = 1}));
    co_await marking.run();
    if (marking.status() != VerbStatus::ok) co_return false;
    if (PLANTED(citron_grows_in_silence)) continue;
    Batch telling(verbs_);
    for (std::size_t i = first; i < end; ++i) {
      const Node seen = at(marking.result(static_cast<int>(i - first)).value.lo);
      if (seen.d_cnt == 0 && seen.d_max == 0 && seen.occ == 0) continue;
      const bool as_printed = options_.expansion == Expansion::flag;
      const std::uint32_t occupied = as_printed ? seen.occ : 0;
      const Node amounts{.d_cnt = seen.d_cnt, .d_max = options_.node.plus(seen.d_max, occupied)};
      const std::uint64_t generation = grown.generation();
      for (const TreeNode& node : grown.told_by_expansion(nodes[i], options_.meet, generation))
        telling.add(options_.node.add(grown.address(node), amounts));
      if (as_printed || seen.occ == 0 || nodes[i] != old.root()) continue;
      for (const TreeNode& node : grown.told_for_root(nodes[i], options_.meet, generation))
        telling.add(options_.node.add(grown.address(node), {.d_max = 1}));
    }
    co_await telling.run();
    if (telling.status() != VerbStatus::ok) co_return false;
  }
  co_return true;
}

// ---- shrinking ----

// No other client holds anything in the tree. A client that knows the old tree finds its root
// expanded.
Task<bool> Client::scale_down(LockRef lock, std::uint64_t units) {
  const Tree& known = tree(lock);
  std::uint64_t height = known.height();
  while (height > 1 && TreeNode{0, height - 1}.units() >= units) --height;
  if (height == known.height()) co_return true;
  const RemoteAddr root = known.address(known.root());
  const Verb mark = options_.node.add(root, {.exp = 1});
  const Completion marked = co_await verbs_.issue(mark);
  if (!marked.ok()) co_return false;
  LATCHLAB_PATH("citron: a tree is cut down");
  co_return co_await publish(lock, Change{height, {}});
}

}  // namespace latchlab::citron

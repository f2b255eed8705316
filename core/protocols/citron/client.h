#pragma once
// The client part of citron: ranges (acquire.cc), one node of a range (lock_node.cc), the ancestors
// of that node (ancestors.cc), release and undo (release.cc), recovery from waits that take too
// long (recover.cc), growing and shrinking the tree (scale.cc).

#include <cstdint>
#include <optional>
#include <variant>

#include "core/base/lookup.h"
#include "core/base/zero_padding.h"
#include "core/protocols/citron/cover.h"
#include "core/protocols/citron/options.h"
#include "core/protocols/citron/poller.h"
#include "core/protocols/citron/tree.h"
#include "core/protocols/citron/tuning.h"
#include "core/protocols/common/per_grant.h"
#include "core/protocols/dslr/client.h"
#include "core/verbs/batch.h"

namespace latchlab::citron {

// A node that a request has notified: DMax + 1, to be followed by DCnt + 1.
struct AncestorNotice {
  TreeNode node;
  std::uint64_t exp = 0;  // as found
};

// How far a request at a node has come.
enum class Stage : std::uint8_t {
  none,
  served,    // an internal node's ticket is served
  occupied,  // Occ, or the leaf's bits, are set
};

// A request at a node.
struct AtNode {
  TreeNode node;
  std::uint64_t mask = 0;    // a leaf's: its bits
  std::uint64_t ticket = 0;  // an internal node's
  std::uint64_t exp = 0;     // its Exp when it was occupied
  Stage stage = Stage::none;
  ZeroPadding<std::uint8_t, 7> padding = {};
  std::uint64_t children = 0;  // bit i: this request has set all bits of the i-th child
  SmallVector<AncestorNotice, 6> told;
  Time since;           // an internal node's: by then it was occupied
  Time until = kNever;  // from then on other requests may treat this one as dead
};

struct Held {
  std::uint64_t generation = 0;  // of the tree
  std::uint64_t spilled = 0;     // 1: the spillover mutex is held
  Round began = Round::before;
  ZeroPadding<std::uint8_t, 7> padding = {};
  Grant spillover;
  SmallVector<AtNode, 2> nodes;
};

class Client final : public LockClient {
 public:
  Client(const Options& options, const ClientEnv& env)
      : options_(options),
        verbs_(*env.verbs),
        tuning_(options.tunes() ? static_cast<Tuner*>(env.node) : nullptr),
        poller_(options.polls() ? static_cast<Poller*>(env.node) : nullptr),
        mutex_(options, env) {}

  Task<AcquireResult> acquire(Want want, AcquireOptions options) override;
  Task<ReleaseResult> release(Grant grant) override;
  std::uint64_t recoveries() const override { return recoveries_ + mutex_.recoveries(); }

  // Makes the tree larger if a client has wanted units beyond it (3.9.1). False: no client has, or
  // the server fails.
  Task<bool> scale_up(LockRef lock);
  // READs the maximizer, and if it is set, makes the tree larger.
  Task<void> grow_if_wanted(LockRef lock);
  // Cuts the tree down to this many units (3.9.2), a power of four times 64. This client holds the
  // whole object. False: the server fails.
  Task<bool> scale_down(LockRef lock, std::uint64_t units);

  const Tree& tree_of(LockRef lock) { return tree(lock); }

 private:
  struct Range {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
  };
  // The result of an attempt at a node.
  enum class Outcome : std::uint8_t {
    proceed,   // this step is done: the next one may begin
    too_late,  // a request above may have read the counters before it was notified
    expanded,  // the tree has grown
    passed,    // other requests treat this one as dead, or may do so
    failed,    // the server
    yields,    // a request above may wait for a node that this one holds, and be ahead at this node
    instead,   // Attempt::instead is to be locked in place of the node
  };
  struct Attempt {  // of a range
    LockRef lock;
    Range range;
    Tuning tuning;
    Held* held = nullptr;
    TreeNode instead;        // Outcome::instead: the node that replaces all below it
    bool suspected = false;  // ... because the bits of `suspect` may be those of a dead client
    TreeNode suspect;
    Time searched;        // when the last READs that found no ancestor occupied were posted
    Time until = kNever;  // it ignored a request above, which waits for it until then
  };

  Tree& tree(LockRef lock);
  RemoteAddr word(LockRef lock, const TreeNode& node) { return tree(lock).address(node); }
  Task<bool> update_tree(LockRef lock, std::uint64_t generation);
  Node at(std::uint64_t word) const { return options_.node.unpack(word); }
  bool is_stale(const Tree& tree, const TreeNode& node, std::uint64_t exp) const;

  // ---- acquire.cc ----
  Task<std::optional<AbortReason>> enter_spillover(Attempt& attempt, Want want,
                                                   AcquireOptions options);
  Task<Outcome> lock_cover(Attempt& attempt);
  Task<Outcome> begin_anew(Attempt& attempt);
  Task<bool> try_node_again(Attempt& attempt, std::size_t place);  // false: time is over
  Task<void> clear_suspect(Attempt& attempt, const AtNode& mine);
  Task<AcquireResult> give_up(Attempt& attempt, AbortReason reason);
  Task<void> leave_round(Held& held);
  Grant grant_of(const Want& want, const Held& held);

  // ---- lock_node.cc: phases of Algorithm 2 ----
  Task<Outcome> lock_internal(Attempt& attempt, AtNode& mine);
  struct Occupation;
  void add_occupation(Occupation& all, Attempt& attempt, AtNode& mine);
  bool takes_leaves(const TreeNode& node) const {
    return options_.lock_children && node.height == 1;
  }
  Task<Outcome> occupy(Attempt& attempt, AtNode& mine);
  Task<Outcome> wait_for_descendants(Attempt& attempt, AtNode& mine);
  void keep_what_others_may_clear(AtNode& mine, Time posted, const Node& seen) const;
  Task<Outcome> lock_leaf(Attempt& attempt, AtNode& mine);
  Task<Outcome> try_leaf(Attempt& attempt, AtNode& mine, bool& taken);

  // ---- ancestors.cc ----
  Task<Outcome> search(Attempt& attempt, const AtNode& mine);
  Task<Outcome> search_on(Attempt& attempt, const AtNode& mine, TreeNode occupied);
  void add_search(Batch& batch, LockRef lock, TreeNode from);
  // Is the node above one that this request holds, besides the one that it is at? Then a request
  // that occupies it waits for this one.
  bool is_above_held(const Attempt& attempt, const TreeNode& node) const;
  // Judges the READs of `from`'s ancestors, from the index `first` on.
  Outcome judge_search(const Batch& batch, int first, Attempt& attempt, TreeNode from,
                       std::optional<TreeNode>& occupied);
  Task<Outcome> tell(Attempt& attempt, AtNode& mine);
  // The FAAs that notify ancestors, and the READ of the root behind them.
  void add_told(Batch& batch, Attempt& attempt, AtNode& mine);
  void note_told(const Batch& batch, int first, AtNode& mine);
  Outcome judge_told(const Batch& batch, int root, Attempt& attempt, const AtNode& mine,
                     Time told_at);
  bool is_late(const Attempt& attempt, const TreeNode& node, Time told_at);
  // Why this request must not set bits of leaves any more (`suspects`).
  std::optional<Outcome> too_old_for_bits(const Attempt& attempt, const TreeNode& node);

  // ---- recover.cc: the four waits ----
  Duration patience(const TreeNode& node) const;
  Duration landing() const;
  Time fence(Time posted, const TreeNode& node) const;
  Time held_until(const Held& held) const;
  Task<Outcome> wait_for_turn(Attempt& attempt, AtNode& mine);
  Task<bool> take_over(Attempt& attempt, const AtNode& mine, Node seen);
  Task<Outcome> wait_for_ancestor(Attempt& attempt, TreeNode ancestor);
  Task<Outcome> wait_for_counts(Attempt& attempt, const AtNode& mine, TreeNode node);
  Task<bool> outwait_suspect(const Attempt& attempt, const AtNode& mine, RemoteAddr leaf);

  // ---- release.cc ----
  Task<ReleaseResult> undo(LockRef lock, Held& held);
  Task<void> leave_nodes(LockRef lock, Held& held, std::size_t from = 0);
  Task<void> leave(LockRef lock, const Held& held, std::size_t from);
  struct Left {  // indices of verbs in the batch that undoes a request at a node; -1: there is none
    std::size_t node = 0;
    int itself = -1;
    int highest = -1;  // of the highest node that it has notified
  };
  Left add_leave(Batch& batch, LockRef lock, const AtNode& mine);
  void add_children(Batch& batch, LockRef lock, const AtNode& mine);
  Task<void> follow(LockRef lock, std::uint64_t generation, AncestorNotice told,
                    std::uint64_t after, bool occupied, Time until);
  Task<void> follow_nonzero(LockRef lock, std::uint64_t generation, TreeNode node);

  // ---- scale.cc ----
  Task<bool> expand(LockRef lock, std::uint64_t height, Time until);
  Task<bool> propagate(const Tree& old, const Tree& grown);
  Task<bool> publish(LockRef lock, Change change);
  Task<bool> next_change(LockRef lock, Time deadline);
  Task<void> look_for_changes(LockRef lock);
  Task<void> look_at_maximizer(LockRef lock);

  static RemoteAddr maximizer_of(LockRef lock) { return lock.entry + 8; }
  static RemoteAddr nodes_of(LockRef lock) { return lock.entry + 16; }
  // The least that a duration on one clock may be on another, both within drift_ppm of the truth.
  Duration surely(Duration length) const {
    return length - length / 1'000'000 * (2 * options_.drift_ppm);
  }

  const Options& options_;  // the protocol's, which outlives its clients
  Verbs& verbs_;
  Tuner* const tuning_;   // null: m and T_wait stay as they are
  Poller* const poller_;  // null: clients grow the tree, or this is the poller's own part
  dslr::Client mutex_;
  FailureBackoff failures_{options_.backoff_first, options_.backoff_bound};
  Lookup<Tree> trees_;  // by lock
  PerGrant<Held> held_;
  Time looked_at_maximizer_;
  std::uint64_t recoveries_ = 0;
  std::uint64_t holding_ = 0;
};

}  // namespace latchlab::citron

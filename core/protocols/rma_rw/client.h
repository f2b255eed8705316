#pragma once
// RMA-RW's client part: readers in readers.cc, writers in writers.cc, and the tree of queues in
// climbers.cc.

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "core/protocols/lock.h"
#include "core/protocols/rma_rw/notes.h"
#include "core/protocols/rma_rw/options.h"
#include "core/protocols/rma_rw/tree.h"
#include "core/protocols/rma_rw/words.h"

namespace latchlab::rma_rw {

inline constexpr std::uint64_t kEntryBytes = 16;  // tail and counters
inline constexpr std::uint64_t kTailBytes = 8;    // the tree's entry

class Client final : public LockClient {
 public:
  Client(const Options& options, const ClientEnv& env)
      : options_(options), verbs_(*env.verbs), notes_(make_notes(options, env)) {
    if (options.form == Form::flat) return;
    tree_.emplace(options, *env.peers, verbs_.node());
    for (unsigned level = 0; level < tree_->root(); ++level)
      elements_.push_back(std::make_unique<ElementNotes>(*tree_, verbs_, level));
  }

  Task<AcquireResult> acquire(Want want, AcquireOptions options) override {
    if (want.mode == LockMode::shared) return acquire_shared(want, options);
    return tree_ ? climb(want) : acquire_exclusive(want);
  }
  Task<ReleaseResult> release(Grant grant) override {
    if (grant.mode == LockMode::shared) return release_shared(grant);
    return tree_ ? descend(grant) : release_exclusive(grant);
  }

 private:
  // ---- readers.cc ----
  enum class Step : std::uint8_t { entered, again, failed };
  Task<AcquireResult> acquire_shared(Want want, AcquireOptions options);
  // One try. Sets `wait` if the next try has to wait at the barrier first.
  Task<Step> arrive(LockRef lock, bool& wait);
  Task<WaitEnd> wait_at_barrier(LockRef lock, Time deadline);
  // For the tree, whose tail and counters are on two nodes.
  Task<WaitEnd> wait_until_resettable(LockRef lock, Time deadline);
  // Resets the counters for a reader at the threshold. Returns by how much; none: the server fails.
  Task<std::optional<std::uint64_t>> make_room(RemoteAddr counters);
  Task<ReleaseResult> release_shared(Grant grant);

  // ---- writers.cc ----
  // One queue of writers.
  struct Queue {
    NoteBook* notes = nullptr;
    RemoteAddr tail;
    bool by_cpu = false;  // only clients of this node change the tail
  };
  Task<AcquireResult> acquire_exclusive(Want want);
  // Returns the turn that the predecessor passed, or kAlone, kFailed or kNoNode.
  Task<std::uint64_t> queue_up(Queue queue, QueuePlace& place);
  // Returns the old tail; none: a node fails.
  Task<std::optional<std::uint64_t>> swap_tail(Queue queue, std::uint64_t self);
  // True: the tail was `self` and is 0 now; none: a node fails.
  Task<std::optional<bool>> clear_tail(Queue queue, std::uint64_t self);
  // Changes from readers' mode to writers'. False: the server fails.
  Task<bool> keep_readers_out(LockRef lock);
  Task<bool> wait_for_readers(RemoteAddr counters);
  Task<ReleaseResult> release_exclusive(Grant grant);
  // Leaves the only queue, or the root's, after one more writer's turn. False: a node fails.
  Task<bool> leave_root(Queue queue, QueuePlace& place);
  // Resets all counters to readers' mode. False: a node fails.
  Task<bool> let_readers_in(LockRef lock);
  // Resets one set of counters. Returns the departures that it subtracted; none: the server fails.
  Task<std::optional<std::uint64_t>> reset(RemoteAddr counters);

  // ---- climbers.cc ----
  Task<AcquireResult> climb(Want want);
  Task<ReleaseResult> descend(Grant grant);
  // Called after the parent's queue was left or handed on. False: a node fails.
  Task<bool> leave_element(Queue queue, QueuePlace& place);
  Queue queue_at(LockRef lock, unsigned level);
  std::uint64_t threshold(unsigned level) const {
    return level == 0 ? options_.node_threshold : options_.group_threshold;
  }

  Queue only_queue(LockRef lock) { return {notes_.get(), lock.entry, false}; }
  std::uint64_t counters() const { return tree_ ? tree_->counters() : 1; }
  RemoteAddr counters_at(LockRef lock, std::uint64_t which) const {
    return tree_ ? tree_->counter(lock, which) : lock.entry + 8;
  }
  RemoteAddr own_counters(LockRef lock) const {
    return counters_at(lock, tree_ ? tree_->counter_of(verbs_.client()) : 0);
  }

  const Options& options_;  // the protocol's, which outlives its clients
  Verbs& verbs_;
  std::unique_ptr<NoteBook> notes_;
  std::optional<Tree> tree_;
  std::vector<std::unique_ptr<ElementNotes>> elements_;  // by level
};

}  // namespace latchlab::rma_rw

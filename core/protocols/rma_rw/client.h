#pragma once
// RMA-RW's client part. Readers are in readers.cc, writers in writers.cc, and what they do in a
// tree of queues in climbers.cc.

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "core/protocols/lock.h"
#include "core/protocols/rma_rw/counters.h"
#include "core/protocols/rma_rw/elements.h"
#include "core/protocols/rma_rw/notes.h"
#include "core/protocols/rma_rw/options.h"
#include "core/protocols/rma_rw/tree.h"

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
  // One try. `wait`: whether the next one has to wait for the barrier first.
  Task<Step> arrive(LockRef lock, bool& wait);
  Task<WaitEnd> wait_at_barrier(LockRef lock, Time deadline);
  // Where tail and counters are on two nodes.
  Task<WaitEnd> wait_until_resettable(LockRef lock, Time deadline);
  // Makes room below the threshold; how much, nothing if the server fails.
  Task<std::optional<std::uint64_t>> make_room(RemoteAddr counters);
  Task<ReleaseResult> release_shared(Grant grant);

  // ---- writers.cc ----
  // One queue of writers.
  struct Queue {
    NoteBook* notes = nullptr;
    RemoteAddr tail;
    bool by_cpu = false;  // only clients of the own node change the tail
  };
  Task<AcquireResult> acquire_exclusive(Want want);
  // What it is told with its turn, or alone, failed, no node.
  Task<std::uint64_t> queue_up(Queue queue, Place& place);
  // What the tail was; nothing: a node fails.
  Task<std::optional<std::uint64_t>> swap_tail(Queue queue, std::uint64_t self);
  // Whether it was still `self` and is 0 now; nothing: a node fails.
  Task<std::optional<bool>> clear_tail(Queue queue, std::uint64_t self);
  // From readers' mode to writers'; false: the server fails.
  Task<bool> keep_readers_out(LockRef lock);
  Task<bool> wait_for_readers(RemoteAddr counters);
  Task<ReleaseResult> release_exclusive(Grant grant);
  // The only queue, or the root's, after one more turn of a writer. False: a node fails.
  Task<bool> leave_root(Queue queue, Place& place);
  // Sets all counters back to readers' mode; false: a node fails.
  Task<bool> let_readers_in(LockRef lock);
  // One of them: how many departures it took away, nothing if the server fails.
  Task<std::optional<std::uint64_t>> reset(RemoteAddr counters);

  // ---- climbers.cc ----
  Task<AcquireResult> climb(Want want);
  Task<ReleaseResult> descend(Grant grant);
  // After its parent's queue was left or handed on. False: a node fails.
  Task<bool> leave_element(Queue queue, Place& place);
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

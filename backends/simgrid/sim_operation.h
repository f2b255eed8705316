#pragma once
// Operations under way, their slots, and the queues that they wait in.

#include <coroutine>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "core/base/ids.h"
#include "core/base/time.h"
#include "core/verbs/operation.h"

namespace latchlab::sim {

struct Core;
struct Qp;

// First in, first out, linked through the elements themselves.
template <class T>
class Fifo {
 public:
  bool empty() const { return head_ == nullptr; }
  T* front() const { return head_; }
  void push(T* item) {
    item->queue_next = nullptr;
    (tail_ != nullptr ? tail_->queue_next : head_) = item;
    tail_ = item;
  }
  T* pop() {
    T* item = head_;
    head_ = item->queue_next;
    if (head_ == nullptr) tail_ = nullptr;
    return item;
  }
  // Puts the items ahead of all others, in their order.
  void push_front(const std::vector<T*>& items) {
    Fifo whole;
    for (T* const item : items) whole.push(item);
    while (!empty()) whole.push(pop());
    *this = whole;
  }
  // For short queues: searches from the front.
  void remove(T* item) {
    T* before = nullptr;
    for (T* at = head_; at != item; at = at->queue_next) before = at;
    (before != nullptr ? before->queue_next : head_) = item->queue_next;
    if (tail_ == item) tail_ = before;
  }

 private:
  T* head_ = nullptr;
  T* tail_ = nullptr;
};

// Objects with stable addresses that are reused.
template <class T>
class Slots {
 public:
  // A reused slot is as its last user left it.
  T& take() {
    if (free_.empty()) return all_.emplace_back();
    T* slot = free_.back();
    free_.pop_back();
    return *slot;
  }
  void give(T& slot) { free_.push_back(&slot); }
  std::size_t in_use() const { return all_.size() - free_.size(); }
  std::deque<T>& all() { return all_; }

 private:
  std::deque<T> all_;
  std::vector<T*> free_;
};

// State of a long payload (bulk.h).
enum class BulkState : std::uint8_t { none, waiting, moving, stopping };

// Operations that RNICs execute after the CPU has posted them.
constexpr bool is_remote(OpKind kind) {
  return kind == OpKind::verb || kind == OpKind::send || kind == OpKind::call;
}

// Whether the payload does not fit the slot itself.
constexpr bool carries_words(const Verb& verb) {
  return verb.bytes > kByValueBytes || uses_local(verb);
}

struct SimOperation : Operation {
  SimOperation* queue_next = nullptr;  // in the one queue where it waits
  union {
    Qp* qp = nullptr;  // of a verb, or of a message on a connection; null: of neither
    Core* core;        // if holds_core
  };
  NodeId from;               // requester's node
  bool writes = false;       // an atomic in its slot that will write `after`
  bool second_slot = false;  // a wide atomic that waits for, or has, the slot of its second word
  std::uint32_t actor = 0;   // orders its events
  std::uint32_t epoch = 0;   // of its QP, when it was posted
  bool holds_core = false;   // a CPU operation whose actor keeps its core until the end
  BulkState bulk = BulkState::none;
  std::uint8_t ports_left = 0;  // of a bulk payload: shared ports that still carry it
  struct {
    bool landed : 1;     // a message or call that took effect: only its answer was lost
    bool datagram : 1;   // a message without acknowledgement
    bool timed_out : 1;  // a call whose caller got timed_out, while it is still under way
    bool forgotten : 1;  // ... and whose caller gave the slot back
    bool kept : 1;       // a request that came behind a lost one, kept by a selective responder
    bool covered : 1;    // its lost acknowledgement is made up for by a later answer
    bool dropped : 1;    // by a switch, on the way on which it is
    bool waited : 1;     // on that way, for its links or the requester's inbound pipeline
    bool taken_in : 1;   // an answer or acknowledgement that has its place in that pipeline
  } state = {};
  // Drawn when the request leaves: the jitter of the request, and that of the answer.
  std::uint32_t chance_there = 0;
  std::uint32_t chance_back = 0;
  union {
    std::uint32_t retries = 0;  // of a message: attempts that found no RECV
    std::uint32_t peer_life;    // else: life of the target node when it was posted
  };
  std::uint32_t attempts = 0;  // attempts that got no answer
  std::uint32_t wire = 0;      // bytes that have not yet passed all links of their way; 0: none
  std::uint32_t hop = 0;       // of these links, how many they have passed
  Time posted;                 // it does not leave before this date
  union {
    std::uint64_t place = 0;        // order in which it left, on its QP
    std::uint64_t deadline_number;  // of a call; 0: none
  };
  Words after;
  Time slot_entered;       // when it began to wait for its slot
  Time slot_taken;         // when it got the slot
  Time answers_at;         // when its answer could leave if no long one were ahead of it
  Duration paused_before;  // of compute: the pauses of its actor that it has made up for
  // The payload if carries_words() holds; its memory is kept for the next use of the slot.
  std::unique_ptr<std::vector<std::uint64_t>> carried;
};

// Whether a switch has dropped it on this way. It is sent again after that.
inline bool take_dropped(SimOperation& op) {
  const bool dropped = op.state.dropped;
  op.state.dropped = false;
  return dropped;
}

// The node whose RNIC executes a remote operation.
inline NodeId responder_of(const SimOperation& op) {
  if (op.kind == OpKind::verb) return op.verb.addr.node;
  return op.kind == OpKind::send ? op.target.node : op.server;
}

// The slots that operations live in.
class OperationPool {
 public:
  SimOperation& take() {
    SimOperation& op = slots_.take();
    op.clear();
    op.retries = op.attempts = op.wire = op.hop = 0;
    op.state = {};
    if (op.carried) op.carried->clear();
    return op;
  }
  // A call that has timed out keeps its slot until it is no longer under way.
  void recycle(SimOperation& op) {
    if (op.state.timed_out) {
      op.state.forgotten = true;
    } else {
      slots_.give(op);
    }
  }
  std::deque<SimOperation>& all() { return slots_.all(); }  // including free ones
  std::size_t in_use() const { return slots_.in_use(); }

 private:
  Slots<SimOperation> slots_;
};

}  // namespace latchlab::sim

#pragma once
// What is under way: operations, and where they wait.

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
  // Ahead of all others, in their order.
  void push_front(const std::vector<T*>& items) {
    Fifo whole;
    for (T* const item : items) whole.push(item);
    while (!empty()) whole.push(pop());
    *this = whole;
  }
  // For short queues: looks for it from the front.
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

// Things with stable addresses that are used again and again.
template <class T>
class Slots {
 public:
  // A used one is as its last user left it.
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

// A long payload on its way (bulk.h).
enum class BulkState : std::uint8_t { none, waiting, moving, stopping };

// What RNICs do, once the CPU has posted it.
constexpr bool is_remote(OpKind kind) {
  return kind == OpKind::verb || kind == OpKind::send || kind == OpKind::call;
}

// A payload that does not fit the slot itself.
constexpr bool carries_words(const Verb& verb) {
  return verb.bytes > kByValueBytes || uses_local(verb);
}

struct SimOperation : Operation {
  SimOperation* queue_next = nullptr;  // in the one queue where it waits
  union {
    Qp* qp = nullptr;  // a verb's, or a message's connection; null: neither
    Core* core;        // with holds_core
  };
  NodeId from;               // requester's node
  bool writes = false;       // an atomic in its slot: it will write `after`
  bool second_slot = false;  // a wide atomic: it asks for, or has, the slot of its end
  std::uint32_t actor = 0;   // for the order of events
  std::uint32_t epoch = 0;   // its QP's when it was posted
  bool holds_core = false;   // a CPU operation on a core that others may want
  BulkState bulk = BulkState::none;
  std::uint8_t ports_left = 0;  // of a bulk payload: shared ports that still carry it
  struct {
    bool landed : 1;     // a message: its effect is done, only the answer was lost
    bool datagram : 1;   // a message: nobody hears of it
    bool timed_out : 1;  // a call: its caller has been told, while it still is under way
    bool forgotten : 1;  // ... and has given the slot back
  } state = {};
  // Drawn when the request leaves: halves for the way there and the way back.
  std::uint32_t chance_there = 0;
  std::uint32_t chance_back = 0;
  union {
    std::uint32_t retries = 0;  // of a message: for want of a RECV
    std::uint32_t peer_life;    // others: of the node that it is for, when it was posted
  };
  std::uint32_t attempts = 0;  // ... for want of an answer
  Time posted;                 // it is not on its way before this date
  union {
    std::uint64_t place = 0;        // on its QP, counted when it left
    std::uint64_t deadline_number;  // of a call; 0: none
  };
  Words after;
  Time slot_entered;       // from when it waits for its slot
  Time slot_taken;         // and until when
  Time answers_at;         // when its answer could leave, were it not behind a bulk one
  Duration paused_before;  // of compute: its actor's pauses that it has made up for
  // Payloads that carries_words says; kept from one use of the slot to the next.
  std::unique_ptr<std::vector<std::uint64_t>> carried;
};

// At whose RNIC a remote operation is executed.
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
    op.retries = op.attempts = 0;
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
  std::deque<SimOperation>& all() { return slots_.all(); }  // also free ones
  std::size_t in_use() const { return slots_.in_use(); }

 private:
  Slots<SimOperation> slots_;
};

}  // namespace latchlab::sim

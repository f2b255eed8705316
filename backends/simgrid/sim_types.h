#pragma once
// The pieces of the simulated world: operations under way, QPs, NICs, endpoints.

#include <algorithm>
#include <coroutine>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "backends/simgrid/shared_port.h"
#include "backends/simgrid/tag_cache.h"
#include "core/base/ids.h"
#include "core/base/time.h"
#include "core/verbs/operation.h"
#include "core/verbs/sparse_memory.h"
#include "core/verbs/tally.h"

namespace latchlab::sim {

class SimActor;
struct Core;
struct CoreQueue;
struct Qp;
struct SimWait;

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

// A long payload on its way (sim_bulk.cc).
enum class BulkState : std::uint8_t { none, waiting, moving, stopping };

// What an RNIC does, once the CPU has posted it.
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
    Qp* qp = nullptr;  // a verb's
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
  bool landed = false;          // a message: its effect is done, only the answer was lost
  std::uint32_t retries = 0;    // of a message: for want of a RECV
  std::uint32_t attempts = 0;   // ... for want of an answer
  Time posted;                  // it is not on its way before this date
  std::uint64_t place = 0;      // on its QP, counted when it left
  Words after;
  Time slot_entered;       // from when it waits for its slot
  Time answers_at;         // when its answer could leave, were it not behind a bulk one
  Duration paused_before;  // of compute: its actor's pauses that it has made up for
  // Payloads that carries_words says; kept from one use of the slot to the next.
  std::unique_ptr<std::vector<std::uint64_t>> carried;
};

// What a link that was down has swallowed of a QP, until the NIC sends it again (sim_links.cc).
struct Losses {
  std::uint32_t attempts = 0;
  std::vector<SimOperation*> requests;
  std::vector<SimOperation*> answers;  // of what is done
};

// Reliable connection of one owner (an actor, a core or a node) to one node.
struct Qp {
  NodeId to;
  bool broken = false;           // at the responder: an error, of which the requester will hear
  bool stalled = false;          // at the responder: an atomic has not been executed yet
  bool sending_bulk = false;     // a long WRITE is on its way: what is posted later waits
  bool answering_bulk = false;   // a long READ is on its way back
  bool recovering = false;       // something was lost, and will be sent again
  std::uint32_t epoch = 0;       // moves on with an error: what was posted before is flushed
  std::int32_t outstanding = 0;  // READs and atomics in flight
  Fifo<SimOperation> held_back;  // at the requester: for a free place or a fence
  Fifo<SimOperation> behind;     // at the responder: what arrived after the atomic of `stalled`
  Time last_arrival;             // nothing overtakes on the wire
  Time last_completion;
  std::uint64_t places = 0;
  Fifo<SimOperation> answers;      // what is to be answered after a long READ
  std::unique_ptr<Losses> losses;  // null: none so far
};

// Those of one owner that are in use. Most owners have one, and need no table for it.
class QpTable {
 public:
  Qp* find(NodeId to) const {
    if (only_ == nullptr || only_->to == to) return only_;
    if (!others_) return nullptr;
    const auto at = place_of(to);
    return at != others_->end() && (*at)->to == to ? *at : nullptr;
  }
  void add(Qp* qp) {
    if (only_ == nullptr) {
      only_ = qp;
      return;
    }
    if (!others_) others_ = std::make_unique<std::vector<Qp*>>();
    others_->insert(place_of(qp->to), qp);
  }

 private:
  std::vector<Qp*>::iterator place_of(NodeId to) const {
    return std::lower_bound(others_->begin(), others_->end(), to,
                            [](const Qp* qp, NodeId target) { return qp->to < target; });
  }

  Qp* only_ = nullptr;
  std::unique_ptr<std::vector<Qp*>> others_;  // ascending by target
};

struct AtomicSlot {
  bool busy = false;
  Fifo<SimOperation> waiting;
  Time busy_since;      // or since the last reset_stats
  Duration busy_total;  // of holds that have ended
};

inline constexpr std::int64_t kWholeRatePpm = 1'000'000;

// One RNIC: outbound port, inbound pipeline, its PCIe, atomic unit.
struct Nic {
  Time outbound_free;
  Time pipeline_free;
  Time pcie_free;
  std::int64_t qps = 0;                   // in use here, at either end
  std::int64_t rate_ppm = kWholeRatePpm;  // what their contexts leave of port and pipeline
  std::vector<AtomicSlot> slots;
  std::int64_t admitted = 0;         // atomics inside the window
  Fifo<SimOperation> before_window;  // head of line: in arrival order
  Time window_full_since;
  // statistics since reset_stats
  std::uint64_t verbs = 0;
  Duration pipeline_busy;  // includes what is queued, up to pipeline_free
  Duration link_busy;
  Duration window_full;
  Duration slot_wait;
  std::uint64_t slot_waits = 0;
};

struct Endpoint {
  SimActor* owner = nullptr;
  std::uint32_t free_recvs = 0;
  Transport transport = Transport::dc;
  bool gone = false;           // its process has died
  std::vector<Message> queue;  // a few at the most: nobody has more RECVs
};

// Small, because most clients of a large crowd sleep.
struct SimSleep {
  SimActor* actor = nullptr;
  std::coroutine_handle<> waiter;
  std::uint64_t life = 0;  // the actor's when it lay down
};

// What wants a core: the first operation of a batch that is over, a wait or a sleep that is, a call
// that has come in, or (none of them) an actor that begins.
struct Ready {
  SimActor* actor = nullptr;
  SimOperation* first = nullptr;  // or
  SimWait* wait = nullptr;        // or
  SimSleep* sleep = nullptr;      // or, at the end, `call`
  Time since;                     // not before this date
  Duration cost;  // CPU time that handling it takes; it is over by `since` on an idle core
  SimOperation* call = nullptr;
};

// One CPU core: what it is asked for is done in turn, each to its end.
struct Core {
  std::uint32_t order = 0;  // of its events among equal dates
  Time free;
  std::deque<Ready> ready;
  std::uint32_t held = 0;  // CPU operations under way: whoever asked for them goes on with them
  bool scheduled = false;  // its event is under way, or it is running
  CoreQueue* shared = nullptr;  // of a server part: where it finds more
  QpTable qps;                  // with QpOwner::core

  bool idle() const { return !scheduled && held == 0 && ready.empty(); }
};

// The cores of a server part, with one queue for all of them.
struct CoreQueue {
  std::deque<Core> cores;
  std::deque<Ready> waiting;  // while no core is idle, or their actor is paused
  // statistics since reset_stats
  Duration busy;    // includes what is queued, up to each core's `free`
  Duration queued;  // of what has got a core
  std::uint64_t starts = 0;

  // `ready` has got a core.
  void count(const Ready& ready, Time now) {
    busy += ready.cost;
    queued += now - ready.since;
    ++starts;
  }
  // The one that has been idle for longest; null: none is.
  Core* idle_core() {
    Core* best = nullptr;
    for (Core& core : cores)
      if (core.idle() && (best == nullptr || core.free < best->free)) best = &core;
    return best;
  }
};

struct Node {
  NodeId id;
  bool hosts_locks = false;
  bool hosts_clients = false;
  SparseMemory memory;
  Nic nic;
  std::int64_t drift_q60 = 0;  // how much faster than true time its clock runs, times 2^60
  Duration clock_offset;
  Time clock_since;                // drift has added up from here
  std::int64_t nic_drift_ppb = 0;  // of the RNIC's clock against the node's
  Duration nic_clock_offset;
  std::uint64_t device_bytes = 0;            // offsets below lie in the RNIC's memory
  TagCache cache;                            // what of its memory the CPU's cache holds
  std::vector<std::unique_ptr<Core>> cores;  // of clients that share any, or have had a fault
  std::uint32_t clients = 0;                 // added so far
  QpTable qps;                               // with QpOwner::node
  Time state_free;                           // on_node visits run one after the other
  std::unique_ptr<CoreQueue> server_cores;   // null: no server part
  std::vector<Endpoint> endpoints;           // by number - 1
  SimActor* server = nullptr;                // who answers calls
  std::vector<SimActor*> watchers;           // actors with word waits
  bool dead = false;
  std::uint32_t port_cuts = 0;  // the port is down while there are any
  SharedPort egress, ingress;   // of bulk payloads
};

struct SimWait : WaitOperation {
  SimWait* queue_next = nullptr;  // armed: the actor's next, in the order of their start
  bool armed = false;             // registered and not yet over
  bool waking = false;            // over; its coroutine resumes soon
  bool on_core = false;           // ... when a core has time for it
  Time deadline_true;             // of set.deadline
  Time timer_at = kNever;         // earliest timer event that is under way for this slot
};

}  // namespace latchlab::sim

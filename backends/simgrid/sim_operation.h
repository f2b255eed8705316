#pragma once
// What is under way in the simulated world, and where: operations, QPs, NICs, endpoints.

#include <algorithm>
#include <coroutine>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "backends/simgrid/shared_port.h"
#include "core/base/ids.h"
#include "core/base/time.h"
#include "core/scenario/nic.h"
#include "core/verbs/operation.h"
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
  struct {
    bool landed : 1;     // a message: its effect is done, only the answer was lost
    bool datagram : 1;   // a message: nobody hears of it
    bool timed_out : 1;  // a call: its caller has been told, while it still is under way
    bool forgotten : 1;  // ... and has given the slot back
  } state = {};
  std::uint32_t retries = 0;   // of a message: for want of a RECV
  std::uint32_t attempts = 0;  // ... for want of an answer
  Time posted;                 // it is not on its way before this date
  std::uint64_t place = 0;     // on its QP, counted when it left; a call's deadline: its number
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
  bool messages = false;         // SENDs to one endpoint (sim_connections.cc), and no other verbs
  std::uint32_t epoch = 0;       // moves on with an error: what was posted before is flushed
  std::int32_t outstanding = 0;  // READs and atomics in flight
  std::int32_t most = 0;         // ... and how many there can be
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

// One RNIC: its ports, inbound pipeline, PCIe, atomic unit.
struct Nic {
  const NicModel* model = nullptr;
  std::uint32_t host = 0;  // whose port it is, in the platform
  Time outbound_free;
  Time pipeline_free;
  Time pcie_free;
  std::int64_t qps = 0;                   // in use here, at either end
  std::int64_t rate_ppm = kWholeRatePpm;  // what their contexts leave of port and pipeline
  std::vector<AtomicSlot> slots;
  std::int64_t admitted = 0;         // atomics inside the window
  Fifo<SimOperation> before_window;  // head of line: in arrival order
  Time window_full_since;
  std::int64_t pcie_femtoseconds_per_byte = 0;  // 0: no limit
  std::uint32_t port_cuts = 0;                  // the port is down while there are any
  SharedPort egress, ingress;                   // of bulk payloads
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

}  // namespace latchlab::sim

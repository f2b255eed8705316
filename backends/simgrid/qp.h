#pragma once
// Reliable connections: what both ends see of them, and the state that each station
// keeps.

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "backends/simgrid/sim_operation.h"

namespace latchlab::sim {

// State at the requester of one-sided verbs or, on a connection for messages, of SENDs.
class QpSender {
  friend class Requester;
  friend class Messages;
  std::int32_t outstanding_ = 0;  // READs and atomics in flight
  std::int32_t most_ = 0;         // the most that there may be
  std::uint64_t places_ = 0;      // given to what has left, in order
  Fifo<SimOperation> held_back_;  // for room, a fence, or until lost requests leave again
};

// State at the responder.
class QpReceiver {
  friend class Responder;
  bool stalled_ = false;       // an atomic (or a READ in a slot) has not been executed yet
  Fifo<SimOperation> behind_;  // what arrived after it
};

// State of long payloads.
class QpBulk {
  friend class Transfer;
  bool sending_ = false;        // a long WRITE is being sent: later requests wait
  bool answering_ = false;      // a long READ's reply is being sent
  Fifo<SimOperation> answers_;  // answers that have to wait for it

 public:
  bool sending() const { return sending_; }
  bool answering() const { return answering_; }
};

// What was lost on its way, until the NIC sends it again.
class QpLosses {
  friend class Resending;
  struct Lists {
    std::uint32_t attempts = 0;  // on a path that is down
    std::uint32_t repeats = 0;   // after losses of links, since the last answer
    bool dropped = false;        // a link has lost something
    bool by_chance = false;      // a link has lost a request, and nothing else was in the list
    std::vector<SimOperation*> requests;
    std::vector<SimOperation*> answers;  // lost answers of requests that took effect
  };
  bool recovering_ = false;
  Time due_ = kNever;             // of the event that sends again
  std::unique_ptr<Lists> lists_;  // null: nothing was lost so far

 public:
  // The requester sends nothing new until it sends again what was lost.
  bool recovering() const { return recovering_; }
  bool any_request() const { return lists_ != nullptr && !lists_->requests.empty(); }
  bool any_request_before(std::uint64_t place) const {
    return any_request() &&
           std::any_of(lists_->requests.begin(), lists_->requests.end(),
                       [&](const SimOperation* lost) { return lost->place < place; });
  }
};

// Until when the last ones wait for links that are busy, and what came back for the requester's
// inbound pipeline.
class QpOnTheWay {
  friend class Network;
  Time requests_until_{-1};
  Time answers_until_{-1};
  Time taken_in_until_{-1};

 public:
  Time requests_until() const { return requests_until_; }
  Time answers_until() const { return std::max(answers_until_, taken_in_until_); }
};

// A reliable connection from one owner (an actor, a core or a node) to one node or, for messages,
// from an actor to one endpoint. A station's state in it is private to that station; both
// ends see its errors.
struct Qp {
  explicit Qp(NodeId peer, bool for_messages = false) : to(peer), messages(for_messages) {}

  // An error breaks the QP at the responder: what was posted before the requester learns of it is
  // flushed.
  void fail() { broken_ = true; }
  bool refuses(const SimOperation& op) const { return broken_ || !is_current(op); }
  // Whether the requester has learned of no error since the operation was posted.
  bool is_current(const SimOperation& op) const { return op.epoch == epoch_; }
  void admit(SimOperation& op) const { op.epoch = epoch_; }
  // The requester learns that the operation is over; after the first error the QP is connected
  // anew.
  void heard_of(const SimOperation& op) {
    if (op.completion.ok() || !is_current(op)) return;
    ++epoch_;
    broken_ = false;
  }
  // The date of a completion that would come at `date` if it were alone: completions stay in order.
  Time completes(Time date) { return last_completion_ = std::max(last_completion_, date); }
  // The same for the arrival of a request: the wire keeps their order.
  Time arrives(Time date) { return last_arrival_ = std::max(last_arrival_, date); }
  // The latest ones so far, with what waits for links.
  Time last_arrival() const { return std::max(last_arrival_, on_the_way.requests_until()); }
  Time last_completion() const { return std::max(last_completion_, on_the_way.answers_until()); }

  const NodeId to;
  const bool messages;

 private:
  bool broken_ = false;
  std::uint32_t epoch_ = 0;
  Time last_completion_;
  Time last_arrival_;

 public:
  QpSender sender;
  QpReceiver receiver;
  QpBulk bulk;
  QpOnTheWay on_the_way;
  QpLosses losses;
};

// The QPs of one owner. Most owners use one, and need no table for it.
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

}  // namespace latchlab::sim

#pragma once
// The way of verbs between two RNICs: their requests, their answers, and the failures of which
// their requesters hear.
//
// A long payload (a WRITE request or a READ reply of more than BulkSpec::above_bytes) shares the
// bandwidth with others, by shared ports or as SimGrid's flows, and does not delay short payloads,
// whose packets pass between its own. A QP keeps its order: what is posted after a long WRITE
// leaves after it, and what is answered after a long READ returns after it.

#include <algorithm>
#include <cstdint>
#include <set>

#include "backends/simgrid/network.h"
#include "backends/simgrid/platform.h"
#include "backends/simgrid/resending.h"
#include "backends/simgrid/station.h"
#include "core/scenario/topology.h"

namespace latchlab::sim {

// One direction of a port whose rate long payloads share equally: each of n payloads moves at 1/n
// of the rate. Kept in virtual time, which advances at 1/n of real time: a payload is through when
// virtual time has advanced by its length, whichever payloads come and go meanwhile. So an arrival
// or an end costs O(log n). All arithmetic is in integers.
class SharedPort {
 public:
  // `length`: how long the payload takes alone.
  void add(Time now, Duration length, SimOperation* payload);
  void remove(Time now, const SimOperation* payload);  // if it is still in the port
  // Takes a payload that is through by now off the port; nullptr: there is none.
  SimOperation* take_done(Time now);
  // When the next one is through if no payload comes or goes; kNever: the port is idle.
  Time next_done() const;

  Time timer_at = kNever;  // date of the pending event for the next end

 private:
  struct Share {
    std::int64_t end;  // in virtual time
    std::uint64_t sequence;
    SimOperation* payload;
    bool operator<(const Share& other) const {
      return end != other.end ? end < other.end : sequence < other.sequence;
    }
  };
  void advance(Time now);

  std::set<Share> shares_;
  std::int64_t virtual_ = 0;  // in 1/64 ps; 0 whenever the port is idle
  Time reached_;              // the real date of virtual_
  std::uint64_t sequence_ = 0;
};

class Transfer : Station {
 public:
  Transfer(SimContext& context, Platform& platform, Network& network, Resending& resending,
           const BulkSpec& spec)
      : Station(context),
        platform_(platform),
        network_(network),
        resending_(resending),
        spec_(spec),
        ports_(nodes_) {}

  // Whether the operation has a long payload.
  bool carries(const SimOperation& op) const {
    return op.kind == OpKind::verb && op.verb.bytes > spec_.above_bytes &&
           !is_atomic(op.verb.kind) && !nodes_.loops_back(op.from, op.verb.addr.node);
  }
  // Sends the request of a verb. The QP sends nothing else before a long one has left.
  void send(SimOperation& op, Time date) {
    const bool write = op.verb.kind == VerbKind::write;
    if (write && carries(op)) return send_long(op, date);
    const Packets sent = request_packets(owner(op).nic, op.verb);
    network_.deliver(op, network_.depart(op, op.from, op.qp->to, date, sent, op.chance_there));
  }
  // The same for a request that its responder has kept since it arrived behind a lost one: it goes
  // on right after that one has arrived.
  void send_kept(SimOperation& op, Time date) {
    const Time arrives = date + network_.wire(op.from, op.qp->to);
    network_.deliver(op, std::max(arrives, op.qp->last_arrival() + picoseconds(1)));
  }
  // Sends a verb's answer after `extra`, in the order of its QP.
  void answer(SimOperation& op, Duration extra);
  // The same for a verb that has failed, which breaks the QP.
  void fail(SimOperation& op, VerbStatus status);
  // After a path was cut or a node died: stops the payloads that use it.
  void stop_cut();

  // ---- events ----
  void begin_or_stop(SimOperation& op);
  void port_done(SharedPort& port);
  void done(SimOperation& op);
  // A flow of SimGrid has ended.
  void flow_done(SimOperation& op, Time date);

 private:
  struct PortPair {
    SharedPort egress, ingress;
  };

  void send_long(SimOperation& op, Time date);
  NodeId source(const SimOperation& op) const;
  NodeId target(const SimOperation& op) const;
  std::uint32_t wire_bytes(const SimOperation& op) const;
  bool is_stopped(const SimOperation& op) const;
  // True if the answer, which could leave at `date`, is long itself or waits behind a long one.
  bool delays_answer(SimOperation& op, Time date) {
    return (op.qp->bulk.answering_ || op.verb.bytes > spec_.above_bytes) && takes_answer(op, date);
  }
  bool takes_answer(SimOperation& op, Time date);
  void wait_until(SimOperation& op, Time date);
  void push_event(SimOperation& op, Time date);
  void watch(SharedPort& port);
  void release_answers(Qp& qp);
  void take_off(SimOperation& op);
  void give_up(SimOperation& op);

  Platform& platform_;
  Network& network_;
  Resending& resending_;
  const BulkSpec& spec_;
  PerNic<PortPair> ports_;
};

}  // namespace latchlab::sim

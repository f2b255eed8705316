#pragma once
// Messages: endpoints, the three transports, delivery at the receiver, and completion at the
// sender.
//
// - DC: an initiator (one per actor) has one message in flight, pays for each change of target, and
//   completes when the message is acknowledged. If the receiver has no RECV, it answers not-ready,
//   and the sender's NIC tries again.
// - Datagrams complete when they have left.
// - A connection leads from an actor to one endpoint (connections.cc).

#include <cstdint>
#include <deque>
#include <map>
#include <utility>
#include <vector>

#include "backends/simgrid/network.h"
#include "backends/simgrid/qp.h"
#include "backends/simgrid/resending.h"
#include "backends/simgrid/station.h"
#include "core/base/random.h"
#include "core/scenario/topology.h"

namespace latchlab::sim {

struct Endpoint {
  SimActor* owner = nullptr;
  std::uint32_t free_recvs = 0;
  Transport transport = Transport::dc;
  bool gone = false;           // the process of its owner has died
  std::vector<Message> queue;  // short: no endpoint has more entries than RECVs
};

// A message that has arrived and is not in memory yet.
struct Landing {
  Message message;
  EndpointAddr to;
};

class Messages : Station {
 public:
  Messages(SimContext& context, Network& network, Resending& resending,
           const DatagramSpec& datagrams)
      : Station(context),
        network_(network),
        resending_(resending),
        datagrams_(datagrams),
        endpoints_(nodes_) {}

  EndpointAddr open(SimActor& actor, std::uint32_t recv_depth, Transport transport);
  // Null: there is no such endpoint. Waits take messages directly from their own endpoint.
  Endpoint* find(EndpointAddr addr) {
    if (!nodes_.exists(addr.node)) return nullptr;
    std::vector<Endpoint>& all = endpoints_[addr.node];
    return addr.number >= 1 && addr.number <= all.size() ? &all[addr.number - 1] : nullptr;
  }
  void process_died(const SimActor& actor);
  Unreceived unreceived() const;

  void post(SimActor& actor, SimOperation& op, Time date);

  // ---- gates ----
  void arrived(SimOperation& op);  // has left the responder's pipeline
  void landed(Landing& landing);
  void transmit(SimOperation& op);  // sends a message without a connection again
  void completed(SimOperation& op);
  void initiator_ready(SimActor& actor);
  // Sends again what a connection has lost, ahead of messages that were held back since.
  void resend(Qp& connection);

 private:
  // messages.cc
  void post_datagram(SimOperation& op, Time date);
  Time arrival(SimOperation& op, Time date);
  void pump(SimActor& actor);
  void transmit_at(SimOperation& op, Time date);
  void take(SimOperation& op, Endpoint& endpoint);
  void land(const Message& message, Endpoint& endpoint);
  void not_ready(SimOperation& op, Transport transport);
  void fail(SimOperation& op, VerbStatus status);
  Duration way_back(const SimOperation& op) const;
  void answer(SimOperation& op, Time date);
  Time acknowledgement(SimOperation& op, Duration extra);
  // Acknowledges a message that took effect, `extra` later than usual.
  void acknowledge(SimOperation& op, Duration extra);
  void initiator_heard(const SimOperation& op);
  // connections.cc
  Qp& connection(const SimActor& actor, EndpointAddr to);
  void post_connected(const SimActor& actor, SimOperation& op, Time date);
  void leave_connected(SimOperation& op, Time date);
  void release(Qp& connection);
  bool out_of_turn(SimOperation& op);

  Network& network_;
  Resending& resending_;
  const DatagramSpec& datagrams_;
  PerNode<std::vector<Endpoint>> endpoints_;  // by number - 1
  Slots<Landing> landings_;
  std::deque<Qp> qps_;
  std::map<std::pair<std::uint32_t, std::uint64_t>, Qp*> connections_;  // by actor and endpoint
};

}  // namespace latchlab::sim

#pragma once
// Retransmission of what was lost: on paths that are down, by links that lose single packets, or by
// switches whose queues are full.
// Without an acknowledgement the sender's NIC sends again after each ack_timeout, ack_retries
// times; then the verb, and with it its QP, fails. A verb takes effect at most once, however often
// its answer is lost: a verb that fails may have had its effect.
//
// On a QP, what arrives behind a packet that a link has lost shows the loss. A responder refuses
// (or, if the RNIC is selective, keeps) a request that comes behind a lost one, and says so to the
// requester, which sends again at once. An answer that comes behind lost ones makes up for
// acknowledgements of WRITEs and SENDs, and shows the loss of others. Only what is lost with
// nothing behind it takes an ack_timeout; that is how a client with one verb in flight fares.
//
// Retransmission goes back to the first verb without an answer: the requester sends nothing new
// from the moment at which the loss shows, and then everything again in the old order, after all
// that was under way. A NIC cannot tell a dead path from a dead node. While a path is down, nothing
// shows: the requester stops at the first loss, and sends again after each ack_timeout.

#include <optional>
#include <vector>

#include "backends/simgrid/network.h"
#include "backends/simgrid/qp.h"
#include "backends/simgrid/station.h"

namespace latchlab::sim {

class Resending : Station {
 public:
  Resending(SimContext& context, const Network& network) : Station(context), network_(network) {}

  // A request arrives, or an answer comes back, where something may be lost. True if it is lost, or
  // has to wait for what is: it comes again later.
  bool request_lost(SimOperation& op) { return op.qp != nullptr ? lost_on_qp(op) : lost_alone(op); }
  bool answer_lost(SimOperation& op) {
    return op.completion.ok() && (op.qp != nullptr ? answer_lost_on_qp(op) : answer_lost_alone(op));
  }
  // For a station that finds the loss on a QP itself.
  void lose_request(SimOperation& op);
  void lose_answer(SimOperation& op);
  // The responder does not accept it now; the sender's NIC tries again after the pause.
  void refuse(SimOperation& op, Duration pause);

  // What a QP has lost, each list in the order in which it left first.
  using Operations = std::vector<SimOperation*>;
  struct Lost {
    Operations answers;  // of requests that took effect
    Operations requests;
    Duration there;  // until a repeated request reaches a responder that only answers it again
  };

  // ---- gates ----
  // The QP's acknowledgement has not come. Returns what its requester sends again now; nothing if
  // the path is still down, something is still under way, or the NIC gives up.
  std::optional<Lost> take_due(Qp& qp);
  void send_again(SimOperation& op);  // without a QP

 private:
  bool lost_on_qp(SimOperation& op);
  bool answer_lost_on_qp(SimOperation& op);
  bool lost_alone(SimOperation& op);
  bool answer_lost_alone(SimOperation& op);
  // `by_switch`: it has dropped the packet already.
  Dropped request_dropped(const SimOperation& op, bool by_switch) const;
  Dropped answer_dropped(const SimOperation& op, bool by_switch) const;
  void drop_request(SimOperation& op, Dropped which);
  void drop_answer(SimOperation& op, Dropped which);
  void come_behind(SimOperation& op);
  void answer_behind(SimOperation& op);
  void show_request_loss(Qp& qp, const SimOperation& op);
  void show_answer_loss(Qp& qp, const SimOperation& op);
  bool make_up_for(SimOperation& op);
  void flush_old(Qp& qp);
  bool is_settled(Qp& qp);
  static QpLosses::Lists& lists_of(QpLosses& losses);
  static void recover(QpLosses& losses);
  void retry_after(Qp& qp, const SimOperation& op, Duration wait);
  void retry_at(Qp& qp, const SimOperation& op, Time date);
  void fail_all(Qp& qp, const Operations& done, const Operations& again);
  void push(SimOperation& op, Duration after, Gate gate);

  const Network& network_;
};

}  // namespace latchlab::sim

#pragma once
// Retransmission of what was lost on paths that are down. Without an acknowledgement the sender's
// NIC sends again after each ack_timeout, ack_retries times; then the verb, and with it its QP,
// fails. A verb takes effect at most once, however often its answer is lost: a verb that fails may
// have had its effect.
//
// Retransmission goes back to the first verb without an answer: while a QP has lost something, it
// sends nothing new, and then everything again in the old order. A NIC cannot tell a dead path from
// a dead node.

#include <optional>
#include <vector>

#include "backends/simgrid/network.h"
#include "backends/simgrid/qp.h"
#include "backends/simgrid/station.h"

namespace latchlab::sim {

class Resending : Station {
 public:
  Resending(SimContext& context, const Network& network) : Station(context), network_(network) {}

  // A request arrives, or an answer comes back, after a path was down. True if it is lost; then it
  // is sent again later.
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
  // the path is still down, or if the NIC gives up.
  std::optional<Lost> take_due(Qp& qp);
  void send_again(SimOperation& op);  // without a QP

 private:
  bool lost_on_qp(SimOperation& op);
  bool answer_lost_on_qp(SimOperation& op);
  bool lost_alone(SimOperation& op);
  bool answer_lost_alone(SimOperation& op);
  void retry_after(Qp& qp, const SimOperation& op, Duration wait);
  void fail_all(Qp& qp, const Operations& done, const Operations& again);
  void push(SimOperation& op, Duration after, Gate gate);

  const Network& network_;
};

}  // namespace latchlab::sim

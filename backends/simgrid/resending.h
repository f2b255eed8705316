#pragma once
// Retransmission of what was lost on paths that are down. Without an acknowledgement the sender's
// NIC sends again after each ack_timeout, ack_retries times; then the verb, and with it its QP,
// fails. A verb takes effect at most once, however often its answer is lost: a verb that fails may
// have had its effect.
//
// Retransmission goes back to the first verb without an answer: while a QP has lost something, it
// sends nothing new, and then everything again in the old order. A NIC cannot tell a dead path from
// a dead node.

#include <vector>

#include "backends/simgrid/network.h"
#include "backends/simgrid/sim_actor.h"
#include "backends/simgrid/event_queue.h"

namespace latchlab::sim {

class Calls;
class Messages;
class Requester;
class Responder;

// The parts that it uses.
struct ResendingNeeds {
  Timeline& timeline_;
  const Network& network_;
  OperationPool& operations_;
  Requester& requester_;
  Responder& responder_;
  Messages& messages_;
  Calls& calls_;
};

class Resending : ResendingNeeds {
 public:
  explicit Resending(const ResendingNeeds& needs) : ResendingNeeds(needs) {}

  // A request arrives, or an answer comes back. True if it is lost; then this part sends it again.
  bool request_lost(SimOperation& op) {
    return network_.has_failed() && (op.qp != nullptr ? lost_on_qp(op) : lost_alone(op));
  }
  bool answer_lost(SimOperation& op) {
    return network_.has_failed() && op.completion.ok() &&
           (op.qp != nullptr ? answer_lost_on_qp(op) : answer_lost_alone(op));
  }
  // Called by a part that has found the loss on a QP: the request or answer has to be sent again.
  void lose_request(SimOperation& op);
  void lose_answer(SimOperation& op);
  // The responder does not accept it now; the sender's NIC tries again after the pause.
  void refuse(SimOperation& op, Duration pause);

  // ---- events ----
  void resend(Qp& qp);
  void send_again(SimOperation& op);  // without a QP

 private:
  using Operations = std::vector<SimOperation*>;

  bool lost_on_qp(SimOperation& op);
  bool answer_lost_on_qp(SimOperation& op);
  bool lost_alone(SimOperation& op);
  bool answer_lost_alone(SimOperation& op);
  void retry_after(Qp& qp, const SimOperation& op, Duration wait);
  void fail_all(Qp& qp, const Operations& done, const Operations& again);
  void push(SimOperation& op, Duration after, EventKind kind);
};

}  // namespace latchlab::sim

#pragma once
// The stand-in for the network between clients of one node. ShiftLock's testbed (FAST'25, 4.1) has
// its clients on few nodes; so that the locks whose clients talk to each other gain nothing by it,
// a message from the own node is delayed by as much as one from elsewhere takes longer: "when
// receiving", says the paper, which is read here as: it counts as received so much later. What has
// been in the queue for longer is not held back again. The artifact delays when sending instead,
// and Successor alone.

#include "core/coro/task.h"
#include "core/verbs/verbs.h"

namespace latchlab {

// After receiving: whether the message was held back.
inline Task<bool> hold_back(Verbs& verbs, EndpointAddr sender, Time received, Duration delay) {
  if (sender.node != verbs.node() || delay.ps == 0) co_return false;
  const Duration too_early = received + delay - verbs.now();
  if (too_early.ps <= 0) co_return false;
  co_await verbs.sleep(too_early);
  co_return true;
}

// Before sending, as in the artifact.
inline Task<void> delay_sending(Verbs& verbs, EndpointAddr receiver, Duration delay) {
  if (receiver.node != verbs.node() || delay.ps == 0) co_return;
  co_await verbs.sleep(delay);
}

}  // namespace latchlab

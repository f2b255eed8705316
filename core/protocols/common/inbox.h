#pragma once
// A client's endpoint for messages about several locks. A message is selected by its type and lock
// (and generation, where the protocol knows it), never by arrival alone: messages about other locks
// stay queued.

#include <cstdint>

#include "core/coro/task.h"
#include "core/protocols/common/masks.h"
#include "core/verbs/verbs.h"

namespace latchlab {

// The bits of a word that hold EndpointAddr::packed().
inline constexpr std::uint64_t kPackedEndpoint = field_mask(0, 40);

// The widths of `type` leave no padding in what the filters capture (core/base/zero_padding.h).
inline MessageFilter about(LockId lock, std::uint64_t type) {
  return [lock, type](const Message& m) { return m.type == type && m.lock == lock; };
}
inline MessageFilter about(LockId lock, std::uint32_t type, std::uint32_t generation) {
  return [lock, type, generation](const Message& m) {
    return m.type == type && m.lock == lock && m.generation == generation;
  };
}

// A receive whose deadline has passed takes a message that is already queued, and does not wait.
inline WaitAwait poll_inbox(Verbs& verbs, EndpointAddr own, const MessageFilter& filter) {
  return verbs.receive(own, filter, verbs.now());
}

// Makes messages between clients of one node as slow as those over the network. ShiftLock's testbed
// (FAST'25, 4.1) has its clients on few nodes. So that this
// gives no advantage to locks whose clients exchange messages, a message from the own node is
// delayed by the difference to one from another node. The paper says "when receiving", which is
// read here as follows: a message counts as received `delay` after its RECV completed, so that one
// that has been queued for longer is not delayed again. The artifact delays when sending instead,
// and only Successor.

// After receiving. Returns whether the message was delayed.
inline Task<bool> delay_received(Verbs& verbs, EndpointAddr sender, Time received, Duration delay) {
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

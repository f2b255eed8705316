#pragma once
// A client's endpoint for messages about several locks. A message is selected by its type and lock
// (and generation, where the protocol knows it), never by arrival alone: messages about other locks
// stay queued.

#include <cstdint>

#include "core/protocols/common/masks.h"
#include "core/verbs/verbs.h"

namespace latchlab {

// The bits of a word that hold EndpointAddr::packed().
inline constexpr std::uint64_t kPackedEndpoint = field_mask(0, 40);

inline MessageFilter about(LockId lock, std::uint16_t type) {
  return [lock, type](const Message& m) { return m.type == type && m.lock == lock; };
}
inline MessageFilter about(LockId lock, std::uint16_t type, std::uint32_t generation) {
  return [lock, type, generation](const Message& m) {
    return m.type == type && m.lock == lock && m.generation == generation;
  };
}

// A receive whose deadline has passed takes a message that is already queued, and does not wait.
inline WaitAwait poll_inbox(Verbs& verbs, EndpointAddr own, const MessageFilter& filter) {
  return verbs.receive(own, filter, verbs.now());
}

}  // namespace latchlab

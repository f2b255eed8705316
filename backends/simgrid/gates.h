#pragma once
// The gates between the stations of the simulated world: all that a station knows of the stations
// above it. What goes through a gate enters it at the date of an event (event_queue.h) or at once.

#include <cstdint>

namespace latchlab::sim {

// Where an operation, or another subject, enters a station.
enum class Gate : std::uint8_t {
  // by an event
  action,      // an action of Backend::at
  begin,       // an actor's coroutine starts
  arrive,      // a request reaches the responder's NIC
  served,      // a request leaves the inbound pipeline, where it waited for earlier ones
  slot_done,   // an atomic leaves its slot
  complete,    // the requester's CPU sees the completion
  timer,       // a wait's deadline may have come
  woken,       // a wait that is over resumes its coroutine
  local,       // a CPU access, a visit to node state or another operation on the own node is done
  wake_up,     // a sleep is over
  transmit,    // a message without a connection, or a call, is sent again
  send_ready,  // a DCI has been reset and can send again
  bulk,        // a long payload begins, or is stopped
  flow,        // the same, with payloads as flows of SimGrid, whose clock is then at this date
  port_done,   // a shared port may have carried a payload to its end
  bulk_done,   // a long payload has left its ports or its flow
  resend,      // a QP's acknowledgement has not come: its NIC sends again
  send_again,  // the same for a message without a QP, or a call
  core,        // a core may be free
  deadline,    // a call's deadline may have come
  landed,      // a message is in memory, with its completion
  // at once
  received,  // a message or a call has left the pipeline
  sendable,  // a QP may send again what it has held back
  over,      // a remote operation is over: its requester's CPU goes on
  message,   // an actor has got a message
  changed,   // a word has changed for which waits wait
  // at once, when a core has time
  root,   // the actor's coroutine starts
  batch,  // a batch, given by its first operation, is complete
  wait,   // a wait is over
  sleep,  // a sleep is over
  call,   // a call has come in
};

// Passes what goes through a gate to the station behind the gate.
class Gates {
 public:
  virtual void enter(Gate gate, void* subject) = 0;

 protected:
  ~Gates() = default;
};

}  // namespace latchlab::sim

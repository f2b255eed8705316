#pragma once
// mcs: a queue lock that is handed from client to client by messages.
// Source: Mellor-Crummey and Scott (1991) as ShiftLock (FAST'25) 2.4, Algorithm 1 puts it on RDMA:
// the tail in the lock entry, `next` and `flag` as SENDs to the endpoint that the tail names.
//
// Entry    8 bytes (16 with handover_counter)
//   word 0, bits 0-39  TailPtr: endpoint of the last client in the queue (number 24, node 16); 0:
//                      free. Each acquire swaps itself in (masked CAS that compares nothing), the
//                      last release swaps 0 in (masked CAS from itself). The other bits stay 0.
//   word 1             RelCnt, only with handover_counter: +1 (FAA) by each client that hands over
// Messages, about (lock, generation)
//   Successor  to the predecessor, "I come after you", with the sender's endpoint in words[0]; the
//              generation is the number of the sender's acquisition.
//   Handover   to the successor, "it is yours", with the generation of its Successor.
// Acquire  swap the tail. Unless it was 0, send Successor to what it named and await Handover.
// Release  if a Successor has arrived, send Handover. Else CAS the tail from me to 0; if that fails
//          somebody has queued up behind: wait for its Successor, then send Handover.
// Cost     free: 2 round trips, 2 server verbs, no message. Contended: 1 server verb and 2 messages
//          for each pair, a verb more (a CAS that fails) if the Successor is late, and one with
//          handover_counter. First come, first served, by the swaps. Readers lock exclusively.
// Safe     because the swaps form one chain: each client gets as `prev` exactly the client before
//          it, and starts only on that client's Handover, which is sent once.
//          (lock, generation) tells messages apart, though the tail has no room for a generation:
//          a client acquires again only after its release has ended, so it is in a queue once. In
//          one acquisition it is sent one Handover, if it had a predecessor, and acquire waits for
//          it; and one Successor, if somebody swapped the tail between it and its closing CAS: then
//          that CAS fails (or is not tried) and release waits for it. So nothing about this lock is
//          under way to a client whose release has ended. The generation is checked where both know
//          it: a Handover must answer the Successor of the acquisition that waits. Locks held at
//          once do not mix, as messages are found by lock.
// Needs    masked_atomics_8, reliable_messages. No clock assumption. RECVs: two for each lock held
//          or awaited at once (`max_held`), so that a live receiver is never out of them.
// Does not survive the crash of any client that holds or waits: those after it wait for ever, as
//          behind one that forgets to release. A SEND that fails (peer failed, or its RECVs used up
//          by messages that nobody reads) means the same and is not reported: a waiter waits for a
//          Handover that cannot come; a holder has released, and the lock stays with the dead.
// Departures. The paper's CAS and FETCHANDSTORE are masked CAS, as in the artifact: plain verbs
//          have no swap. `intra_node_delay` is not part of the lock, and 0 unless a scenario of
//          ShiftLock's testbed sets it: it stands for the network between clients of one node,
//          whose messages would be too fast. The paper adds 1 us on receiving, the artifact before
//          Successor only (core/protocols/common/intra_node.h).
// Tests: tests/protocols/mcs.

#include "core/protocols/lock.h"

namespace latchlab {
ProtocolEntry mcs_entry();
}  // namespace latchlab

#pragma once
// mcs: a queue lock that is handed from client to client by messages.
// Source: Mellor-Crummey and Scott (1991) as ShiftLock (FAST'25) 2.4, Algorithm 1 puts it on RDMA:
// the tail in the lock entry, `next` and `flag` as SENDs to the endpoint that the tail names.
//
// Entry, 8 bytes (16 with handover_counter)
//   word 0, bits 0-39   TailPtr: endpoint of the last client in the queue (number 24, node 16), or
//                       0 when nobody holds the lock. Swapped in by each client that acquires
//                       (masked CAS that compares nothing), swapped to 0 by the last one's release
//                       (masked CAS that compares it with the releaser).
//   word 0, bits 40-63  unused, never written
//   word 1              RelCnt, only with handover_counter: +1 (FAA) by each client that hands over
//
// Messages, both about (lock, generation)
//   Successor  to the predecessor: "I come after you"; words[0] is the sender's endpoint, the
//              generation is the number of the sender's acquisition.
//   Handover   to the successor: "it is yours"; carries back the generation of its Successor.
//
// Acquire  swap the tail. If it was 0, the lock is held. Else send Successor to what it named, wait
//          for Handover.
// Release  if a Successor has arrived, send Handover. Else CAS the tail from me to 0; if that fails
//          somebody has queued up behind: wait for its Successor, then send Handover.
//
// Cost     free: 2 round trips, 2 server verbs, no message. Contended: 1 server verb and 2 messages
//          for each acquire-release pair, one verb more (a CAS that fails) when the Successor is
//          late, and one more with handover_counter. First come, first served, by the order of the
//          swaps. No shared mode: readers take the lock exclusively.
// Safe     because the swaps form one chain: each client gets as `prev` exactly the client before
//          it, and starts only on that client's Handover, which is sent once.
//          Why (lock, generation) is enough to tell messages apart, though the tail has no room for
//          a generation: a client is in a lock's queue at most once, since it acquires again only
//          after its release has ended. In one acquisition it is sent one Handover, and one only if
//          it had a predecessor: acquire waits for it. It is sent one Successor, and one only if
//          somebody swapped the tail after it and before its closing CAS: then that CAS fails (or
//          is not tried) and release waits for it. So when release ends, nothing about this lock is
//          under way to this client, and what arrives later belongs to a later acquisition. The
//          generation is checked all the same where both sides know it: a Handover must answer the
//          Successor of the acquisition that waits.
//          Locks held at the same time do not mix, as messages are found by lock.
// Needs    masked_atomics_8, reliable_messages. No clock assumption. RECVs: two for each lock that
//          is held or awaited at once (`max_held`), so that a live receiver is never out of them.
// Does not survive the crash of any client that holds or waits. The chain breaks there: whoever
//          comes after it waits for ever. A SEND that fails (peer failed, or its RECVs used up by
//          messages that nobody reads any more) means the same and is not reported: a waiter whose
//          Successor was not delivered keeps its place and waits for a Handover that cannot come; a
//          holder whose Handover was not delivered has released, and the lock stays with the dead.
//          A client that forgets to release blocks its lock likewise.
//
// Departures. The paper writes CAS and FETCHANDSTORE; here both are masked CAS, as in the artifact,
// since plain verbs have no swap. `intra_node_delay` is not part of the lock: it stands for the
// network between two clients that share a node, whose messages would otherwise be too fast. The
// paper adds it when a message is received (here: not before the message's arrival + delay); the
// artifact adds it before Successor, and nowhere else.
//
// Tests: tests/protocols/mcs_test.cc, fifo_test.cc, timed_test.cc,
// tests/planted (mcs_early_handover).

#include "core/protocols/lock.h"

namespace latchlab {

ProtocolEntry mcs_entry();

}  // namespace latchlab

#pragma once
// mcs: a queue lock. Each client hands it to the next client by a message.
// Source: Mellor-Crummey and Scott (1991), as ShiftLock (FAST'25) 2.4, Algorithm 1 adapts it to
// RDMA: the tail is in the lock entry; the writes to `next` and `flag` become the messages
// Successor and Handover, sent to the endpoint that the tail names.
//
// Entry    8 bytes (16 with handover_counter)
//   word | bits | field   | meaning                   | written by
//   0    | 0-39 | TailPtr | endpoint of the last      | acquire: swap to own endpoint (masked CAS
//        |      |         | client in the queue       | that compares nothing); release of the
//        |      |         | (number 24, node 16);     | last client: to 0 (masked CAS that
//        |      |         | 0: free                   | compares with own endpoint)
//   0    | rest |         | always 0                  |
//   1    | all  | RelCnt  | only with                 | each handover: +1 by FAA
//        |      |         | handover_counter          |
// Messages, matched by (lock, generation)
//   Successor  sent to the predecessor: the sender follows it. words[0] is the sender's endpoint,
//              the generation is the number of the sender's acquisition.
//   Handover   sent to the successor: it holds the lock. Repeats the generation of its Successor.
// Acquire  The client swaps the tail. If the old tail was not 0, it sends Successor to the endpoint
//          named there and waits for Handover.
// Release  If a Successor message has arrived, the client sends Handover to its sender. Otherwise
//          it sets the tail from itself to 0 (the closing CAS). If that fails, another client has
//          queued: the client waits for that Successor message, then sends Handover.
// Cost     Free: 2 round trips, 2 server verbs, no message. Contended: 1 server verb and 2 messages
//          for each pair; one more verb (a failed CAS) if the Successor is late, and one more with
//          handover_counter. First come, first served, in the order of the swaps. Readers acquire
//          exclusively.
// Safe     while the server keeps its memory. The swaps form one chain: the old tail that a client
//          reads is exactly the client before it, and it starts only on that client's Handover,
//          which is sent once.
//          (lock, generation) identifies messages although the tail has no room for a generation. A
//          client acquires again only after its release has ended, so it is in a queue once. In one
//          acquisition it receives one Handover, if it had a predecessor, and acquire waits for
//          that. It receives one Successor, if another client swapped the tail before this client's
//          closing CAS; then that CAS fails (or is not tried), and release waits for the Successor.
//          So when a release has ended, no message about the lock is in flight to that client. The
//          generation is checked where both sides know it: a Handover must answer the Successor of
//          the waiting acquisition. Locks held at once do not interfere, because messages are
//          matched by lock.
// Needs    masked_atomics_8, reliable_messages. No clock assumption. RECVs: two for each lock held
//          or awaited at once (`max_held`), so that no receiver runs out of them.
// Does not survive the crash of a client that holds, waits or has its swap in flight: the clients
//          behind it wait for ever, and so does the release of a live client ahead of it whose
//          closing CAS fails. Nor a server that comes back without its memory while clients hold
//          or wait: its entry is free, and a second client acquires. Nor a path to the server that
//          is down for longer than the retries: a swap or a closing CAS that failed may leave the
//          tail at this client, which then queues behind itself, and all wait.
// Failed SENDs  mcs ignores the status. If only the receiving client has died, a SEND is ok, and
//          the message stays unread. If its node or process is dead, or the path to it cut, the
//          sender hears peer_failed after some 0.5 s of its NIC's retries. The message may have
//          arrived; then nothing is lost. Otherwise:
//            Successor: the sender is the tail and waits for a Handover that does not come; its
//                       predecessor, if alive, waits in release for the Successor.
//            Handover:  release returns `released`; the receiver, if alive, and all clients behind
//                       it wait for ever.
// Departures. The paper's CAS and FETCHANDSTORE are masked CAS, as in the artifact, because plain
//          verbs have no swap. `intra_node_delay` is not part of the lock. It models the network
//          between clients of one node, whose messages would be too fast otherwise, and is 0 unless
//          a scenario of ShiftLock's testbed sets it. The paper adds 1 us on receiving, the
//          artifact only before Successor (core/protocols/common/inbox.h).
// Tests: tests/protocols/mcs.

#include "core/protocols/lock.h"

namespace latchlab {
ProtocolEntry mcs_entry();
}  // namespace latchlab

#pragma once
// n_cosed: a distributed queue of writers, with the readers that arrived behind each writer.
// Clients hand the lock over by messages. The word names the last writer and counts the readers
// after it.
// Source: reconstructed. N-CoSED is by Narravula, Mamidala, Vishnu, Vaidyanathan and Panda, "High
// Performance Distributed Lock Management Services using Network-based Remote Atomic Operations"
// (CCGrid'07), whose text was not available. This lock follows
//  * its abstract;
//  * DSLR (SIGMOD'18) 2.2.2 (the halves of the word, queue/notify, messages on conflicts only) and
//    6.1 (4) (CAS for writers, FAA for readers, request and grant messages), which measures it as a
//    baseline;
//  * for the recipients of messages, two versions of the DSLR authors' code
//    (github.com/dongyoungy/rdma_2pc at 152a2a7, src/N-CoSED and src/new_proto4), none of which is
//    copied here.
//
// Entry, 8 bytes
//   bits 32-63  tail: the last writer that asked, as its client number + 1; 0: none. Set by a
//               writer's CAS of the whole word, which sets the other half to 0. Cleared by that
//               writer's release (CAS), unless another writer has asked after it.
//   bits 0-31   readers: shared requests since the tail was set. +1 (FAA) by each reader. Set to 0
//               by the writers' CAS, and by the home (CAS) when all of them have released.
// At home (server part), for each lock: how many readers have reported their release, and the
// writer that waits for them, if any.
// Messages, matched by (lock, generation); the generation is that of the receiver's acquisition, in
// a request that of the sender's
//   type         | from -> to                | meaning
//   AskShared    | reader -> tail found      | the sender follows the receiver
//   AskExclusive | writer -> tail replaced   | the sender follows the receiver and r readers
//   Grant        | tail -> each of them      | the receiver holds the lock. To a reader: where to
//                |                           | report its release (a writer, or the home). To a
//                |                           | writer: how many Releases it has to wait for.
//   Release      | reader -> writer after it | the sender has released
// Calls to the home: Released (a reader has released) and Await (a writer waits until r have).
//
// Writer   CAS of the word from its expected value (free at first) to (own, 0), repeated with the
//          value that the last CAS found. If the replaced value was
//            (0, 0)  free: the writer holds the lock.
//            (0, r)  r readers hold or held the lock: the writer calls Await at the home.
//            (t, r)  the writer sends AskExclusive to t. Grant says that t has released and that r
//                    readers hold the lock; the writer waits for r Releases.
//          Its release: CAS (own, 0) -> (0, 0). If an AskExclusive is there before, or the CAS
//          fails because of a new tail, the writer waits for that AskExclusive and for as many
//          AskShared as it says, and sends Grant to all; these readers report to the new tail. If
//          the CAS fails because of readers, the writer repeats it as (own, r) -> (0, r), waits for
//          r AskShared and sends the Grants; these readers report to the home, as later ones do.
// Reader   FAA readers + 1. If the tail is 0, the reader holds the lock, and will report to the
//          home. Otherwise it sends AskShared to the tail and waits for Grant. Its release reports
//          to the recipient that the Grant named: a call or a Release.
// Home     counts releases; answers Await when as many readers have released; and if no writer
//          waits and the word counts exactly the readers that have released, sets it to free
//          (`home_reset`). It answers a reader's call after that.
// Deadlines and DSLR's timeout apply only while a writer repeats its CAS, before it is in the
//          queue. From its CAS or FAA on, other clients depend on it: the word or the client before
//          it names it, and no other client can answer in its place. So the lock is not abortable,
//          and does not resolve deadlocks between several locks. DSLR bounds the number of retries
//          of its baselines (6.1), and the authors' code does so at the same place; the bound here
//          is a time, after which the acquisition ends as Aborted{too_many}.
//
// Cost     Writer, free: 2 round trips, 2 server verbs, no message. Reader, free: 2 round trips,
//          FAA and a call (and an atomic of the home to itself). Writer after writer: at least 2
//          CAS (the first one fails), 2 messages, and a failed CAS if the release does not know of
//          the successor yet. Reader behind a writer: FAA and 3 messages, or 2 and a call if no
//          writer follows it. Writer after readers: 2 CAS and a call.
// Fair     First come, first served in the queue; the readers between two writers acquire together.
//          A writer's CAS may fail for ever while other clients arrive (DSLR 2.2.2, A.1), so no
//          bound is claimed.
// Safe     Every change of the tail tells its client exactly how many readers came since the
//          previous change, because CAS compares the whole word. The chain of tails is the order of
//          writers. A writer releases by granting to exactly those readers and the next writer, and
//          that writer waits for exactly these readers. Readers at tail 0 are counted at home, and
//          the writer that ends this period waits for as many. The home's count belongs to one such
//          period: the next begins when that writer has released, after its Await. While the home's
//          CAS is in flight its count is not final, and it does not answer Await. Early messages
//          stay in the inbox, matched by lock, type and generation. Every message to a client about
//          a lock is awaited before the client's acquisition or release ends: a request by the CAS
//          that has counted it, a Grant by the client that asked, Releases by number. So no message
//          is left over, and messages may overtake each other.
// Needs    reliable_messages, calls. No clock assumption. RECVs: at most two messages from one
//          client about one lock are unread at another client (what ended its last turn, and what
//          begins its next), so 2 x (clients - 1) for each lock held or awaited at once
//          (`max_held`).
// Does not survive the crash of the server (without its memory two clients may hold), or of a
//          client that holds or waits: the clients behind it wait for ever. The status of a failed
//          SEND is ignored, with the same effect (as in mcs). Nor a network that loses the answer
//          to a verb for good: the word then names a client that has given up.
//
// ---- Guesses and departures ----
//  1. Readers of a writer that has released. In the authors' older code the writer's process stays
//     the tail, grants to readers as they ask, counts their Releases, and only then grants to the
//     next writer or frees the word. A client here has no process that answers after its release.
//     It finishes at once: it names the next writer in the Grants, or leaves its readers to the
//     home, (own, r) -> (0, r). This saves one message between the last reader and the next writer.
//  2. (t, r): the authors' code refuses a writer that finds a tail with readers behind it, and the
//     later version also refuses a reader behind such a reader (which takes its FAA back). A queue
//     does not need to.
//  3. The home sets the word to free when the readers have released, as in the authors' code.
//     Whether the paper's home does is unknown. Without it (`home_reset: false`) the next writer
//     has to ask the home even if no reader holds, and the count rises until then.
//  4. The sources do not mention 2^32 readers without a writer and without a quiet moment between
//     them: the count would overflow into the tail, and all clients would ask a client that is not
//     the tail. Repair: a reader that finds a count of `shared_limit` or more takes its share back
//     and acquires as a writer does, whose CAS sets the count to 0. Each client exceeds the limit
//     at most once, and with a timeout once more for each time that it gives up. shared_limit 0: no
//     limit.
//  5. Endpoints are DC; which transport the paper's messages use is not known.
//  6. The word names clients, not nodes (the authors' later code also has users).
// Not followed in the authors' later code (src/new_proto4), because no lock could be correct with
// it: the receiver answers a request with a Grant when it arrives, whether or not it has released
// (the test is commented out); and a writer's CAS on (0, r) succeeds as if no reader held the lock.
//
// Tests: tests/protocols/n_cosed.

#include "core/protocols/lock.h"

namespace latchlab {
ProtocolEntry n_cosed_entry();
}  // namespace latchlab

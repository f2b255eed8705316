#pragma once
// n_cosed: a distributed queue of writers with the readers behind each of them, handed from client
// to client by messages; the word names the last writer and counts the readers after it.
// Source: reconstructed. N-CoSED is of Narravula, Mamidala, Vishnu, Vaidyanathan and Panda, "High
// Performance Distributed Lock Management Services using Network-based Remote Atomic Operations"
// (CCGrid'07), whose text was not at hand. Followed instead: its abstract; DSLR (SIGMOD'18) 2.2.2
// (the halves of the word, queue/notify, messages on conflicts only) and 6.1 (4) (CAS for writers,
// FAA for readers, request and grant messages), which measures it as a baseline; and, for who tells
// whom, what two versions of the DSLR authors' code do (github.com/dongyoungy/rdma_2pc at 152a2a7,
// src/N-CoSED and src/new_proto4). Nothing of that code is here.
//
// Entry, 8 bytes
//   bits 32-63  tail: the last writer that asked, as its client number + 1; 0: none. Swapped in by
//               a writer's CAS of the whole word, which sets the other half to 0. Taken out by its
//               release (CAS), unless somebody has asked after it.
//   bits 0-31   readers: shared requests since the tail was set. +1 (FAA) by each. Set to 0 by the
//               writers' CAS, and by the home (CAS) when all of them have released.
// At home (server part), for each lock: how many readers have said that they released, and the
//   writer that waits for them, if there is one.
// Messages, about (lock, generation of the receiver's acquisition; of the sender's in a request)
//   AskShared     reader -> tail that it found    "I come after you"
//   AskExclusive  writer -> tail that it replaced "I come after you and r readers of yours"
//   Grant         tail -> each of them            "it is yours": to a reader with whom it will have
//                                                 to tell (a writer, or the home); to a writer with
//                                                 how many readers it has to wait for
//   Release       reader -> writer after it       "I have left"
// Calls to the home: Released (a reader has left) and Await (a writer waits until r have).
//
// Writer   CAS the word from what it is thought to be (free at first), to (me, 0), again and again
//          with what the last CAS found. It found
//            (0, 0)  free: it holds the lock.
//            (0, r)  r readers hold or held it: Await their releases at home.
//            (t, r)  AskExclusive of t; Grant says that t has left and r readers are let in; wait
//                    for r Releases.
// Its release: if an AskExclusive is there, or CAS (me, 0) -> (0, 0) fails because of a new tail,
//          then wait for that AskExclusive and for as many AskShared as it says, and Grant all:
//          the readers tell the new tail. If it fails because of readers, CAS (me, r) -> (0, r),
//          wait for r AskShared, Grant them: they tell the home, as those that come later do.
// Reader   FAA readers + 1. Tail 0: it holds the lock, and will tell the home. Else AskShared of
//          the tail, and wait for Grant. Its release tells whom the Grant named: a call or a
//          Release.
// Home     counts; answers Await when as many have released; and when nobody awaits them and the
//          word counts as many, sets it to free (`home_reset`). It answers a reader's call when it
//          has seen to that.
// Deadlines and DSLR's timeout are honoured while a writer's CAS is retried, before it is in the
//          queue, and nowhere else. From its CAS or FAA on others count on it: the word or the
//          client before it names it, and nobody could answer for it once it was gone. So the lock
//          is not abortable; it does not resolve deadlocks between several locks. DSLR bounds the
//          number of retries of its baselines (6.1), and the authors' code does so where we do; the
//          bound here is a time, after which the acquisition ends as Aborted{too_many}.
//
// Cost     writer, free: 2 trips, 2 server verbs, no message. Reader, free: 2 trips, FAA and a call
//          (and an atomic of the home to itself). Writer after writer: 2 CAS at least (the first
//          one fails), 2 messages, and a CAS that fails if the release does not know of it yet.
//          Reader behind a writer: FAA and 3 messages, or 2 and a call if no writer follows it.
//          Writer after readers: 2 CAS and a call.
// Fair     first come, first served among those in the queue, readers between two writers together.
//          A writer's CAS may fail for ever while others come (DSLR 2.2.2, A.1): nothing is
//          claimed.
// Safe     because every change of the tail tells who changes it exactly how many readers came
//          since the last one: CAS compares the whole word. The chain of tails is the order of
//          writers. A writer leaves by granting to exactly those readers and the next writer, and
//          that writer waits for exactly these readers; readers at tail 0 are counted at home, and
//          the writer that ends their time waits for as many. The home's count is of one such time:
//          the next begins when that writer has gone, after its Await. While the home's CAS is
//          under way its count is not final, and Await is not answered. Messages that come early
//          stay in the inbox, found by lock, type and generation. All that is sent to a client
//          about a lock is awaited before its acquisition or its release ends: a request by the CAS
//          that has counted it, a Grant by whoever asked, Releases by number. So nothing is left
//          over, and messages may overtake each other.
// Needs    reliable_messages, calls. No clock assumption. RECVs: of another client at most two
//          messages about a lock are unread at a client (what ended its last turn, and what begins
//          its next), hence 2 x (clients - 1) for each lock held or awaited at once (`max_held`).
// Does not survive the crash of any client that holds or waits, or the server: those after it wait
//          for ever. A SEND that fails means the same and is not reported (as in mcs). Nor a
//          network that loses the answer to a verb for good: the word then names a client that has
//          given up.
//
// ---- Guesses and departures ----
//  1. Readers of a writer that has released. In the authors' older code its process stays the tail,
//     lets readers in as they ask, counts their Releases, and only then grants to the next writer
//     or frees the word. A client has no process that answers for it after its release. Here it
//     ends its part at once: by naming the next writer in the Grants, or by leaving its readers to
//     the home, (me, r) -> (0, r). One message less between the last reader and the next writer.
//  2. (t, r): the authors' code refuses a writer that finds a tail with readers behind it, and the
//     later version also a reader behind such a reader (it takes its FAA back). A queue need not.
//  3. The home sets the word to free when the readers have left: in the authors' code, read from
//     there. Whether the paper's does is unknown; without (`home_reset: false`) the next writer has
//     to ask the home even if nobody is there, and the count rises till then.
//  4. What is known is silent on 2^32 readers with no writer and no quiet moment between them: the
//     count runs over into the tail, and everybody asks a client that is not the tail. Repair: a
//     reader that finds `shared_limit` before it gives its share back and takes the lock as a
//     writer does, whose CAS sets the count to 0. Each client exceeds the limit once at the most,
//     and with a timeout once more for each time that it gives up. shared_limit 0: without.
//  5. Endpoints are DC; what transport the paper's messages use is not known.
//  6. Clients, not nodes, are in the word (the authors' later code has users, too).
// Not followed in the authors' later code (src/new_proto4), as no lock could: a request is answered
// with a Grant when it arrives, whether the receiver has released or not (the test is commented
// out); a writer's CAS on (0, r) succeeds as if no reader held the lock.
//
// Tests: tests/protocols/n_cosed.

#include "core/protocols/lock.h"

namespace latchlab {
ProtocolEntry n_cosed_entry();
}  // namespace latchlab

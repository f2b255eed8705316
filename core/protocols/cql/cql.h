#pragma once
// cql: cooperative queue-notify locking, the lock under DecLock. Clients join a circular queue by
// FAA on a header that only grows; a client that releases reads the queue and wakes the next one.
// Source: "DecLock: A Case of Decoupled Locking for Disaggregated Memory" (arXiv 2505.17641),
// section 4 and appendices A and B; section 6.1 for sizes. We know the authors' code
// (github.com/dracit7/declock, f9d06bf) from a description; none of it is used here.
//
// Entry: 8 bytes, and 8 for each place of the queue (`capacity`). N = 1 + the bits that number the
// places.
//   header, from the highest bit
//     head     the remaining bits    index of the oldest place, never wrapped. Release: + 1
//     size     N bits                places of holders and waiters. Join: + 1, leave: - 1
//     writers  N bits                those of them that write; likewise
//     reset    12 bits               0, or 1 + the client that resets the lock. Set by CAS
//   A join or a leave is one FAA on the header: head may overflow out of the word, size and writers
//   have a bit more than the capacity needs. At the end of a reset the whole header is set to 0 by
//   CAS (or WRITE, header_reset).
//   queue, a word for each place: WRITTEN by the client that has the place, if it has to wait
//     bits 48-63  version: index / capacity, version_bits wide; -1 (all ones): never written
//     bit  40     mode: 1 writes
//     bits 16-39  owner: here a client
//     bits 0-15   time of the request, for locks built on this one; 0 here
//   Initial image: header 0, each place with version -1. Its words do not depend on the address,
//   and a slice can be made without the rest.
// Each node has a word for each lock: how often the lock has been reset, as far as the node knows.
// The node's part stores it, waiting clients watch it. Each node also has the image of an empty
// queue, filled in by its first client that resets a lock.
// Messages, about (lock, reset count)
//   Notify       from a client that releases to the next one, which then holds the lock
//   Reset        from the client that resets the lock to every node's part: count, and address for
//                the answer. Ignored if that client has died (appendix B)
//   Acknowledge  the answer: no client of this node uses the lock any more
//
// Acquire  FAA size + 1, and for a writer writers + 1. A writer that finds size 0, or a reader that
//          finds writers 0, holds the lock. Otherwise its place is head + size as found: it WRITEs
//          its entry there, and waits for Notify.
// Release  FAA head + 1, size - 1, for a writer writers - 1, and READ the queue with the same
//          doorbell. If the queue is then empty, done. A writer wakes its successor, or, if that
//          reads, all readers up to the next writer. A reader wakes its successor if that writes.
//          Other holders are readers without an entry, so a reader has to see as many writers as
//          the header counts before it knows that its successor does not write. Entries of an older
//          version have not been written yet: the client READs header and queue again until they
//          have, or until another reader has left after it, which shows that no writer was next.
// Reset    when a release finds version -1 in use, more places than the queue has (overflow), an
//          entry of a later version than expected, or an entry still missing after `timeout`; and
//          when a waiter's timeout expires.
//          1. CAS `reset` from 0 to oneself. If it is set, another client resets: wait until it is
//             0 and acquire again. If that client is dead, or is this one, cut short by a failing
//             path, CAS it to oneself and go on.
//          2. Cut off dead clients, one of which may have begun this reset. Send Reset to all nodes
//             with a living client. A node's part counts the reset and wakes the node's waiters,
//             which give up. It answers when none of its clients uses the lock, that is has a verb
//             about it under way, or holds it. It does not wait for its dead clients, but cuts them
//             off. The client asks a node that has not answered again when a client has died, and
//             after `timeout` (ud: after `resend`). Like notifications, questions and answers are
//             posted and not awaited: RC retries for half a second to a node that has died and is
//             not known to be dead, and other clients wait for the sender (appendix B: responses of
//             the failed are not awaited).
//          3. Cut off clients that have died since; WRITE the empty queue; CAS the header to 0.
//          Acquisitions that found a reset under way, or were ended by one, return
//          Aborted{recovered} when it is over; releases do nothing more.
// Expired notifications: a Notify of a smaller reset count than the receiver's is ignored.
// Server back: its memory is in its initial state, and so are its locks. What remains is that no
// client takes the new locks for the old ones (appendix B: paused operations are aborted, and all
// locks reset before a new one is executed).
//          1. When a client learns that the server has failed, its acquisition is paused until the
//             server is back, and then returns Aborted{recovered}; a release touches nothing, and
//             is suppressed.
//          2. Before a client uses a lock there, it sends Returned(life) to every node. A node's
//             part answers Cleared when none of its clients uses a lock of the server since an
//             earlier life. This is step 2 of a reset, once for all locks and for all clients of
//             the asking node. A client that has waited for `timeout` returns Aborted{recovered},
//             since the holders that it waits for may wait for other locks that it holds. A client
//             that holds several locks has to release all of them then, and not to ask for the same
//             one again (on_abort: give_back), since it may be the one that all wait for.
//          3. Reset counts of all locks there continue from life * 2^20, as if each had been reset.
//
// Cost     free: 2 round trips, 3 server verbs (FAA; FAA and READ), no message. Contended: FAA and
//          WRITE to acquire; FAA, READ and one message to release, which is posted and not awaited;
//          one READ more each time that an entry is missing. A writer wakes n readers with n
//          messages at once. Reset: a message to each node and back, a few verbs.
// Fair     first come, first served, with readers beside readers; not across a reset.
// Safe     FAA gives each place to one client. A client that holds the lock at once has seen that
//          no client, or no writer, is before it; every other client holds the lock only after a
//          Notify of the one before it. Each index is written once between two resets, and versions
//          tell rounds apart as long as they do not reach -1. A reset ends only when no client uses
//          the lock and no verb about it is under way: a client is `inside` from before the FAA
//          until its entry is written, and from the Notify until the release knows which clients to
//          wake. So no grant, entry or count of an earlier reset count survives, and a Notify
//          carries its own.
//          Nor does a grant of one life of a server coincide with one of the next. A client that is
//          granted a lock in life n + 1 entered after all nodes had answered. A node answers when
//          none of its clients uses a lock of an earlier life, and lets none in there afterwards
//          (`known`). What was posted in an earlier life fails (verbs.h), since each verb that
//          changes the entry is posted right after a look at the life that it is meant for. The
//          holder of the earlier life keeps its lock until it releases: no client can take it away,
//          so the others wait.
// Needs    reliable_messages (ud: datagrams), node_state, local_words, membership, evict; timing
//          for the timeout. No clock assumption: a timeout that comes too early costs a reset.
// Survives nodes that die with their clients, and clients that die alone, at any moment, also in a
//          reset; with a timeout of 0 a death goes unnoticed. With `ud` a lost Notify stops the
//          queue until a waiter's timeout. Survives servers that come back without their memory;
//          requests to one that does not come back end as server_failed. A path that is down for
//          longer than RC retries fails its clients, as if the other end had died, until it is
//          back; then a timeout starts a reset, which repeats its questions, and is begun again if
//          it was cut short.
// Limits   Membership counts a client that is cut off by a path as alive: unlike the paper's
//          coordinator, none here shuts down the clients outside of the largest clique, and a reset
//          waits for their nodes. The lock does not resolve deadlocks between several locks: a
//          client that resets a lock waits for its holders as a writer does, also in a release. So
//          even readers that take two locks in different orders can block each other when versions
//          run out, each resetting at its release the lock that the other still holds (a test shows
//          it). All clients must acquire in one order, and release in the reverse.
// Not abortable: a place in the queue cannot be given back. Deadlines of callers are ignored.
//
// ---- What the paper leaves open or has wrong (profile paper), and what we do instead ----
// Searches find 1 and 2 (verdicts), a test finds 3. 4 is an argument that no search has confirmed:
// it takes a verb that is slower than a whole reset.
//  1. The reset's last WRITE. It may fall into an FAA of a client that comes too early, and be
//     lost: the header keeps its reset ID, and all clients wait for ever. `header_reset`: CAS.
//  2. Which count a notification carries: "the local reset counter value". If the client reads that
//     when it sends, its node may have heard of a reset by then: a notification about the old state
//     then carries the new count, and is accepted as one of the new state. `notification_count`:
//     that of the acquisition.
//  3. An overwritten entry shows by its version only if the later owner's WRITE lands last. In the
//     other order the later owner's entry is lost, and its predecessor waits for it in vain.
//     `overflow`: a release that finds more places than the queue has resets the lock.
//  4. Verbs of dead clients that land after the reset are not mentioned: a late release removes a
//     place that no client has, and a client is then granted the lock beside a holder.
//     `evict_dead`.
//  5. "Clients holding the lock respond after releasing it, others immediately." A client whose FAA
//     was granted may not have seen that yet, and an entry under way may land in the new queue:
//     both count as holding here (every profile). A client that has released does not, even while
//     its Notify is under way, which takes half a second if RC retries it to a dead client.
//  6. A client that takes over a reset may know of fewer resets than nodes to which the dead client
//     spoke. Answers carry the count of the answering node, and the question is repeated with the
//     largest one (every profile).
//  7. "Resets all locks on the failed MN ... ensures that locks are in free states and have no
//     actual holders." That is true of the server's memory at once, but not of its clients: a
//     client that holds a lock when the server fails does not know, and a client that is granted it
//     by the new memory holds it as well (a planted bug shows it). The answers that the reset of
//     each lock collects make the sentence true; one answer of each node for all locks of the
//     server does so as well, before any is used (every profile). The paper does not mention a
//     client that holds locks and only has to release them: it need not be paused.
// Departures of every profile. Nodes answer for their clients: a client reads no messages while it
// works, and the counter is the node's in the paper as well. The reset ID names a client, not a
// node, so that a client that dies alone is recognised. A client that finds a reset under way READs
// the header until it is over before it gives up, instead of coming back at once with an FAA. A
// release that looks again READs header and queue in one verb, not single entries, so that it
// notices a reset. It stops after `timeout`, since a client may have died before it wrote its
// entry. A queue's capacity need not be a power of two.
// Profile artifact: datagrams, no timeout (its coordinator, which is off as shipped, has one of 50
// ms and 1 ms more for each node before: set `timeout`), the successor's entry trusted first, 512
// places. An acquisition that finds no room in the queue resets the lock. A notification carries
// the count that the node knew when the release began: a holder whose node has heard of a reset by
// then finds the reset in the header, and sends none. A client waits for ever for a lost datagram
// (a search finds it: verdicts). Not modelled: 6-byte entries (4 without the locks above; ours are
// words), the reset flag of one bit, answers by FAA on the header which the initiator polls, the
// limit of 8192 looks, a waiter that answers for locks that it holds, versions found to have run
// out in entries that are READ again alone.
//
// Tests: tests/protocols/cql.

#include "core/protocols/lock.h"

namespace latchlab {
ProtocolEntry cql_entry();
}  // namespace latchlab

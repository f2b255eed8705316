#pragma once
// caslock: a reader-writer spinlock in one word. Writers acquire it by CAS. Readers add themselves
// to a count by FAA, and a waiting reader keeps its count in the word.
// Source: the CASLock of DecLock's evaluation (arXiv 2505.17641) 6.1, which calls it a recent
// implementation of the conventional spinlock with reader-writer semantics and cites Chung and
// Zamanian, "Using RDMA for Lock Management" (arXiv 1507.03274, 2015). DecLock gives no further
// details; this lock follows its artifact (github.com/dracit7/declock, c3d0db2, lock/caslock).
//
// Entry, 8 bytes (client.h)
//   bits 63..32  owner: 0, or the client id + 1 of the writer that holds the lock. Set and cleared
//                by that writer's CAS.
//   bits 31..0   count of readers that hold the lock or wait for the owner to release. +1 and -1 by
//                FAA of each reader. `count_bits` makes the count narrower and the owner wider.
//
// Acquire  A writer repeats CAS(0 -> itself, no readers) until it finds 0. A reader issues FAA +1.
//          If the FAA saw no owner, the reader holds the lock. Otherwise its count stays in the
//          word, and it READs until there is no owner.
// Release  A reader issues FAA -1. A writer issues CAS(itself, n readers -> n readers), with n = 0
//          at first and then the count that the failed CAS returned. The CAS fails once for each
//          change of the count between two tries: at most once for each other client, as long as no
//          reader gives up.
// Deadline A writer that gives up leaves nothing behind. A reader that waits withdraws its count by
//          FAA -1, even if the writer may have released meanwhile (the artifact's abort, which no
//          code there calls).
// Backoff  none (as in the artifact): CAS and READs follow immediately. truncated_exponential:
//          SMART's, as in `cas` (common/backoff.h), before every verb after the first one of an
//          acquisition, both CAS and READs; each of them counts as a retry.
//
// Cost     Free: 2 round trips, 2 server verbs, no message, in either mode. Contended: one more CAS
//          for each failed try of a writer, one more READ for each look of a reader, and one more
//          CAS of a releasing writer for each try between which the count changed.
// Safe     A writer acquires only by a CAS that finds 0: no owner and no readers. A reader is
//          counted from its FAA until it releases. If its FAA saw no owner, it has been counted
//          since, so no writer can have acquired. If it waits, its count is in the word when the
//          owner releases, and the owner's CAS keeps the count. Every count that is added is
//          removed once, and the count never exceeds the number of clients, so it does not overflow
//          into the owner (Limits::max_clients).
// Fairness DecLock claims none. The following is derived from the word, and searches agree with it:
//          no writer bypasses a counted reader, which waits for at most one writer, the one that it
//          found. Readers and other writers bypass a writer without bound: its CAS finds 0 only
//          when no reader is counted, so overlapping readers starve all writers, and a writer that
//          backs off longer is overtaken.
// Needs    plain verbs. No clock assumption.
// Does not survive the crash of a client that holds the lock, in either mode, or of a reader that
//          waits: its count stays, and no writer can acquire any more. Nor a carry out of the
//          count, which max_clients excludes: if as many readers as the count has values arrive
//          beside a writer, the owner becomes one more than the writer, whose release then never
//          finds itself.
//
// Departures
//  * The artifact numbers owners from the first client node up; here they are client ids + 1.
//  * The artifact has no deadline and no backoff. Profile `backoff` is not published; it exists for
//    comparison with `cas`.
//  * In the artifact a release that finds another owner would retry for ever. That cannot happen
//    here, and the code does not check for it.
// Guesses: none.
//
// Files: client.h and client.cc (the word and the client part, shared with retry_on_fail).
// Tests: tests/protocols/caslock.

#include "core/protocols/lock.h"

namespace latchlab {
ProtocolEntry caslock_entry();
}  // namespace latchlab

#pragma once
// caslock: a spinlock for readers and writers in one word; writers take it by CAS, readers count
// themselves in by FAA, and wait with their count in the word.
// Source: the CASLock of DecLock's evaluation (arXiv 2505.17641) 6.1, which calls it a recent
// implementation of the conventional spinlock with reader-writer semantics and cites Chung and
// Zamanian, "Using RDMA for Lock Management" (arXiv 1507.03274, 2015). DecLock says no more of it;
// what follows is what its artifact does (github.com/dracit7/declock, c3d0db2, lock/caslock).
//
// Entry, 8 bytes (word.h)
//   bits 63..32  owner: 0, or the client id + 1 of the writer that holds the lock. Set and cleared
//                by that writer's CAS.
//   bits 31..0   count of readers that hold the lock or wait for the owner to leave. +1 and -1 by
//                FAA of each reader. `count_bits` makes it narrower, and the owner wider.
//
// Acquire  A writer: CAS(0 -> itself, no readers), again and again until it finds 0. A reader: FAA
//          +1. If that saw no owner, it has the lock. Else its count stays, is its place, and it
//          READs until there is no owner.
// Release  A reader: FAA -1. A writer: CAS(itself, n readers -> n readers), n = 0 at first and then
//          what the failing CAS has seen. It fails as often as readers come, or give up, between
//          two tries: once for each other client at the most, as long as nobody gives up.
// Deadline A writer has left nothing behind. A reader that waits takes its count back by FAA -1,
//          though the writer may have left meanwhile (the artifact's abort, which nothing calls).
// Backoff  none (as in the artifact): CAS and READs follow at once. truncated_exponential: SMART's,
//          as `cas` has it (common/backoff.h), before every verb after the first one of an
//          acquisition, CAS and READs alike; each of them counts as a retry.
//
// Cost     free: 2 round trips, 2 server verbs, no message, in either mode. Contended: a writer one
//          CAS more for each failed try, a reader one READ more for each look; a writer that leaves
//          one CAS more for each change of the count under its hands.
// Safe     because a writer gets in only by a CAS that finds 0, that is, neither an owner nor a
//          count; and a reader is counted from its FAA until it leaves. One that saw no owner with
//          its FAA is counted since, so that no writer has got in; one that waits has its count in
//          the word when the owner leaves, whose CAS keeps the count. Counts are added and taken
//          back in equal number, and never exceed the number of clients, so that none runs over
//          into the owner (Limits::max_clients).
// Fairness DecLock claims none. What follows from the word, and what searches agree with: no writer
//          bypasses a reader that is counted; it waits for one writer at the most, the one that it
//          found. Writers are bypassed by readers and by other writers without bound: a CAS finds 0
//          only when no reader is left, so that readers who overlap, one always there, starve all
//          writers, and a writer that backs off longer is overtaken.
// Needs    plain verbs. No clock assumption.
// Does not survive the crash of a client that holds the lock, in either mode, or of a reader that
//          waits: its count stays, and no writer gets in any more. Nor a carry out of the count,
//          which its limit excludes: with as many readers beside a writer as the count has values,
//          the owner is one more than the writer, and never finds itself when it leaves.
//
// Departures. The artifact numbers its owners from the first client node up, here they are client
// ids + 1. It knows no deadline and no backoff: profile `backoff` is nobody's, and there to compare
// with `cas`. A release that finds the lock not its own would go on for ever in the artifact; that
// cannot happen here, and is not looked for. Guesses: none.
//
// Files: word.h (the word), client.h and client.cc (the machine, which is retry_on_fail's too).
// Tests: tests/protocols/caslock.

#include "core/protocols/lock.h"

namespace latchlab {
ProtocolEntry caslock_entry();
}  // namespace latchlab

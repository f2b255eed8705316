#pragma once
// retry_on_fail: writers take one word by CAS, readers count themselves in by FAA; whoever meets a
// conflict undoes what it did and tries again, and nobody waits in line.
// Source: Retry-on-Fail, a baseline of DSLR (SIGMOD'18) 6.1, which so names the lock of Chung and
// Zamanian, "Using RDMA for Lock Management" (arXiv 1507.03274, 2015).
//
// Reconstructed. The report itself was not to be had. What is here follows from
//   DSLR 2.2.2, figure 1: the 64-bit word, its upper half for the exclusive owner (CAS), its lower
//     half for the number of shared ones (FA);
//   DSLR 6.1: CAS for exclusive and FA for shared acquisition, retried in all cases of conflict; a
//     timeout, "maximum number of retries", was added to every baseline, and tuned for each run;
//   DSLR A.3: the random backoff after a timeout;
//   the code of DSLR's first author (github.com/dongyoungy/rdma_2pc, 152a2a7, src/new_proto4): what
//     a reader does that finds a writer, by one of two rules, how a writer leaves, that with its
//     random backoff each retry is preceded by a pause, and how many retries its scripts ask for:
//     10 beside this lock where it is not the active one, 10 to 100,000 where it is. Its lock mode
//     simple_retry sets rule `fail`; `poll` is the rule that its DrTM has.
// DecLock's caslock is another implementation of the same report, and differs: its readers stay.
// The machine of both is core/protocols/caslock/client.h; entry and word are those of caslock.
//
// Entry, 8 bytes
//   bits 63..32  owner: 0, or the client id + 1 of the writer that holds the lock. Set by that
//                writer's CAS, cleared by its FAA or CAS (`writer_release`).
//   bits 31..0   count of readers: those that hold the lock, and those whose try has failed and who
//                have not yet taken their count back. +1 and -1 by FAA of each reader.
//
// Acquire  A writer: CAS(0 -> itself, no readers); if that fails, again. A reader: FAA +1; if that
//          saw an owner, FAA -1 and again (`reader_conflict: withdraw`). With `stay` a reader
//          leaves its count and READs until there is no owner, as in caslock. The code's rule
//          `poll` asks whether the FAA saw an owner and no count: that reader takes its count back,
//          READs until there is no owner, without a pause, and begins anew with FAA +1
//          (`first_looks`); in an earlier version, 066a66d, it left its count and entered
//          (`first_stays`). A reader that saw others withdraws.
// Release  A reader: FAA -1. A writer, by `writer_release`:
//            exact     CAS(itself, no readers -> 0) until it succeeds (the code);
//            tracking  CAS(itself, n readers -> n readers) with the n seen last (DecLock artifact);
//            subtract  FAA of -owner: one verb, whatever the count does (ours).
// Backoff  none: tries follow at once (DSLR 6.1). random: before retry c = 1, 2, .. of an
//          acquisition a pause, uniform in [0, min(R * 2^(c-1), L)) (the code).
// Timeout  `timeout_tries` failed tries of an acquisition end it: nothing of it stays in the word,
//          the client sleeps for the random backoff of A.3 (c: timeouts in a row), not beyond the
//          deadline, and ends as Aborted{too_many}, for the caller to try again or to give back
//          what else it holds. 0: never.
// Deadline between two tries, when nothing is in the word; a reader that stays takes its count
//          back.
//
// Cost     free: 2 round trips, 2 server verbs, no message, in either mode. Contended: a writer one
//          CAS more for each failed try, a reader two FAA.
// Safe     as caslock: a writer gets in only when its CAS finds neither owner nor count, a reader
//          only when its FAA finds no owner, and its count is there from then on. A count that is
//          about to be taken back keeps writers out for no reason, and nobody in. FAA of -owner
//          takes away exactly what the writer's CAS had put there.
// Fairness none: readers starve writers (DSLR 3.1, figure 12) and the fast starve the slow (figure
//          13). A reader that has withdrawn has no place, and is bypassed by writers as well.
// Needs    plain verbs. No clock assumption.
// Does not survive the crash of a holder, or of a reader between its two FAA.
//
// ---- A defect of the release as coded (profiles sigmod18, dslr_paper, dslr_code) ----
// Readers that fail hold up the writer that makes them fail: `writer_release`.
//     Writer W holds; readers try all the time. Each of them is counted for about half of the time,
//     between its FAA +1 and its FAA -1. W leaves by a CAS that expects no reader. With k readers
//     trying it finds none in one of 2^k tries, if they try at random; and they do not: atomics on
//     one word are served one after the other, so that those who retry at once fall into step, and
//     W sees the same counts in turn. Until its CAS succeeds all readers fail because W is there.
//     In the simulator a hot lock is lost like this in some runs from 5 clients on, and in most
//     with 80, half of whose operations read: all run at full speed, and nobody finishes anything
//     in 40 ms (scenarios/whatif/held-up.yaml). A search does not find that, since an order in
//     which the CAS succeeds always remains.
//     The timeout of dslr_paper ends it, at a price: readers that sleep leave the word alone.
//     `tracking` does not help: the count changes as much between two CAS of W, and 5 clients hang.
//     Repair: FAA, which cannot fail (`subtract`, profile `repaired`, the default).
//     While readers stay, counts do not change back and forth, and tracking ends; `exact` waits
//     for those that wait for it, until they are timed out, and is refused without a timeout. With
//     `first_looks` one reader of those that arrive is quiet until the writer has left.
// Can a writer's CAS succeed under a stream of readers that fail? Only if it finds neither owner
// nor count, that is, after the owner has left; then readers do not fail any more, but enter. So
// writers wait for a moment without readers at all, failed or not, as DSLR 3.1 says, and nothing
// bounds that.
//
// Departures and guesses
//  * DSLR's figure 12 tells of a writer that repeats its CAS with the count of readers that it has
//    found. What it would do when that succeeds is not said, and its authors' code does not do it;
//    neither is it done here.
//  * In that code a writer's count of failed tries stays at its limit after a timeout until it gets
//    a lock, so that each further failure is a timeout; here it begins anew, as the reader's does
//    there too.
//  * There one counter c serves the pauses between tries and those after timeouts, for a whole
//    transaction; here each has its own, one of an acquisition, the other of timeouts in a row.
//    Pauses there are whole microseconds.
//  * How a writer leaves is said by the code alone. That readers withdraw follows from DSLR 2.2.2,
//    which counts the report among those whose transactions fail on conflict and try again, and is
//    what the code's mode does. DecLock's version of the report has readers that stay and READ.
//  * READs of rule `poll` count as retries in the code, and in 152a2a7 nothing looks at their
//    number; here the tries before and after them count alone. `first_stays` counts each READ.
//  * dslr_paper sleeps after timeouts and not between retries; in the code one flag is for both.
//  * That a release finds the lock not its own ends the process there. It cannot happen here.
//  * timeout_tries of dslr_paper and dslr_code is the script's 10, though the paper varied it for
//    each run. R and L are those of A.3.
//
// Tests: tests/protocols/retry_on_fail; tests/protocols/caslock for the word and its limits.

#include "core/protocols/lock.h"

namespace latchlab {
ProtocolEntry retry_on_fail_entry();
}  // namespace latchlab

#pragma once
// drtm: one word. A writer locks it by CAS, or readers share a lease in it that ends at a given
// time.
// Source: the lock of Wei et al., "Fast In-memory Transaction Processing using RDMA and HTM"
// (SOSP'15), as two evaluations describe it: ShiftLock (FAST'25) 4.1 with its artifact, and DSLR
// (SIGMOD'18) 6.1; and DrTM's published code. Reconstructed: the paper itself was not available.
//
// Entry, 8 bytes. 0: free.
//   bits    | field  | meaning                              | written by
//   0       | locked | a writer holds                       | the writer's CAS, over 0 or an
//           |        |                                      | expired lease
//   1 to 8  | owner  | client id modulo 256, for display    | the same CAS
//   9 to 63 | lease  | end of a read lease in ns of the     | a reader's CAS; stays until a later
//           |        | synchronised clock since the start   | CAS replaces it
//           |        | of the run, lease_bits (55) wide     |
//   The release of a writer sets the word to 0 by CAS or WRITE.
//   55 bits last for 417 days, longer than Time (106). The field never wraps: a CHECK, on in every
//   build, rejects a lease that would end later.
//
// Acquire  CAS(0 -> mine), where `mine` is the locked word with the owner, or a lease that ends
//          `lease` from now. If the CAS fails, it returns the current word. With `now` on the
//          synchronised clock:
//           a lock                         CAS(0 -> mine) again until it succeeds
//           reader, now+needed < end-delta shares the lease: no further verb
//           now > end + delta              the lease has expired: CAS(seen -> mine)
//           reader, a lease in between     CAS(seen -> mine), which ends later (extend); or waits
//           writer, a lease                CAS(0 -> mine) again until now > end + delta
//          `needed` is the larger of `reserve` and AcquireOptions::expected_hold. A waiting reader
//          computes a new end for its lease before less than `needed` is left of the old one. With
//          timeout_tries, that many failed CASes end in a random backoff and Aborted{too_many}.
// Grant    A reader's is valid until end - delta, on the reader's own clock. A writer's is valid
//          until its release. If the lease is over when the reader learns of it, or when it has
//          looked at both clocks to share it, the reader starts again.
// Release  A reader does nothing; the result is `suppressed` if its lease is over. A writer issues
//          CAS(mine -> 0), or WRITE(0).
// Late     A reader that stays beyond its lease holds nothing. DrTM checks this before a
//          transaction commits, and aborts it. Here the grant expires, and the user of the lock
//          stops.
//
// Cost     A reader, free: 1 round trip and server verb (2 over a lease that has expired or is too
//          short), none to release. A writer: 1 (2 over an expired lease), and 1 to release.
//          Contended: one verb per round trip until the owner releases, or the lease ends. No
//          message.
// Safe     Writers exclude each other as in cas. A reader holds the lock only while the word holds
//          its lease or a later one, or held it until after the reader's right ended: a client
//          replaces the lease by anything else only when it has expired. A reader stops when its
//          clocks show end - delta, and the next client starts when its own shows end + delta; each
//          clock is at most delta away from true time. A reader converts to its own clock from a
//          look at both clocks before the CAS (or after it saw the lease that it shares), so that a
//          delayed verb cannot prolong its right: a stalled client, or a verb that lands late, does
//          no harm. A late CAS may restore an expired end, but no client holds by it.
// Needs    timing, synchronised_clock. delta bounds the error of the synchronised clock, how far it
//          and the client's own clock drift apart in a lease, and the rounding to nanoseconds. If
//          the clock reports an error larger than delta, the client that looked at it uses that
//          error as its margin; then nothing is left for drift. reserve must be less than lease -
//          delta, or no lease could be shared. A round trip must be shorter than the lease less the
//          margin, or readers never acquire.
// Survives the crash of readers that hold or wait: leases expire. Does not survive the crash of a
//          writer that holds or whose CAS is in flight (it may land after the crash), or of the
//          server. If a writer's release fails, because its path to the server is cut for longer
//          than RC retries, the lock stays held.
// Fairness None: after a release the first CAS to arrive acquires the lock. With `extend`, readers
//          that keep coming keep a writer out for ever; with `wait` readers and writers compete
//          when a lease has ended. After reads a lock is not free to writers for up to lease +
//          delta, although no client holds it: the price of a release without a verb.
//
// ---- Defects of the published forms, each behind a switch ----
//  1. Truncated ends: mutual exclusion. `epoch: unix_truncated`.
//     The ShiftLock artifact puts nanoseconds since 1970, which need 61 bits, into 55. Each end
//     that is read back lies years in the past: a lease is never valid and always expired. Readers
//     never share, and writers take over at once, beside readers that trust the untruncated end of
//     their own lease. Its DrTM is a test-and-set lock with a second CAS after each reader;
//     ShiftLock measured that, and explained it with clock drift. Found by a search in 5 moves (X
//     S).
//  2. Writers that take over too early: mutual exclusion. `takeover: not_valid`.
//     DrTM's code replaces a lease once it is not valid (now >= end - delta) instead of once it has
//     expired. A writer whose clock is ahead acquires while a reader with a slow clock still holds.
//     Found by a timed search (X S, legs of 40 ns, a lease of 600 ns); on hardware the window is as
//     long as the difference between two clocks.
//
// Guesses
//  * A reader that finds too little left of a lease extends it (DrTM's code: it replaces a lease
//    that is not valid; the ShiftLock artifact waits, DSLR 6.1 retries expired leases:
//    `short_lease`).
//  * Sharing requires `reserve` (artifact, "transaction time").
//  * A grant is valid until end - delta, without subtracting the reserve (the artifact subtracts it
//    here too).
//  * DSLR's timeout_tries (16; DSLR varies it and gives no value), its lease (0.4 ms: DrTM's code
//    for transactions that write) with ShiftLock's delta of 50 us, and that its timeout ends in
//    DSLR's own random backoff.
//
// Departures
//  * A waiting reader keeps the end of its lease for several CASes, as DrTM keeps one for a
//    transaction; the artifact computes one for each.
//  * The word holds the owner, for display; DrTM's code has only a bit, the artifact the node's
//    LID.
//  * The artifact never gives up; DrTM's code exits after 500,000 tries.
//  * While a writer holds, both continue to expect the last lease that they saw expire; here the
//    CAS expects a free word.
//  * The artifact returns grants that are already over; here the reader starts again.
//  * The sources use no margin other than delta, whatever error the clock reports.
//  * With timeout_tries each try is posted by itself, because tries are counted.
//
// Tests: tests/protocols/drtm.

#include "core/protocols/lock.h"

namespace latchlab {
ProtocolEntry drtm_entry();
}  // namespace latchlab

#pragma once
// drtm: one word, locked by a CAS of its owner, or lent to readers until a date.
// Source: the lock of Wei et al., "Fast In-memory Transaction Processing using RDMA and HTM"
// (SOSP'15), as two evaluations have it: ShiftLock (FAST'25) 4.1 with its artifact, and DSLR
// (SIGMOD'18) 6.1; and DrTM's published code. The paper itself was not at hand: reconstructed.
//
// Entry, 8 bytes. 0: free.
//   bit 0         locked: set with the owner by the CAS of a writer, over 0 or an expired lease
//   bits 1 to 8   the owner's client id modulo 256; for people
//   bits 9 to 63  the end of a read lease, lease_bits (55) wide, in nanoseconds of the synchronised
//                 clock since the start of the run: set by the CAS of a reader; it stays until
//                 somebody replaces it
//   All of it becomes 0 by CAS or WRITE of the writer that leaves.
//   55 bits last for 417 days, longer than Time (106). A lease that would end later is not given: a
//   CHECK says so, in every build. The field never wraps.
//
// Acquire  CAS(0 -> mine), where mine is the owner, or an end `lease` from now. Otherwise the CAS
//          has told what is there. With `now` on the synchronised clock:
//            a lock                          CAS(0 -> mine) again until it succeeds
//            a reader, now + needed < end - delta    shares the lease: no verb more
//            now > end + delta               the lease has expired: CAS(that -> mine)
//            a reader, a lease in between    CAS(that -> mine), which ends later (extend); or waits
//            a writer, a lease               CAS(0 -> mine) again until now > end + delta
//          `needed` is the larger of `reserve` and AcquireOptions::expected_hold. A reader that
//          waits dates its lease anew before less than that is left of it.
//          With timeout_tries, so many failed CASes end in a random backoff and Aborted{too_many}.
// Grant    of a reader: valid until end - delta, on its own clock. Of a writer: until it leaves.
//          A reader whose lease is over by the time that it hears of it, or has looked at both
//          clocks to share it, begins anew.
// Release  a reader: nothing; `suppressed` when its lease is over. A writer: CAS(mine -> 0), or
//          WRITE(0).
// Late     A reader that stays beyond its lease holds nothing. DrTM asks for that before a
//          transaction commits, and aborts it; here the grant expires, whoever uses the lock stops.
//
// Cost     a free reader: 1 round trip and server verb (2 over a lease that has expired or is too
//          short), and none to release. A writer: 1 (2 over an expired lease), and 1 to release.
//          Contended: a verb each round trip until the owner leaves, or the lease ends. No message.
// Safe     Writers exclude each other as in cas. A reader is in only while the word holds its lease
//          or a later one, or has held it until after the reader's right was over: whoever puts
//          anything else in its place found it expired. A reader stops when its clocks show
//          end - delta, the taker begins when its own shows end + delta; each is at most delta away
//          from true time. What a reader does with its own clock counts from a look at both clocks
//          from before the CAS (or after it saw the lease that it shares), so that no delay of a
//          verb makes its right longer: a client that stands still, or a verb that lands late, does
//          no harm. An end that has expired may come back by a late CAS; nobody holds by it.
// Needs    timing, synchronised_clock. delta bounds the error of the synchronised clock, how far it
//          and the own one drift apart in a lease, and the rounding to nanoseconds. Where the clock
//          says that its error is larger than delta, that is the margin of whoever looked at it;
//          then nothing is left for drift. reserve less than lease - delta, or no lease could be
//          shared. A round trip shorter than the lease less the margin, or readers never get in.
// Survives the crash of readers, whether they hold or wait: leases run out. Does not survive that
//          of a writer that holds or whose CAS is under way (it may land after its death), or of
//          the server. A writer whose release fails, since its path to the server is cut for longer
//          than RC retries, leaves the lock taken. Not fair: whoever CASes first after a release.
//          With `extend`,
//          readers that keep coming keep a writer out for ever; with `wait` both try their luck
//          when a lease has ended. Locks that were read last are not free to writers for up to
//          lease + delta, though nobody holds them: the price of a release without a verb.
//
// ---- Defects of the published forms, each behind a switch ----
//  1. Ends that are cut off: mutual exclusion. `epoch: unix_truncated`.
//     The ShiftLock artifact puts nanoseconds since 1970, which need 61 bits, into 55. Each end
//     that is read back lies years in the past: a lease is never valid and always expired. Readers
//     never share, writers take over at once, beside readers that trust the uncut end of their own.
//     Its DrTM is a test-and-set lock with a second CAS after each reader, which is what ShiftLock
//     measured and explained with clock drift. Found by a search in 5 moves (X S).
//  2. Writers that come too early: mutual exclusion. `takeover: not_valid`.
//     DrTM's code replaces a lease once it is not valid (now >= end - delta) instead of expired. A
//     writer whose clock is ahead enters while a reader with a slow one still has its right. Found
//     by a search in time (X S, legs of 40 ns, a lease of 600 ns); on hardware the window is
//     as long as two clocks differ.
//
// Guesses: that a reader with too little left extends (DrTM's code: it replaces whatever is not
// valid; the ShiftLock artifact waits, DSLR 6.1 retries expired leases: `short_lease`); that
// sharing asks for `reserve` (artifact, "transaction time"); that a grant is valid until end -
// delta without the reserve (the artifact takes the reserve off here as well); DSLR's timeout_tries
// (16; DSLR varies it and does not say), its lease (0.4 ms: DrTM's code for transactions that
// write) with ShiftLock's delta of 50 us, and that its timeout ends in DSLR's own random backoff.
//
// Departures. A reader that waits keeps the end of its lease for several CASes, as DrTM keeps one
// for a transaction; the artifact computes one for each. Owners are in the word, for people: DrTM's
// code has only a bit, the artifact the node's LID. The artifact never gives up, DrTM's code exits
// after 500,000 tries. While a writer holds, both go on to expect the last lease that they saw
// expire, here a free word; the artifact hands out grants that are over already, here the reader
// begins anew. The sources take no other margin than delta, whatever the clock says of itself. DSLR
// counts timeouts in a row for each lock, here for each client. With timeout_tries each try is
// posted by itself, because they are counted.
//
// Tests: tests/protocols/drtm.

#include "core/protocols/lock.h"

namespace latchlab {
ProtocolEntry drtm_entry();
}  // namespace latchlab

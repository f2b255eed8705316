#pragma once
// cas: a test-and-set lock. A client retries CAS until it succeeds.
// Source: the "CAS lock" of ShiftLock (FAST'25) 2.2 and 2.3. The backoff is SMART's (ASPLOS'24), as
// the ShiftLock artifact ports it, or DSLR's (SIGMOD'18) A.3.
// Entry    8 bytes. 0: free; otherwise the holder's client id + 1. The acquiring client sets it by
//          CAS (plain or masked), the holder clears it by CAS or WRITE.
// Acquire  CAS(0 -> own id + 1) until it succeeds or the caller's deadline has passed, with pauses
//          according to `backoff`.
// Release  CAS(own id + 1 -> 0), or WRITE(0) with `release: write`.
// Backoff
//   none                   the next CAS follows immediately.
//   truncated_exponential  retry k = 0, 1, .. waits min(bound, t0 << min(k, cap_shift)) plus a
//                          jitter in [0, t0). Each client has its own `bound`, which starts at t0.
//                          It is adjusted after every adapt_every_operations acquisitions, at most
//                          once per adapt_interval: it halves when fewer than 10% of the CAS since
//                          the last adjustment were retries, and doubles above 50%.
//   random                 retry c = 1, 2, .. waits a time uniform in [0, min(R * 2^(c-1), L)), R =
//                          backoff_first and L = backoff_bound.
// Profiles
//   smart           SMART's backoff. Its code (madsys-dev/smart, 19ed3fa) counts cycles: t0 = 4096,
//                   a cap of t0 << 10, and an interval of 2400 * 1000 * 20, which its comment calls
//                   1 ms. The factors suggest 2400 cycles per microsecond; then the interval is 20
//                   ms and t0 is 1707 ns.
//   dslr_paper      DSLR's backoff. DSLR uses it after a failed acquisition and has no lock of this
//                   kind.
//   alock_artifact  the spinlock that ALock is compared with: no pause, released by WRITE, and
//                   local locks through loopback.
// Cost     Free: 2 round trips, 2 server verbs, no message. Contended: one more of both for each
//          failed CAS. No shared mode: readers acquire exclusively.
// Safe     CAS is atomic against CAS, so only one client finds 0, and only the holder clears the
//          word. `release: write` needs nothing more. While the lock is held, a CAS that reads the
//          word before the WRITE fails, even if the WRITE falls inside its read-modify-write, and a
//          failing CAS writes nothing that could undo the WRITE. A CAS that reads the word
//          afterwards finds 0.
// Needs    plain verbs; masked_atomics_8 with `masked: true`. No clock assumption.
// Does not survive the crash of a holder: the lock stays held. Not fair: other clients can overtake
//          a client that backs off longer, without bound.
// Departures
//  * The paper does not say how often the bound is adjusted. Profile `paper` checks after every
//    acquisition (SMART has no batches), shiftlock_artifact between batches of 64. SMART's code
//    checks before a pause, within an acquisition, and before it changes the bound it halves the
//    number of coroutines that try at once, down to one; a client here is one coroutine.
//  * DSLR counts consecutive timeouts; here it is failed tries of one acquisition.
//  * The word holds the owner, so that traces can show it, and not 1.
//  * Deadlines: a client that gives up has nothing to undo.
// Tests: tests/protocols/cas.

#include "core/protocols/lock.h"

namespace latchlab {
ProtocolEntry cas_entry();
}  // namespace latchlab

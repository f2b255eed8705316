#pragma once
// cas: a test-and-set lock, retried with CAS until it succeeds.
// Source: ShiftLock (FAST'25) 2.2 and 2.3, whose "CAS lock" it is; the backoff is SMART's
// (ASPLOS'24), in the form in which the ShiftLock artifact ports it, or DSLR's (SIGMOD'18) A.3.
// Entry    8 bytes. 0: free. Otherwise the holder's client id + 1. Set by CAS (plain or masked) of
//          the client that acquires, cleared by CAS or WRITE of the holder.
// Acquire  CAS(0 -> me) until it succeeds or the caller's deadline has passed, with pauses as
//          `backoff` says. Release: CAS(me -> 0), or WRITE(0) with `release: write`.
// Backoff  none: the next CAS follows at once. truncated_exponential: retry k = 0, 1, .. waits
//          min(bound, t0 << min(k, cap_shift)) and a jitter in [0, t0). `bound` is the client's
//          own, starts at t0, and is looked at after adapt_every_operations acquisitions, once in
//          adapt_interval at most: it halves when fewer than 10% of the CAS since then were
//          retries, and doubles above 50%. random: retry c = 1, 2, .. waits for a time that is
//          uniform in [0, min(R * 2^(c-1), L)), R = backoff_first and L = backoff_bound.
// Profiles smart and dslr_paper are this lock with the backoffs of those two sources. SMART's code
//          (madsys-dev/smart, 19ed3fa) counts cycles: t0 = 4096, a cap of t0 << 10, and an interval
//          of 2400 * 1000 * 20, beside which it says 1 ms. At 2400 cycles a microsecond, which that
//          suggests, it is 20 ms, and t0 is 1707 ns. DSLR uses its backoff where an acquisition has
//          failed, and has no lock of this kind. alock_artifact is the spinlock that ALock is
//          measured against: no pause, freed by WRITE, at home through loopback.
// Cost     free: 2 round trips, 2 server verbs, no message. Contended: one more of both for each
//          failed CAS. No shared mode: readers take the lock exclusively.
// Safe     because CAS is atomic against CAS: only one finds 0. Only the holder clears the word.
//          `release: write` needs no more: while the lock is held a CAS that reads the word before
//          the WRITE fails, though the WRITE may fall inside its read-modify-write, and a failing
//          CAS writes nothing that could undo it; a CAS that reads it afterwards finds 0.
// Needs    plain verbs; masked_atomics_8 with `masked: true`. No clock assumption.
// Does not survive the crash of a holder (the lock stays taken), and is not fair: a client that
//          backs off longer can be overtaken without bound.
// Departures. The paper does not say how often the bound is looked at: profile `paper` asks after
//          every acquisition (SMART has no batches), the artifact's between batches of 64. SMART's
//          code asks before a pause, within an acquisition, and halves the number of coroutines
//          that try at once, down to one, before the bound moves: a client here is one. DSLR counts
//          timeouts in a row, here it is failed tries of one acquisition. The word holds the owner,
//          for people to read, and not 1. Deadlines: nothing has to be undone.
// Tests: tests/protocols/cas.

#include "core/protocols/lock.h"

namespace latchlab {
ProtocolEntry cas_entry();
}  // namespace latchlab

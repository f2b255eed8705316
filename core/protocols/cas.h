#pragma once
// cas: a test-and-set lock, retried with CAS until it succeeds.
// Source: ShiftLock (FAST'25) 2.2 and 2.3, whose "CAS lock" it is; the backoff is SMART's
// (ASPLOS'24), in the form in which the ShiftLock artifact ports it.
//
// Entry, 8 bytes
//   word 0   0: free. Otherwise the holder's client id + 1. Set by CAS (plain or masked) of the
//            client that acquires, cleared by CAS or WRITE of the holder.
//
// Acquire  CAS(0 -> me). If it fails, pause as `backoff` says and CAS again, until it succeeds or
//          the caller's deadline has passed.
// Release  CAS(me -> 0), or WRITE(0) with `release: write`.
// Backoff  none: the next CAS follows at once.
//          truncated_exponential: retry k = 0, 1, .. waits min(bound, t0 << min(k, cap_shift)) and
//          a jitter in [0, t0). `bound` is the client's own, starts at t0, and is looked at after
//          adapt_every_operations acquisitions, but at most once in adapt_interval: it halves
//          when fewer than 10% of the CAS since then were retries, doubles above 50%.
//
// Cost     free: 2 round trips, 2 server verbs, no message. Contended: one more of both for each
//          failed CAS. No shared mode: readers take the lock exclusively.
// Safe     because CAS is atomic against CAS: only one finds 0. Only the holder clears the word.
//          `release: write` needs no more from memory: a WRITE may fall inside the
//          read-modify-write of an atomic, but while the lock is held every CAS that reads the word
//          before the WRITE fails, and a failing CAS writes nothing that could undo the WRITE; a
//          CAS that reads it afterwards finds 0.
// Needs    nothing beyond plain verbs; masked_atomics_8 with `masked: true`. No clock assumption.
// Does not survive the crash of a holder (the lock stays taken), and is not fair: a client that
//          backs off longer can be overtaken without bound.
//
// Departures. The paper does not say how often the bound is looked at in its own runs; profile
// `paper` asks after every acquisition (SMART has no batches), `shiftlock_artifact` between batches
// of 64, as the code does. The word holds the owner, where the artifact stores 1: same verbs, and
// people can read it. Acquisitions can be given up at a deadline; nothing has to be undone.
//
// Tests: tests/protocols/cas_test.cc, timed_test.cc, tests/planted (cas_release_*).

#include "core/protocols/lock.h"

namespace latchlab {

ProtocolEntry cas_entry();

}  // namespace latchlab

#pragma once
// static_segments: an object is cut into segments of one size, each with a DSLR lock of its own.
// Source: CITRON (FAST'23) 2.2 and Table 1 (SS): segments with a mutex each, as
// far as those lines go. The lock of a segment is `dslr` (core/protocols/dslr/dslr.h), repaired.
//
// Entry, 8 bytes for each segment: that of dslr.
//   Segment i is units [i x segment, (i+1) x segment); the last one has all units from there on, so
//   that no range is out of bounds, and the whole object is all segments.
//
// Acquire  take the segments that the range has units of, in ascending order, each as dslr does.
//          When one is refused (dslr: a repair, or a server that fails), give back those taken, and
//          so is the range.
// Release  of all segments at once (`releases: together`), or one after the other. A segment whose
//          lease is over by then is freed by CAS, unless a client has repaired it meanwhile
//          (`late_release: unless_repaired`). With dslr's own rule, `suppress` (profile
//          `suppressed`), it stays taken: a client that waits for it repairs it after two leases,
//          and without one nothing frees it.
// Lease    of the range: the shortest of its segments'. It begins when the first segment is taken,
//          though later ones are still waited for. If it is over when another one is taken, the
//          segments are given back, and the range is refused (`recovered`): to be asked for again.
//
// Cost     dslr's, once for each segment: trips to acquire n of them, n verbs to release.
// Safe     because two ranges that overlap have units of a segment in common, or are both beyond
//          the last one, which has them all; and dslr gives a segment to one writer, or to readers.
//          No deadlock: everybody takes segments in the same order, and holds no others of this
//          object. Sections that want several ranges of an object must ask for them in order.
// Needs    as dslr: timing, unless lease is 0.
// Survives as dslr: the crash of clients, and clients that stand still.
// Unfair   dslr serves each segment first come, first served; a range of many segments is served
//          behind all who come to later segments while it waits for earlier ones.
//
// Assumed  That release does not wait between segments: the paper says nothing of it. That both
//          modes are dslr's: the paper's ranges are exclusive, and so are its experiments.
// Departures none known; the paper has three lines on it.
//
// Tests: tests/protocols/static_segments.

#include "core/protocols/lock.h"

namespace latchlab {
ProtocolEntry static_segments_entry();
}  // namespace latchlab

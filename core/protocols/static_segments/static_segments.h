#pragma once
// static_segments: a range lock. An object is cut into segments of one size, each with its own DSLR
// lock.
// Source: CITRON (FAST'23) 2.2 and Table 1 (SS): segments with a mutex each. The paper has three
// lines on it. The lock of a segment is `dslr` (core/protocols/dslr/dslr.h), repaired.
//
// Entry    8 bytes for each segment: the entry of dslr. Segment i is units [i x segment, (i+1) x
//          segment). The last segment has all units from its start on, so that no range is out of
//          bounds. The whole object is all segments. With `parts`, a unit consists of so many
//          parts, of which a segment has `segment`: a unit may have several locks (4.2 has segments
//          of an eighth of a range of one unit, and does not say how).
//
// Acquire  The client acquires the segments of the range in ascending order, each as dslr does. If
//          one acquisition fails (dslr: a repair, or a failed server), it releases those that it
//          has, and the range fails with the same reason.
// Release  All segments at once (`releases: together`), or one after the other. If the lease of a
//          segment is over by then, the client releases it by CAS, unless another client has
//          repaired it meanwhile (`late_release: unless_repaired`). With dslr's own rule,
//          `suppress` (profile `suppressed`), the segment stays held: a waiting client repairs it
//          after two leases, and without a waiting client it is never released.
// Lease    The range's lease is the shortest of its segments' leases. It begins with the first
//          segment, while later segments are still waited for. If it is over when another segment
//          is acquired, the client releases the segments and the range fails with `recovered`; the
//          caller may ask again.
//
// Cost     dslr's for each of n segments: acquisitions one after the other, n verbs to release.
// Safe     Two ranges that overlap have a unit of some segment in common (the last segment has all
//          units beyond its start), and dslr grants a segment to one writer, or to readers. No
//          deadlock: all clients acquire segments in the same order, and hold no other segments of
//          this object. A section that needs several ranges of an object must acquire them in
//          order.
// Needs    as dslr: timing, unless lease is 0.
// Survives as dslr: crashed and stalled clients, as far as safety goes.
// Does not survive
//  * (several segments) a crash, as far as progress goes. A repair takes two leases, in which the
//    lease of the segments before it ends, so that a client which waits for one starts over, and
//    leaves behind what others have to repair. Two clients can keep each other from their ranges
//    for as long as we looked: 0.7 s with leases of 10 ms, sections of three objects and one crash.
// Unfair   dslr serves each segment first come, first served. A range of many segments is served
//          after every client that reaches a later segment while this range waits for an earlier
//          one.
//
// Assumed  Release does not wait between segments: the paper does not mention it. Both modes are
//          dslr's: the paper's ranges are exclusive, as are its experiments.
// Departures: none known.
//
// Tests: tests/protocols/static_segments.

#include "core/protocols/lock.h"

namespace latchlab {
ProtocolEntry static_segments_entry();
}  // namespace latchlab

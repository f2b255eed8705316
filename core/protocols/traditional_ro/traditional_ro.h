#pragma once
// traditional_ro: traditional, in which readers pass writers that wait, a few times.
// Source: "Traditional_RO" of DSLR's evaluation (SIGMOD'18, 6.4), of which is known that it is the
// traditional lock manager with readers that may pass waiting writers at most 10 times.
// Reconstructed from that sentence and from traditional's sources. Guesses: readers pass only while
// readers hold the lock, so that they enter at once; the count is each waiting writer's own, and a
// reader passes all of them or none.
//
// Entry, release, give up, cost, needs, what is not survived: as traditional's
//          (core/protocols/traditional/traditional.h), whose parts these are.
// Acquire  as traditional's, but that a reader that finds the lock held by readers and writers in
//          its queue enters at once, unless the first of them has been passed `max_passes` (10)
//          times. Every writer in the queue has then been passed once more.
// Safe     because who passes joins readers.
// Fair     as traditional, but that readers bypass a waiting writer max_passes times at most: who
//          is first in the queue has been passed most often, and so looking at the first one does.
// Tests: tests/protocols/traditional_ro.

#include "core/protocols/lock.h"

namespace latchlab {
ProtocolEntry traditional_ro_entry();
}  // namespace latchlab

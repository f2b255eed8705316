#pragma once
// traditional_ro: traditional, in which readers pass waiting writers, a limited number of times.
// Source: "Traditional_RO" of DSLR's evaluation (SIGMOD'18, 6.4). It says only that this is the
// traditional lock manager with readers that may pass waiting writers at most 10 times.
// Reconstructed from that sentence and from traditional's sources. Assumptions: readers pass only
// while readers hold the lock, so that they are granted it at once; each waiting writer has its own
// count, and a reader passes all of them or none.
//
// Entry, release, give up, cost, needs, what is not survived: as traditional's
// (core/protocols/traditional/traditional.h), whose parts it uses.
// Acquire  as traditional's, except that a reader that finds the lock held by readers, and writers
//          in its queue, enters at once, unless the first of them has been passed `max_passes` (10)
//          times. Every writer in the queue has then been passed once more.
// Safe     A reader that passes joins readers.
// Fair     as traditional, except that readers bypass a waiting writer at most max_passes times:
//          the first in the queue has been passed most often, so its count suffices.
// Tests: tests/protocols/traditional_ro.

#include "core/protocols/lock.h"

namespace latchlab {
ProtocolEntry traditional_ro_entry();
}  // namespace latchlab

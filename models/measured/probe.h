#pragma once
// verb_probe: what an RNIC's constants are measured with. It is run like a lock, so that it runs
// wherever locks do, and is none: everybody is let in at once, in shared mode, and an acquisition
// is nothing but the verbs that are to be timed. Its latency is theirs, and goodput their rate.
//
// Entry: `addresses` words, `stride` bytes from one to the next; all zero, and they stay so. CAS
//   replaces 0 by 0 and matches, unless it is one that must fail; FAA adds 0.
// Acquire  by `verb`
//   read, write, cas, failing_cas, faa, masked_cas, masked_faa: `outstanding` of them by one
//            doorbell, each at a random address, and their end; or, `detached`, posted one by one
//            without a completion of their own, and the end of all. The first `apart` clients keep
//            to an address of their own instead. READs and WRITEs of more than 16 bytes go into and
//            come from the client's own memory.
//   send     the last `receivers` clients take messages, each RECV by an acquisition; each of the
//            others sends to one of them and waits for the acknowledgement.
//   ping     the same, and whoever has taken a message sends one back, which is waited for.
//   call     the server part answers at once.
//   load, visit: a CPU access to the client's own memory; a visit to its node's state.
// Release  nothing.
// Not in the list of locks: whoever measures registers it.

#include "core/base/result.h"
#include "core/protocols/lock.h"

namespace latchlab {

inline constexpr const char* kProbeName = "verb_probe";

ProtocolEntry verb_probe_entry();

// Adds it to the registry, unless it is there.
Status register_verb_probe();

}  // namespace latchlab

#pragma once
// verb_probe measures an RNIC's constants. It has a lock's interface, so that it runs wherever
// locks run, but excludes nothing: every acquisition succeeds at once, in shared mode, and consists
// only of the verbs to be timed. Its latency is theirs, and goodput is their rate.
//
// Entry: `addresses` words, `stride` bytes apart; they are all zero and stay zero. CAS replaces 0
//   by 0 and matches, unless it is one that must fail; FAA adds 0.
// Acquire, by `verb`:
//   read, write, cas, failing_cas, faa, masked_cas, masked_faa: `outstanding` verbs with one
//            doorbell, each at a random address, and waits for all; or, `detached`, posted one by
//            one without completions of their own, and waits for all. The first `apart` clients
//            each use their own address instead. READs and WRITEs of more than 16 bytes use
//            the client's own memory as buffer. With `read_last`, a READ follows on the same QP.
//   send     the last `receivers` clients receive messages, one RECV per acquisition; each of the
//            other clients sends to one of them and waits for the acknowledgement.
//   ping     the same, but the receiver sends a message back, and the sender waits for it.
//   call     the server part answers at once.
//   load, change, visit: a CPU access to the client's own memory; an exchange by the CPU of a word
//            of the entry, which is on the client's node; a visit to its node's state.
// Release: does nothing.
// Not in the list of locks: the measuring program registers it.

#include "core/base/result.h"
#include "core/protocols/lock.h"

namespace latchlab {

inline constexpr const char* kProbeName = "verb_probe";

ProtocolEntry verb_probe_entry();

// Adds it to the registry unless it is already there.
Status register_verb_probe();

}  // namespace latchlab

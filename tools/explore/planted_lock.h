#pragma once
// planted: a lock that is wrong on purpose, for a class to break. It is not part of the build's
// locks: no list, ranking or scenario contains it.
//
// Entry    8 bytes: the next ticket in the lower, the served ticket in the upper 32 bits. All
//          clients draw tickets by FAA; the holder serves the next one by WRITE.
// Acquire  FAA 1, which returns the ticket. Then READ until that ticket is served.
// Release  READ the word, WRITE it with the upper half incremented.
// Unsafe   because the READ and the WRITE of a release are two verbs, and an atomic is atomic only
//          with other atomics. A ticket drawn in between is lost, or the WRITE is.

namespace latchlab::explore {

inline constexpr const char* kPlantedLock = "planted";

// Registers it, once. Not while another thread looks up protocols.
void register_planted_lock();

}  // namespace latchlab::explore

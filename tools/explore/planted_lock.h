#pragma once
// planted: a lock that is wrong on purpose, for a class to break. It is no lock of the build: no
// list, ranking or scenario knows it.
//
// Entry    8 bytes: the next ticket below, the ticket that is served above, 32 bits each. All
//          clients draw tickets by FAA; the holder calls the next one by WRITE.
// Acquire  FAA 1: what it finds is the ticket. Then READ until that one is served.
// Release  READ the word, WRITE it with one more in the upper half.
// Unsafe   because looking and calling are two verbs, and an atomic's two halves are whole only
//          among atomics. A ticket that is drawn in between is lost, or the call is.

namespace latchlab::explore {

inline constexpr const char* kPlantedLock = "planted";

// Registers it, once. Not while others look up protocols.
void register_planted_lock();

}  // namespace latchlab::explore

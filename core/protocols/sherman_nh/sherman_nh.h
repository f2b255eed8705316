#pragma once
// sherman_nh: sherman without handover. Every client takes the global lock itself.
// Source: "Sherman-NH" of DecLock's evaluation (arXiv 2505.17641, Fig. 17). Its artifact builds it
// from Sherman with USE_LOCAL_LOCK=off: without lock tables on the nodes, so that there is neither
// queue nor handover, and "NH" reads as "no hierarchy". That is the default. `local_queue: true`
// keeps the queue of a node's clients and removes only the handover: profile no_handover, as in
// Deft (github.com/thustorage/deft, of the same group), whose bound of handovers is 0.
// Reconstructed. The entry, assumptions, departures and code are those of sherman
// (core/protocols/sherman/sherman.h).
//
// Acquire  CAS the entry from 0 to the node's number until that succeeds. With the queue: join it
//          first, and wait until the client before has stepped down.
// Release  free the entry, by WRITE or FAA; with the queue: then step down, and tell the first
//          waiting client that it leads.
//
// Cost     free: 2 round trips, 2 server verbs; with the queue also 2 visits to the node's state.
//          Contended: a CAS for each try of each client that wants the lock; with the queue, of one
//          client for each node. Packed locks are freed by FAA, as sherman's.
// Safe     Only a client that found 0 by CAS goes on, and the entry is not 0 until that client
//          frees it. The queue delays clients, and admits none without a CAS.
// Fair     none: the first CAS to find 0 wins. With the queue, first come, first served within a
//          node.
// Needs    masked_atomics_8 unless lock_width is 64bit; with the queue node_state, local_words.
// Does not survive the crash of a holder, or with `unlock_posted` of a client whose unlock has not
// landed; with the queue, a node waits behind a client that dies in it. Nor a server that comes
// back without its memory: two clients may hold then. Tests: tests/protocols/sherman_nh.

#include "core/protocols/lock.h"

namespace latchlab {
ProtocolEntry sherman_nh_entry();
}  // namespace latchlab

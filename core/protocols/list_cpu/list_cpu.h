#pragma once
// list_cpu: ranges in a sorted linked list that the cores of the object's server walk at once.
// Source: LLC of CITRON (FAST'23), Table 1 ("a range lock manager that chains lock entries in a
// lock-free linked list") and 4.1 (servers' CPUs, eRPC, 18 threads); the list is that of Kogan,
// Dice and Issa, "Scalable Range Locks for Scalable Address Spaces and Beyond" (EuroSys'20), its
// exclusive locks. CITRON's code is not public: how requests meet the list is reconstructed.
//
// Entry, calls, cost, safety, crashes: common/range_server/manager.h.
// List     (list.h) the ranges that are held, by their first units. Nothing in it overlaps.
// Acquire  walks from the head, unlinking what is marked on its way, to the place of its range. If
//          it meets a held range, it waits for that holder. Else it links its own: the CAS in which
//          it takes effect.
// Release  marks its node: one step, wherever it is. Then those who wait for this holder walk again
//          from the head, in the order in which they came, and may meet another holder.
// Cores    walk at once: a step is paid beside other requests' steps. That a CAS fails because a
//          neighbour was linked meanwhile, and the walk goes on from there, is not modelled.
//
// Fair     not at all: only holders are in the list, and whoever meets none of them enters before
//          those that wait for some of its units. A wide range can be kept out by narrow ones.
//
// Guesses  (CITRON says nothing) Who meets a holder in EuroSys'20 spins at that node and goes on
//          from there. Here the request is put aside, since threads that spin for clients would
//          leave none to serve their releases; it holds on to no node meanwhile and so walks from
//          the head. Those that wait for one holder are let try in the order in which they came; in
//          EuroSys'20 they race. Who overlaps one that has just been let in goes behind it without
//          a walk (`tries`): in EuroSys'20 it walks on a core of its own and keeps nobody waiting.
//          With `all` each walks and the release pays, which is dear where many wait for one
//          holder.
// Departures. The exclusive lock alone: CITRON's ranges are exclusive. The paper's way for an empty
//          list is a step here, as any link is. Its remedy against starvation is optional and left
//          out. An object that nobody holds or waits for forgets its marked nodes.
//
// Constant `step`: models/cpu/range-structures.yaml (measured: tools/bench ranges).
// Tests: tests/protocols/list_cpu; of what the four have in common, in range_server beside it.

#include "core/protocols/lock.h"

namespace latchlab {
ProtocolEntry list_cpu_entry();
}  // namespace latchlab

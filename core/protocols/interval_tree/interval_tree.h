#pragma once
// interval_tree: ranges that are held or waited for in an interval tree, kept by the CPU of the
// object's server.
// Source: IT of CITRON (FAST'23), Table 1 ("ported from Lustre, in which it is used to manage range
// locks upon file I/O requests") and 4.1; Lustre's range lock (lustre/llite/range_lock.c). CITRON's
// code is not public: how requests meet the tree is reconstructed.
//
// Entry, calls, cost, safety, crashes: common/range_server/manager.h.
// Tree     (tree.h) the ranges of all who hold or wait; who has the same range as others shares its
//          node. (line.h) Each request counts those ahead of it: who were in the tree when it came,
//          and meet its range, whether they hold theirs or wait.
// Acquire  a search for those ahead, then an insertion. With nobody ahead the range is granted.
// Release  an erasure, then a search for those that meet the range: each that came later has one
//          less ahead, and is granted its range when nobody is. So does who withdraws.
// Cores    take turns: Lustre's tree is under one spin lock, held for all of that. Requests for one
//          object go through its tree one at a time, those for others beside them.
//
// Fair     first come, first served among ranges that overlap, as in the source: a request waits
//          for all that came before it. Ranges that do not overlap pass each other. And a range
//          waits for one that waits, though its own units are free: a wide range in the queue holds
//          up others.
//
// Guesses  none on the order: it is Lustre's. A woken task there takes the spin lock once more to
//          see that nobody is ahead; here it has been told, and that costs nothing.
// Departures. An AVL tree where Lustre's is a red-black one: no deeper. Steps of rotations, and of
//          the way from an erased node to its successor, are not counted. Exclusive alone, as the
//          source is: Lustre's readers and writers are in ldlm's extent locks, another lock.
//
// Constant `step`: models/cpu/range-structures.yaml (measured: tools/bench ranges).
// Tests: tests/protocols/interval_tree; of what the four have in common, in range_server beside it.

#include "core/protocols/lock.h"

namespace latchlab {
ProtocolEntry interval_tree_entry();
}  // namespace latchlab

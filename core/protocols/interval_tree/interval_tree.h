#pragma once
// interval_tree: the held and waited-for ranges of an object in an interval tree, in the CPU of the
// object's server.
// Source: IT of CITRON (FAST'23), Table 1 ("ported from Lustre, in which it is used to manage range
// locks upon file I/O requests") and 4.1; Lustre's range lock (lustre/llite/range_lock.c). CITRON's
// code is not public: how requests use the tree is reconstructed.
//
// Entry, calls, cost, safety, crashes: common/range_server/manager.h.
// Tree     (tree.h) the ranges of all requests that hold or wait; requests with equal ranges share
//          a node. (line.h) Each request counts those ahead of it: the ones that were in the tree
//          when it came and whose range overlaps its own, whether they hold or wait.
// Acquire  a search for the requests ahead, then an insertion. If none is ahead the range is
//          granted.
// Release  an erasure, then a search for overlapping ranges: each request that came later has one
//          less ahead, and is granted its range when none is left. A withdrawal does the same.
// Cores    take turns: Lustre's tree is under one spin lock, held for all of that. Requests for one
//          object use its tree one at a time, those for other objects run in parallel.
//
// Fair     first come, first served among ranges that overlap, as in the source: a request waits
//          for all that came before it. Ranges that do not overlap pass each other. A range also
//          waits for an overlapping one that waits, although its own units are free: a wide range
//          in the queue delays others.
//
// Assumptions  None on the order: it is Lustre's. A woken task there takes the spin lock once more
//              to see that no request is ahead; here the client has been told, at no cost.
// Departures. An AVL tree where Lustre's is a red-black one: no deeper. Steps of rotations, and of
// the way from an erased node to its successor, are not counted. Exclusive mode only, as the
// source: Lustre's readers and writers are in ldlm's extent locks, another lock.
//
// Constant `step`: models/cpu/range-structures.yaml (measured: tools/bench ranges).
// Tests: tests/protocols/interval_tree; what the four range servers share, in range_server beside
// it.

#include "core/protocols/lock.h"

namespace latchlab {
ProtocolEntry interval_tree_entry();
}  // namespace latchlab

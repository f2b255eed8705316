#pragma once
// maple_tree: disjoint ranges in a B-tree, kept by the CPU of the object's server.
// Source: MT of CITRON (FAST'23), Table 1 ("a modern data structure dedicated to efficiently
// managing disjoint ranges, ported from Oracle Linux UEK") and 4.1. CITRON's code is not public,
// and the maple tree is a structure, no lock: all that makes a lock of it is reconstructed.
//
// Entry, calls, cost, safety, crashes: common/range_server/manager.h.
// Tree     (b_tree.h) the ranges that are held: a B-tree as wide as the kernel's
//          (include/linux/maple_tree.h: 16 slots a node), not a maple tree. Left out are its types
//          of nodes for small keys, its search for gaps, RCU, and copies of nodes on change.
// Acquire  a search for the place of the range. If it meets a held range, it waits for that holder.
//          Else it is inserted, as mtree_insert_range does, which refuses what overlaps.
// Release  an erasure. Then those who wait for this holder try again from the root, in the order in
//          which they came, and may meet another holder.
// Cores    take turns: writers of a maple tree hold its spin lock. Requests for one object go
//          through its tree one at a time, those for others beside them.
//
// Fair     not at all, as list_cpu: the tree has no room for those who wait.
//
// Guesses  all of the waiting, above: that it is done by holder, and in what order. Each try is a
//          search, paid by the release: dear where many wait for one holder. `tries` says how much
//          of that there is.
// Departures: the tree, see there.
//
// Constant `step`: models/cpu/range-structures.yaml (measured: tools/bench ranges).
// core/protocols/common/range_server/steps.md). Tests: tests/protocols/maple_tree, and
// tests/protocols/range_server.

#include "core/protocols/lock.h"

namespace latchlab {
ProtocolEntry maple_tree_entry();
}  // namespace latchlab

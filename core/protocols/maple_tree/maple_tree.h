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
// Guesses  all of the waiting, above: that it is done by holder, and in what order. Who overlaps a
//          range that has just been let in goes behind it without a search (`tries`). With `all`
//          each searches and the release pays, which is dear where many wait for one holder: with
//          192 clients and ranges of 16 units by zipf 0.9, goodput is a fifth or sixth. Conclusions
//          that rest on this lock are to be drawn with both.
// Departures: the tree, see there.
//
// Constant `step`: models/cpu/range-structures.yaml (measured: tools/bench ranges).
// Tests: tests/protocols/maple_tree; of what the four have in common, in range_server beside it.

#include "core/protocols/lock.h"

namespace latchlab {
ProtocolEntry maple_tree_entry();
}  // namespace latchlab

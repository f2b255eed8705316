#pragma once
// maple_tree: disjoint ranges in a B-tree, in the CPU of the object's server.
// Source: MT of CITRON (FAST'23), Table 1 ("a modern data structure dedicated to efficiently
// managing disjoint ranges, ported from Oracle Linux UEK") and 4.1. CITRON's code is not public,
// and the maple tree is a data structure, not a lock: how it becomes a lock is reconstructed.
//
// Entry, calls, cost, safety, crashes: common/range_server/manager.h.
// Tree     (b_tree.h) the held ranges: a B-tree as wide as the kernel's
//          (include/linux/maple_tree.h: 16 slots a node), not a maple tree. Left out are its node
//          types for small keys, its search for gaps, RCU, and copies of nodes on change.
// Acquire  a search for the place of the range. If it meets a held range that overlaps, it waits
//          for that holder. Otherwise the range is inserted, as by mtree_insert_range, which
//          refuses overlapping ranges.
// Release  an erasure. Then the requests that wait for this holder try again from the root, in the
//          order of arrival, and may meet another holder.
// Cores    take turns: writers of a maple tree hold its spin lock. Requests for one object use its
//          tree one at a time, those for other objects run in parallel.
//
// Fair     not at all, as list_cpu: the tree has no place for waiting requests.
//
// Assumptions  All of the waiting above: that a request waits for a holder, and in what order. A
//              request that overlaps a range that has just been granted waits for it without a
//              search (`tries`). With `all` each searches and the release pays for it, which is
//              expensive where many wait for one holder: with 192 clients and ranges of 16 units by
//              zipf 0.9, goodput is a fifth or sixth. Conclusions that depend on this lock have to
//              be drawn with both.
// Departures: the tree, see there.
//
// Constant `step`: models/cpu/range-structures.yaml (measured: tools/bench ranges).
// Tests: tests/protocols/maple_tree; what the four range servers share, in range_server beside it.

#include "core/protocols/lock.h"

namespace latchlab {
ProtocolEntry maple_tree_entry();
}  // namespace latchlab

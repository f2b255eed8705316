#pragma once
// Updates and lookups of a B+-tree on memory nodes (`workload.kind: index`), in the manner of
// Sherman (SIGMOD'22; DecLock 6.5): each node of the tree is an object with a lock of its own.
//
// Clients keep the inner nodes in a cache of their own, and so know the leaf of a key; levels that
// do not fit are read on the way down, from the highest one on, a READ of a node each. An update
// then locks the leaf exclusively, READs it, and WRITEs the entry back, which a lock that frees
// with a WRITE takes into one doorbell with its release. A lookup READs the leaf and takes no lock:
// Sherman's readers compare versions instead. Left out: that such a reader looks again when a
// writer was under way, and splits and merges of nodes, which are rare beside updates.
//
// The key is drawn by the distribution over all keys; key k is in leaf k / leaf_keys. Of L leaves
// leaf n is lock n; its parent on the first inner level is L + n / fanout, and so on up to the
// root.

#include <cstdint>
#include <memory>
#include <vector>

#include "core/base/random.h"
#include "core/workload/keys.h"
#include "core/workload/parts.h"

namespace latchlab {

Result<std::unique_ptr<PartChooser>> make_index(const PartSetup& setup);

}  // namespace latchlab

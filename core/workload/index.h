#pragma once
// Updates and lookups of a B+-tree on memory nodes (`workload.kind: index`), in the manner of
// Sherman (SIGMOD'22; DecLock 6.5): each node of the tree is an object with its own lock.
//
// Clients cache the inner nodes, and so know the leaf of a key. Levels that do not fit into the
// cache are READ on the way down, from the highest one on, one node each. An update then locks the
// leaf exclusively, READs it, and WRITEs the entry back; a lock that frees with a WRITE posts both
// with one doorbell. A lookup READs the leaf and takes no lock: Sherman's readers compare versions
// instead. Left out: that such a reader READs again if a writer was under way, and splits and
// merges of nodes, which are rare beside updates.
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

#pragma once
// An object store (`workload.kind: object_store`; DecLock 6.5): each section gets or sets one
// object under the object's own lock. A get takes the lock shared and READs the object, a set takes
// it exclusively and WRITEs it; objects are as long as the scenario says, rounded up to 8 bytes.
// Which object is drawn by the distribution, which of both by read_ratio (micro.h); or both are
// what a trace of a cache has (cache_trace.h), whose clients take turns, and whose values are cut
// where an object ends: this is of the latter.

#include <memory>

#include "core/workload/parts.h"

namespace latchlab {

Result<std::unique_ptr<PartChooser>> make_traced_objects(const PartSetup& setup);

}  // namespace latchlab

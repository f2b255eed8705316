#pragma once
// An object store (`workload.kind: object_store`; DecLock 6.5): each section gets or sets one
// object under the object's own lock. A get takes the lock shared and READs the object, a set takes
// it exclusively and WRITEs it; objects are as long as the scenario says, rounded up to 8 bytes.
// Object and operation are drawn by the distribution and by read_ratio (micro.h), or they come from
// the trace of a cache (cache_trace.h), whose clients take turns, and whose values are cut to the
// size of an object. This file is about traces.

#include <memory>

#include "core/workload/parts.h"

namespace latchlab {

Result<std::unique_ptr<PartChooser>> make_traced_objects(const PartSetup& setup);

}  // namespace latchlab

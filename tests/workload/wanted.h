#pragma once
// The answers of a chooser of parts, for tests that look at one answer at a time.

#include "core/workload/parts.h"

namespace latchlab {

inline SectionWanted wanted_of(PartChooser& chooser, ClientId client) {
  SectionWanted wanted;
  chooser.next(client, wanted);
  return wanted;
}

// For sections that request one part.
inline PartWanted part_of(PartChooser& chooser, ClientId client) {
  return wanted_of(chooser, client).parts[0];
}

}  // namespace latchlab

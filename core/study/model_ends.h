#pragma once
// What the files of a point's NICs do not know: constants that are not published, and the ends of
// their ranges.

#include <cstddef>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/scenario/scenario.h"

namespace latchlab {

struct ConstantEnd {
  std::string nic;  // whose: "connectx-5"
  ConstantOrigin origin;
  std::string at;  // one end of the range, as it is written there
};
using ConstantEnds = std::vector<ConstantEnd>;

// Both ends of each constant with a range, but for ends that are its value. One that the user has
// set is not in doubt: that value is wanted. In the order of the NICs' files.
ConstantEnds model_ends(Point point);

std::size_t constants_in(const ConstantEnds& ends);

// A section of a NIC's file: all its constants at the first of their ends, and all at the last.
struct NicSection {
  ConstantEnds ends;
  ConstantEnds low, high;
};
std::vector<NicSection> sections_of(const ConstantEnds& ends);

// The point with these constants at these ends, in every NIC of that name.
Result<Point> with_ends(Point point, const ConstantEnds& ends);

}  // namespace latchlab

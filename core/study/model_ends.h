#pragma once
// Uncertain constants of a point's NICs: those that are not published, at the bounds of their
// ranges.

#include <cstddef>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/scenario/scenario.h"

namespace latchlab {

struct ConstantEnd {
  std::string nic;  // the NIC: "connectx-5"
  ConstantOrigin origin;
  std::string at;  // one bound of the range, as written
};
using ConstantEnds = std::vector<ConstantEnd>;

// Both bounds of each constant with a range, except bounds that equal its value, in the order of
// the NICs' files. Constants that are published or that the user has set are left out.
ConstantEnds model_ends(Point point);

std::size_t constants_in(const ConstantEnds& ends);

// One section of a NIC's file: all its constants at their first bound, and all at their last.
struct NicSection {
  ConstantEnds ends;
  ConstantEnds low, high;
};
std::vector<NicSection> sections_of(const ConstantEnds& ends);

// The point with these constants at these bounds, in every NIC of that name.
Result<Point> with_ends(Point point, const ConstantEnds& ends);

}  // namespace latchlab

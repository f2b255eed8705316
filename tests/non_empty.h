#pragma once
// Ranges for loops in tests: a loop over an empty range checks nothing, so its test would always
// pass.

#include <gtest/gtest.h>

#include <iterator>
#include <utility>

namespace latchlab {

// The range itself, which must have an element.
template <class Range>
Range non_empty(Range&& range) {
  using std::begin, std::end;
  EXPECT_TRUE(begin(range) != end(range)) << "the test loops over nothing";
  return std::forward<Range>(range);
}

}  // namespace latchlab

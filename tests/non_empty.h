#pragma once
// What a test loops over: a loop over nothing looks at nothing, and its test passes whatever the
// code does.

#include <gtest/gtest.h>

#include <iterator>
#include <utility>

namespace latchlab {

// The range itself, which has an element.
template <class Range>
Range non_empty(Range&& range) {
  using std::begin, std::end;
  EXPECT_TRUE(begin(range) != end(range)) << "the test loops over nothing";
  return std::forward<Range>(range);
}

}  // namespace latchlab

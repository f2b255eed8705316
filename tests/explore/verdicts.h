#pragma once
// What tests of the search expect of a verdict.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/non_empty.h"
#include "tools/explore/campaign.h"

namespace latchlab::explore {

inline void expect_sound(const Verdict& verdict) {
  EXPECT_TRUE(verdict.exhausted) << verdict.cut;
  EXPECT_TRUE(verdict.counterexamples.empty())
      << verdict.counterexamples.front().counterexample.text;
}

// The counterexample is found, written, read and replayed.
inline void expect_replayable(const Verdict& verdict, const std::string& told) {
  for (const Trace& trace : non_empty(verdict.counterexamples)) {
    const std::string text = trace_json(trace);
    const Result<Trace> again = parse_trace(text, "some.json");
    ASSERT_TRUE(again.ok()) << again.error().message;
    EXPECT_EQ(trace_json(again.value()), text);
    const Played played = replay(again.value());
    EXPECT_TRUE(played.fits) << played.text;
    EXPECT_THAT(played.text, ::testing::HasSubstr(told));
  }
}

}  // namespace latchlab::explore

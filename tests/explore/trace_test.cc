// Traces that are written, read and replayed are the same.

#include "tools/explore/trace.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "tests/explore/fixture.h"
#include "tests/explore/golden.h"

namespace latchlab::explore {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

Trace parsed(const std::string& text) {
  const Result<Trace> trace = parse_trace(text, "some.json");
  EXPECT_TRUE(trace.ok()) << trace.error().message;
  return trace.ok() ? trace.value() : Trace{};
}

// ---- the traces in golden/ ----

std::vector<std::string> golden_names() {
  std::vector<std::string> names;
  for (const auto& file : fs::directory_iterator(golden_directory()))
    names.push_back(file.path().stem().string());
  std::sort(names.begin(), names.end());
  return names;
}

class Golden : public ::testing::TestWithParam<std::string> {
 protected:
  const std::string text = text_of(golden_directory() / (GetParam() + ".json"));
};

TEST_P(Golden, is_written_as_it_was_read) {
  EXPECT_EQ(trace_json(parsed(text)), text);
}

TEST_P(Golden, ends_as_recorded) {
  const Trace trace = parsed(text);
  const Played played = replay(trace);
  EXPECT_TRUE(played.fits) << played.text;
  EXPECT_THAT(played.text, HasSubstr(name_of(trace.counterexample.violation)));
  EXPECT_EQ(replay(trace).text, played.text);
}

TEST_P(Golden, does_not_fit_if_moves_are_missing) {
  Trace trace = parsed(text);
  trace.counterexample.path.pop_back();
  EXPECT_FALSE(replay(trace).fits);
  trace.counterexample.path.clear();
  EXPECT_FALSE(replay(trace).fits);
}

TEST_P(Golden, is_the_same_if_made_again_from_its_parts) {
  const Trace trace = parsed(text);
  const Trace again = make_trace(trace.setup, trace.facts, trace.counterexample);
  EXPECT_EQ(trace_json(again), text);
}

INSTANTIATE_TEST_SUITE_P(all, Golden, ::testing::ValuesIn(golden_names()), [](const auto& made) {
  std::string name = made.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

// ---- the text of a replay ----

std::string told(const char* name) {
  return replay(parsed(text_of(golden_directory() / name))).text;
}

TEST(Told, names_clients_verbs_fields_and_holders) {
  const std::string text = told("shiftlock-printed.json");
  for (const char* part :
       {"node 1 has the lock\n5 clients on 5 nodes", "client 4 (node 6) reads", "holds: no client",
        "client 2 is at: its critical section\n", "client 2: leaves its critical section\n",
        "masked FAA ", " on node 1 +4096", "entry: epoch=0 readers=0 tail=none releases=0",
        "holds: client ", "message 1 to endpoint 1 of node ", "deadlock: "})
    EXPECT_THAT(text, HasSubstr(part));
}

TEST(Told, names_tickets_and_counters) {
  const std::string text = told("dslr-sigmod18.json");
  for (const char* part : {"dslr, profile sigmod18", "client 0 (node 2) writes reads",
                           "client 1 (node 3) reads writes", "FAA 0x", "nX=0 nS=0 maxX=0 maxS=0"})
    EXPECT_THAT(text, HasSubstr(part));
}

TEST(Told, names_crashes_timeouts_and_all_holders) {
  const std::string text = told("shiftlock-epoch-first.json");
  for (const char* part : {"client 0: DIES", "client 0 is at: dead", "(after a timeout)",
                           "server 1: CPU CAS on node 1", "generation=1",
                           "holds: client 1, client 2", "mutual exclusion: "})
    EXPECT_THAT(text, HasSubstr(part));
}

TEST(Told, numbers_its_moves) {
  const std::string text = told("mcs-crash.json");
  for (const char* part : {"   1.  client 0: ", "   4.  client 0: DIES"})
    EXPECT_THAT(text, HasSubstr(part));
  EXPECT_THAT(text, ::testing::Not(HasSubstr("   5.  ")));
}

// ---- counterexamples are written, read and replayed ----

TEST(Traces, of_every_counterexample_fit) {
  const Campaign campaigns[] = {
      with_crash(about("cas", 2, 2)),
      with_crash(about("mcs", 3, 1)),
      with_sets(about("dslr", 2, 2), {"overtaken=before_turn"}),
      with_sets(with_crash(about("dslr", 2, 2)), {"overtaken=before_turn"}),
  };
  for (const Campaign& campaign : campaigns) {
    const Verdict verdict = run(campaign);
    EXPECT_FALSE(verdict.counterexamples.empty());
    for (const Trace& trace : verdict.counterexamples) {
      const std::string text = trace_json(trace);
      const Trace again = parsed(text);
      EXPECT_EQ(trace_json(again), text);
      EXPECT_EQ(again.counterexample.path, trace.counterexample.path);
      const Played played = replay(again);
      EXPECT_TRUE(played.fits) << played.text;
    }
  }
}

TEST(Traces, of_steps_that_were_not_merged_fit) {
  Campaign campaign = with_crash(about("mcs", 2, 1));
  campaign.base.reduce = false;
  const Verdict verdict = run(campaign);
  ASSERT_EQ(verdict.counterexamples.size(), 1U);
  const Trace trace = parsed(trace_json(verdict.counterexamples.front()));
  EXPECT_FALSE(trace.setup.reduce);
  EXPECT_TRUE(replay(trace).fits);
}

}  // namespace
}  // namespace latchlab::explore

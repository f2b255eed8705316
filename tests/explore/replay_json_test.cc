// A replay as JSON: the steps of the textual replay, with everything that an animation needs to
// show them.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "core/base/json.h"
#include "tests/non_empty.h"
#include "tests/paths.h"
#include "tools/explore/trace.h"

namespace latchlab::explore {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

const fs::path kGolden = fs::path(LATCHLAB_SOURCE_DIR) / "tests/explore/golden";

Trace trace_of(const std::string& name) {
  std::ostringstream text;
  text << std::ifstream(kGolden / (name + ".json"), std::ios::binary).rdbuf();
  const Result<Trace> trace = parse_trace(text.str(), name);
  EXPECT_TRUE(trace.ok()) << trace.error().message;
  return trace.ok() ? trace.value() : Trace{};
}

Json told(const std::string& name) {
  return parse_json(replay_json(trace_of(name)).text);
}

std::vector<std::string> recorded() {
  std::vector<std::string> names;
  for (const auto& file : fs::directory_iterator(kGolden)) names.push_back(file.path().stem());
  std::sort(names.begin(), names.end());
  return names;
}

// All steps of all moves that have this key.
std::vector<Json> steps_with(const Json& replay, const std::string& key) {
  std::vector<Json> steps;
  for (const Json& move : replay["moves"])
    for (const Json& step : move["steps"])
      if (step.contains(key)) steps.push_back(step);
  return steps;
}

// ---- of every trace ----

class Recorded : public ::testing::TestWithParam<std::string> {
 protected:
  const Trace trace = trace_of(GetParam());
  const Played played = replay_json(trace);
  const Json json = parse_json(played.text);
};

TEST_P(Recorded, is_complete_and_byte_identical_each_time) {
  ASSERT_TRUE(json.is_object());
  EXPECT_TRUE(played.fits);
  EXPECT_EQ(json["latchlab_replay"], 1);
  EXPECT_EQ(json["ends_as_told"], true);
  EXPECT_EQ(json["finding"]["wrong"], name_of(trace.counterexample.violation));
  EXPECT_EQ(json["finding"]["text"], trace.counterexample.text);
  EXPECT_EQ(json["case"]["protocol"], trace.setup.protocol);
  EXPECT_EQ(json["clients"].size(), trace.setup.clients());
  EXPECT_EQ(json["moves"].size(), trace.counterexample.path.size());
  EXPECT_EQ(replay_json(trace).text, played.text);
}

TEST_P(Recorded, has_the_same_moves_and_steps_as_the_text) {
  const std::string text = replay(trace).text;
  std::size_t at = 0;
  for (const Json& move : non_empty(json["moves"])) {
    const std::string line = move["text"];
    at = text.find(line + "\n", at);
    ASSERT_NE(at, text.npos) << line;
    for (const Json& step : move["steps"]) {
      if (step["forced"] == false) continue;
      at = text.find(step["text"].get<std::string>() + "\n", at);
      ASSERT_NE(at, text.npos) << step;
    }
  }
}

// A step finds in memory what the previous one has left there.
TEST_P(Recorded, has_the_history_of_every_word_without_a_gap) {
  std::map<std::pair<int, std::uint64_t>, std::string> memory;
  int changes = 0;
  for (const Json& step : steps_with(json, "after")) {
    const Json& at = step.contains("verb") ? step["verb"] : step["cpu"];
    for (std::size_t i = 0; i < step["after"].size(); ++i) {
      const std::pair<int, std::uint64_t> word{at["node"],
                                               step["words_at"].get<std::uint64_t>() + 8 * i};
      const auto known = memory.find(word);
      if (known != memory.end()) {
        EXPECT_EQ(step["before"][i], known->second) << step;
      }
      memory[word] = step["after"][i];
      ++changes;
    }
  }
  EXPECT_GT(changes, 0);
}

TEST_P(Recorded, ends_with_the_entry_of_the_trace) {
  std::map<int, std::string> entries;
  for (const Json& entry : json["start"]["entries"]) entries[entry["lock"]] = entry["decoded"];
  for (const Json& move : json["moves"])
    for (const Json& entry : move.value("entries", Json::array()))
      entries[entry["lock"]] = entry["decoded"];
  std::string all;
  for (const auto& [lock, text] : entries)
    all += entries.size() == 1
               ? text
               : (all.empty() ? "" : "; ") + ("lock " + std::to_string(lock)) + ": " + text;
  EXPECT_EQ(all, trace.entry);
}

// The holders follow from grants, releases and crashes.
TEST_P(Recorded, has_no_holder_without_a_grant) {
  std::size_t granted = 0;
  for (const Json& move : json["moves"]) {
    for (const Json& step : move["steps"])
      for (const Json& event : step.value("events", Json::array()))
        if (event["event"] == "granted") ++granted;
    if (move.contains("holders")) {
      EXPECT_LE(move["holders"].size(), granted);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(all, Recorded, ::testing::ValuesIn(recorded()), [](const auto& made) {
  std::string name = made.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

// ---- contents ----

TEST(ReplayJson, names_the_type_receiver_and_subject_of_messages) {
  const std::vector<Json> steps = steps_with(told("shiftlock-printed"), "message");
  std::map<std::string, int> names;
  for (const Json& step : steps) {
    ++names[step["message"]["name"]];
    EXPECT_EQ(step["message"]["lock"], 0);
    EXPECT_EQ(step["message"]["words"].size(), 3U);
    EXPECT_EQ(step["message"]["to"]["kind"], "client");
  }
  EXPECT_GT(names["Successor"], 0);
  EXPECT_GT(names["Handover"], 0);
}

TEST(ReplayJson, shows_a_crash_and_the_state_of_each_client) {
  const Json json = told("mcs-crash");
  const Json& last = json["moves"].back();
  EXPECT_EQ(last["kind"], "crash");
  EXPECT_EQ(last["client"], 0);
  EXPECT_EQ(last["with_its"], "client");
  EXPECT_THAT(dump_json(last["clients"]), HasSubstr("{\"client\":0,\"at\":\"dead\"}"));
}

TEST(ReplayJson, shows_both_holders_of_a_broken_lock) {
  const Json json = told("shiftlock-epoch-first");
  Json holders;
  for (const Json& move : json["moves"])
    if (move.contains("holders")) holders = move["holders"];
  ASSERT_EQ(holders.size(), 2U);
  EXPECT_NE(holders[0]["client"], holders[1]["client"]);
  EXPECT_EQ(holders[0]["lock"], 0);
  const std::vector<Json> swaps = steps_with(json, "cpu");
  ASSERT_FALSE(swaps.empty());
  EXPECT_EQ(swaps[0]["actor"]["kind"], "server");
}

TEST(ReplayJson, has_operands_and_whether_a_comparison_succeeded) {
  int atomics = 0;
  for (const Json& step : steps_with(told("dslr-sigmod18"), "matched")) {
    EXPECT_EQ(step["verb"]["place"], "lock 0");
    EXPECT_EQ(step["verb"]["lock"], 0);
    EXPECT_EQ(step["verb"]["byte"], 0);
    const bool swaps = step["verb"]["name"] == "cas";
    EXPECT_EQ(step["verb"].contains(swaps ? "swap" : "add"), true) << step;
    if (swaps) {
      EXPECT_EQ(step["matched"], step["verb"]["compare"] == step["before"]) << step;
    }
    ++atomics;
  }
  EXPECT_GT(atomics, 3);
}

TEST(ReplayJson, has_the_times_of_moves_of_a_timed_search) {
  double last = 0;
  const Json json = told("dslr-slow-answer");
  for (const Json& move : json["moves"]) {
    if (!move.contains("at_ns")) continue;
    EXPECT_GE(move["at_ns"].get<double>(), last);
    last = move["at_ns"];
  }
  EXPECT_GT(last, 0);
}

TEST(ReplayJson, of_a_trace_that_does_not_fit_is_marked) {
  Trace trace = trace_of("mcs-crash");
  trace.counterexample.path.back().choice = 1'000;
  const Played played = replay_json(trace);
  EXPECT_FALSE(played.fits);
  const Json json = parse_json(played.text);
  EXPECT_EQ(json["ends_as_told"], false);
  EXPECT_EQ(json["moves"].back()["missing_choice"], 1'001);
}

}  // namespace
}  // namespace latchlab::explore

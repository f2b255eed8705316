// Traces: written, read back and played again they are the same, and what is no trace is refused.

#include "tools/explore/trace.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/explore/fixture.h"
#include "tests/non_empty.h"
#include "tests/paths.h"

namespace latchlab::explore {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;
using ::testing::HasSubstr;

fs::path golden_directory() {
  return fs::path(LATCHLAB_SOURCE_DIR) / "tests/explore/golden";
}

std::string text_of(const fs::path& file) {
  std::ostringstream text;
  text << std::ifstream(file, std::ios::binary).rdbuf();
  return text.str();
}

Trace parsed(const std::string& text) {
  const Result<Trace> trace = parse_trace(text, "some.json");
  EXPECT_TRUE(trace.ok()) << trace.error().message;
  return trace.ok() ? trace.value() : Trace{};
}

// ---- what is kept in golden/ ----

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

TEST_P(Golden, is_written_again_as_it_was_read) {
  EXPECT_EQ(trace_json(parsed(text)), text);
}

TEST_P(Golden, ends_as_it_did) {
  const Trace trace = parsed(text);
  const Played played = replay(trace);
  EXPECT_TRUE(played.fits) << played.text;
  EXPECT_THAT(played.text, HasSubstr(name_of(trace.finding.wrong)));
  EXPECT_EQ(replay(trace).text, played.text);
}

TEST_P(Golden, ends_nowhere_else_when_moves_are_missing) {
  Trace trace = parsed(text);
  trace.finding.path.pop_back();
  EXPECT_FALSE(replay(trace).fits);
  trace.finding.path.clear();
  EXPECT_FALSE(replay(trace).fits);
}

TEST_P(Golden, is_told_by_the_one_who_plays_it_as_by_the_one_who_found_it) {
  const Trace trace = parsed(text);
  const Trace again = make_trace(trace.setup, trace.facts, trace.finding);
  EXPECT_EQ(trace_json(again), text);
}

INSTANTIATE_TEST_SUITE_P(all, Golden, ::testing::ValuesIn(golden_names()), [](const auto& made) {
  std::string name = made.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

// ---- what a replay tells ----

std::string told(const char* name) {
  return replay(parsed(text_of(golden_directory() / name))).text;
}

TEST(Told, names_clients_verbs_fields_and_holders) {
  const std::string text = told("shiftlock-printed.json");
  for (const char* part :
       {"node 1 has the lock\n5 clients on 5 nodes", "client 4 (node 6) reads", "holds: nobody",
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

TEST(Told, names_deaths_timeouts_and_all_who_hold) {
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

// ---- what is found is written, read and played ----

TEST(Traces, of_every_finding_fit) {
  const Campaign campaigns[] = {
      with_crash(about("cas", 2, 2)),
      with_crash(about("mcs", 3, 1)),
      with_sets(about("dslr", 2, 2), {"overtaken=before_turn"}),
      with_sets(with_crash(about("dslr", 2, 2)), {"overtaken=before_turn"}),
  };
  for (const Campaign& campaign : campaigns) {
    const Verdict verdict = run(campaign);
    EXPECT_FALSE(verdict.findings.empty());
    for (const Trace& trace : verdict.findings) {
      const std::string text = trace_json(trace);
      const Trace again = parsed(text);
      EXPECT_EQ(trace_json(again), text);
      EXPECT_EQ(again.finding.path, trace.finding.path);
      const Played played = replay(again);
      EXPECT_TRUE(played.fits) << played.text;
    }
  }
}

TEST(Traces, of_steps_that_were_not_merged_fit) {
  Campaign campaign = with_crash(about("mcs", 2, 1));
  campaign.base.reduce = false;
  const Verdict verdict = run(campaign);
  ASSERT_EQ(verdict.findings.size(), 1U);
  const Trace trace = parsed(trace_json(verdict.findings.front()));
  EXPECT_FALSE(trace.setup.reduce);
  EXPECT_TRUE(replay(trace).fits);
}

// ---- what does not fit ----

class BadTrace : public ::testing::Test {
 protected:
  explicit BadTrace(const char* name = "shiftlock-epoch-first.json")
      : good(Json::parse(text_of(golden_directory() / name))) {}
  static void expect_refused(const std::string& text, const std::string& reason) {
    SCOPED_TRACE(text.substr(0, 200));
    const Result<Trace> trace = parse_trace(text, "odd.json");
    ASSERT_FALSE(trace.ok());
    EXPECT_EQ(trace.error().where, "odd.json");
    EXPECT_THAT(trace.error().message, HasSubstr(reason));
  }
  void expect_refused(const char* field, const Json& value, const std::string& reason) const {
    Json json = good;
    json[field] = value;
    expect_refused(json.dump(), reason);
  }
  // Read without complaint, and found not to fit.
  void expect_no_fit(const char* field, const Json& value) const {
    SCOPED_TRACE(field);
    Json json = good;
    json[field] = value;
    const Result<Trace> trace = parse_trace(json.dump(), "odd.json");
    ASSERT_TRUE(trace.ok()) << trace.error().message;
    EXPECT_FALSE(replay(trace.value()).fits);
  }
  const Json good;
};

class BadTimedTrace : public BadTrace {
 protected:
  BadTimedTrace() : BadTrace("dslr-slow-answer.json") {}
};

TEST_F(BadTrace, what_is_no_json_or_something_else) {
  for (const char* text : {"", "{", "nonsense", "[]", "1", "null", "{}", "{\"latchlab_trace\"",
                           "{\"points\": []}", "\xff\xfe"})
    expect_refused(text, "this is no trace: expected the JSON that latchlab explore writes");
}

TEST_F(BadTrace, of_another_version) {
  for (const Json& version : {Json(0), Json(2), Json("1"), Json(nullptr), Json::array()})
    expect_refused("latchlab_trace", version, "this build reads traces of version 1");
}

TEST_F(BadTrace, every_field_is_needed) {
  for (const auto& [name, value] : non_empty(good.items())) {
    if (name == "latchlab_trace") continue;
    Json json = good;
    json.erase(name);
    expect_refused(json.dump(), "'" + name + "' is missing from this trace");
  }
}

TEST_F(BadTrace, every_field_has_its_type) {
  for (const auto& [name, value] : non_empty(good.items())) {
    if (name == "latchlab_trace") continue;
    expect_refused(name.c_str(), Json(1.5), "'" + name + "': expected ");
    expect_refused(name.c_str(), Json(nullptr), "'" + name + "': expected ");
    expect_refused(name.c_str(), Json::object(), "'" + name + "': expected ");
  }
}

TEST_F(BadTrace, numbers_beyond_measure) {
  expect_refused("client_nodes", 0, "'client_nodes': expected a whole number from 1 to 16");
  expect_refused("client_nodes", 17, "from 1 to 16");
  expect_refused("clients_per_node", -1, "'clients_per_node': expected");
  expect_refused("operations", ~0ULL, "'operations': expected a whole number from 1 to");
  expect_refused("crashes", 17, "'crashes': expected");
  expect_refused("timeouts", 1'000'000'000, "'timeouts': expected");
  expect_refused("clients_per_node", 16, "48 clients are more than the 16");
  expect_refused("crashes", 4, "4 crashes of 3 clients");
}

TEST_F(BadTrace, what_nobody_knows) {
  expect_refused("protocol", "shiftlok", "there is no protocol 'shiftlok'; known: ");
  expect_refused("profile", "fast", "has no profile 'fast'; known: repaired, paper");
  expect_refused("set", {"colour=red"}, "'colour=red': expected NAME=VALUE");
  expect_refused("set", {"admission"}, "'admission': expected NAME=VALUE");
  expect_refused("set", {"admission=never"}, "'never' is none of leap_first, epoch_first");
  expect_refused("set", {"rdrcnt_bits=99"}, "outside 2..23");
  expect_refused("set", Json::array({1}), "'set': expected a list of texts");
  expect_refused("wrong", "boredom", "'wrong': 'boredom' is no kind of finding");
  expect_refused("wrong", "nothing", "'wrong': 'nothing' is no kind of finding");
  expect_refused("modes", {"XQ"}, "expected letters X (exclusive), S (shared)");
}

TEST_F(BadTimedTrace, times_that_make_no_sense) {
  for (const char* name : {"drift_ppm", "hold", "patience", "horizon"})
    expect_refused(name, Json(1.5), std::string("'") + name + "': expected ");
  expect_refused("latencies", Json::array(), "'latencies': expected ");
  expect_refused("latencies", {"soon"}, "'latencies': expected a duration such as 1us");
  expect_refused("latencies", {"0us"}, "latencies: expected more than 0");
  expect_refused("latencies", {"2us", "1us"}, "each is longer than the one before");
  expect_refused("latencies", {"1us", "2us", "3us", "4us", "5us"}, "5 latencies: at most 4");
  expect_refused("drift_ppm", {"fast"}, "'drift_ppm': expected whole numbers");
  expect_refused("drift_ppm", {"100001"}, "drift 100001: at most 100000 ppm");
  expect_refused("drift_ppm", {"1", "2", "3"}, "more clocks than nodes");
  expect_refused("hold", "200s", "hold 200s: expected at most 100s");
  expect_refused("horizon", "0us", "horizon: expected more than 0");
  expect_refused("pauses", 1, "pauses in time need a length");
  expect_refused("pause_length", "1us", "pause_length is given, and there are no pauses");
  expect_refused("long_sends", 1, "long SENDs are for searches without time");
  expect_refused("long_sends", 17, "'long_sends': expected ");
}

TEST_F(BadTimedTrace, other_times_end_elsewhere) {
  expect_no_fit("latencies", Json::array({"1us"}));
  expect_no_fit("hold", "100us");
}

TEST_F(BadTrace, moves_that_are_none) {
  const std::string expected = "'moves': expected a list of lists of whole numbers";
  for (const char* moves : {"[1]", "[[]]", "[[-1]]", "[[1.5]]", "[[\"0\"]]", "[[0], 0]"})
    expect_refused("moves", Json::parse(moves), expected);
  expect_refused("mixed_words", Json::parse("[[]]"), "'mixed_words': expected");
}

TEST_F(BadTrace, moves_that_do_not_fit) {
  Json moves = good["moves"];
  expect_no_fit("moves", Json::array());
  moves.back() = Json::array({1'000});
  expect_no_fit("moves", moves);
  moves.front() = Json::array({4'000'000'000});
  expect_no_fit("moves", moves);
  moves = good["moves"];
  moves.insert(moves.begin(), Json::array({2}));
  expect_no_fit("moves", moves);
}

TEST_F(BadTrace, an_end_that_is_another) {
  expect_no_fit("wrong", "deadlock");
  expect_no_fit("entry", "free");
  expect_no_fit("crashes", 0);
  expect_no_fit("timeouts", 0);
  expect_no_fit("set", Json::array());
}

TEST_F(BadTrace, a_choice_of_many_digits_is_not_a_small_one) {
  Json moves = good["moves"];
  moves.front() = Json::array({1ULL << 32});
  expect_refused("moves", moves, "'moves': expected a list of lists of whole numbers up to ");
}

}  // namespace
}  // namespace latchlab::explore

// A file that is no trace is refused, and a trace that does not fit its case is detected when it is
// replayed.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/json.h"
#include "tests/explore/golden.h"
#include "tests/non_empty.h"
#include "tools/explore/trace.h"

namespace latchlab::explore {
namespace {
using ::testing::HasSubstr;

class BadTrace : public ::testing::Test {
 protected:
  explicit BadTrace(const char* name = "shiftlock-epoch-first.json")
      : good(parse_json(text_of(golden_directory() / name))) {}
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
    expect_refused(dump_json(json), reason);
  }
  // Parsed without an error, but its replay does not fit.
  void expect_no_fit(const char* field, const Json& value) const {
    SCOPED_TRACE(field);
    Json json = good;
    json[field] = value;
    const Result<Trace> trace = parse_trace(dump_json(json), "odd.json");
    ASSERT_TRUE(trace.ok()) << trace.error().message;
    EXPECT_FALSE(replay(trace.value()).fits);
  }
  const Json good;
};

class BadTimedTrace : public BadTrace {
 protected:
  BadTimedTrace() : BadTrace("dslr-slow-answer.json") {}
};

TEST_F(BadTrace, text_that_is_not_a_trace) {
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
    expect_refused(dump_json(json), "'" + name + "' is missing from this trace");
  }
}

TEST_F(BadTrace, every_field_has_a_type) {
  for (const auto& [name, value] : non_empty(good.items())) {
    if (name == "latchlab_trace") continue;
    expect_refused(name.c_str(), Json(1.5), "'" + name + "': expected ");
    expect_refused(name.c_str(), Json(nullptr), "'" + name + "': expected ");
    expect_refused(name.c_str(), Json::object(), "'" + name + "': expected ");
  }
}

TEST_F(BadTrace, numbers_out_of_range) {
  expect_refused("client_nodes", 0, "'client_nodes': expected a whole number from 1 to 16");
  expect_refused("client_nodes", 17, "from 1 to 16");
  expect_refused("clients_per_node", -1, "'clients_per_node': expected");
  expect_refused("operations", ~0ULL, "'operations': expected a whole number from 1 to");
  expect_refused("crashes", 17, "'crashes': expected");
  expect_refused("timeouts", 1'000'000'000, "'timeouts': expected");
  expect_refused("clients_per_node", 16, "48 clients are more than the 16");
  expect_refused("crashes", 4, "4 crashes of 3 clients");
}

TEST_F(BadTrace, unknown_names_of_protocols_parameters_and_violations) {
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

TEST_F(BadTimedTrace, invalid_times) {
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
  expect_refused("pauses", 1, "pauses in a timed search need a length");
  expect_refused("pause_length", "1us", "pause_length is given, and there are no pauses");
}

TEST_F(BadTimedTrace, other_times_lead_to_another_end) {
  expect_no_fit("latencies", Json::array({"1us"}));
  expect_no_fit("hold", "100us");
}

TEST_F(BadTrace, malformed_moves) {
  const std::string expected = "'moves': expected a list of lists of whole numbers";
  for (const char* moves : {"[1]", "[[]]", "[[-1]]", "[[1.5]]", "[[\"0\"]]", "[[0], 0]"})
    expect_refused("moves", parse_json(moves), expected);
  expect_refused("mixed_words", parse_json("[[]]"), "'mixed_words': expected");
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

TEST_F(BadTrace, a_trace_with_another_end) {
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

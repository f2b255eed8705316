// latchlab explore and replay on the command line.
#include "tests/cli/explore.h"

#include <gmock/gmock.h>
#include <signal.h>
#include <unistd.h>

#include "tests/paths.h"

namespace latchlab::cli_test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

TEST_F(Explore, exits_with_success_if_no_violation_is_found) {
  const Finished finished = explore({"--protocol", "shiftlock", "--clients", "2"});
  EXPECT_EQ(finished.code, 0);
  EXPECT_THAT(finished.out, StartsWith("shiftlock: 6 of 6 cases, "));
  EXPECT_THAT(finished.out, HasSubstr("Exhausted: every order of events within the bounds"));
  EXPECT_THAT(finished.out, HasSubstr("Not reached, and so not verified ("));
  EXPECT_THAT(finished.out, HasSubstr("\n  a request for recovery is granted\n"));
  EXPECT_THAT(finished.out, HasSubstr("\nNothing found.\n"));
  EXPECT_EQ(finished.err, "");
  EXPECT_FALSE(exists("found"));
}

TEST_F(Explore, a_counterexample_can_be_replayed) {
  const Finished finished = explore(stuck);
  EXPECT_EQ(finished.code, 1);
  EXPECT_THAT(finished.out, HasSubstr("FOUND deadlock in 4 moves (X X, a node each): "));
  EXPECT_THAT(finished.out, HasSubstr("see it: latchlab replay found/mcs-deadlock-1.json\n"));
  ASSERT_TRUE(exists("found/mcs-deadlock-1.json"));
  const Finished replayed = latchlab({"replay", "found/mcs-deadlock-1.json"});
  EXPECT_EQ(replayed.code, 0);
  EXPECT_EQ(replayed.err, "");
  EXPECT_THAT(
      replayed.out,
      StartsWith("mcs\nnode 1 has the lock\n2 clients on 2 nodes: client 0 (node 2) writes"));
  EXPECT_THAT(replayed.out, HasSubstr("client 0: DIES"));
  EXPECT_THAT(replayed.out, HasSubstr("\ndeadlock: clients wait"));
}

TEST_F(Explore, traces_do_not_replace_each_other) {
  EXPECT_EQ(explore(stuck).code, 1);
  const std::string first = read("found/mcs-deadlock-1.json");
  EXPECT_EQ(explore(stuck).code, 1);
  EXPECT_EQ(read("found/mcs-deadlock-1.json"), first);
  EXPECT_EQ(read("found/mcs-deadlock-2.json"), first);
}

TEST_F(Explore, a_counterexample_of_a_random_walk_can_be_replayed) {
  const Finished finished = explore({"--protocol", "dslr", "--profile", "sigmod18", "--operations",
                                     "2", "--modes", "XS", "SX", "--strategy", "random"});
  EXPECT_EQ(finished.code, 1);
  EXPECT_THAT(finished.out, HasSubstr("Not exhausted: random walks never cover everything.\n"));
  EXPECT_EQ(latchlab({"replay", "found/dslr-deadlock-1.json"}).code, 0);
}

TEST_F(Explore, json_is_one_document_and_nothing_else) {
  std::vector<std::string> arguments = stuck;
  arguments.emplace_back("--json");
  const Finished finished = explore(arguments);
  EXPECT_EQ(finished.code, 1);
  EXPECT_EQ(finished.err, "");
  const Json json = parse_json(finished.out);
  ASSERT_TRUE(json.is_object()) << finished.out;
  for (const char* key : {"mode", "exhausted", "cut", "protocol", "bounds", "states", "transitions",
                          "unreached", "violations"})
    EXPECT_TRUE(json.contains(key)) << key;
  EXPECT_EQ(json["mode"], "untimed");
  EXPECT_EQ(json["exhausted"], true);
  EXPECT_EQ(json["bounds"]["clients"], 2);
  EXPECT_EQ(json["bounds"]["crashes"], 1);
  EXPECT_GT(json["states"], 100);
  EXPECT_GT(json["transitions"], json["states"]);
  EXPECT_TRUE(json["unreached"].is_array());
  ASSERT_EQ(json["violations"].size(), 1u);
  EXPECT_EQ(json["violations"][0]["wrong"], "deadlock");
  EXPECT_EQ(json["violations"][0]["moves"], 4);
  EXPECT_EQ(json["violations"][0]["trace"], "found/mcs-deadlock-1.json");
}

TEST_F(Explore, json_of_a_sound_lock_lists_no_violation) {
  const Finished finished = explore({"--protocol", "cas", "--json"});
  EXPECT_EQ(finished.code, 0);
  const Json json = parse_json(finished.out);
  EXPECT_EQ(json["violations"], Json::array());
  EXPECT_EQ(json["cut"], "");
}

TEST_F(Explore, several_locks_are_acquired_in_one_order_unless_as_asked) {
  const std::vector<std::string> two = {"--protocol", "cas", "--locks",   "2",
                                        "--held",     "2",   "--readers", "0"};
  EXPECT_EQ(explore(two).code, 0);
  std::vector<std::string> crossing = two;
  crossing.emplace_back("--as-asked");
  const Finished found = explore(crossing);
  EXPECT_EQ(found.code, 1);
  EXPECT_THAT(found.out, HasSubstr("FOUND deadlock"));
}

TEST_F(Explore, reports_that_the_budget_of_states_is_used_up) {
  const Finished finished =
      explore({"--protocol", "shiftlock", "--clients", "3", "--budget", "500"});
  EXPECT_EQ(finished.code, 0);
  EXPECT_THAT(finished.out, HasSubstr("Not exhausted: the bound on states was reached.\n"));
}

TEST_F(Explore, reports_that_the_budget_of_time_is_used_up) {
  const Finished finished = explore({"--protocol", "shiftlock", "--clients", "4", "--operations",
                                     "2", "--budget", "50ms", "--quiet"});
  EXPECT_EQ(finished.code, 0);
  EXPECT_THAT(finished.out, HasSubstr("Not exhausted: the bound on time was reached.\n"));
}

TEST_F(Explore, without_merged_steps_there_are_more_states) {
  const auto states = [&](const std::vector<std::string>& more) {
    std::vector<std::string> arguments = {"--protocol", "dslr", "--json"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return parse_json(explore(arguments).out)["states"].get<int>();
  };
  EXPECT_GT(states({"--every-step"}), states({}));
}

TEST_F(Explore, bad_input_is_refused) {
  expect_refused({}, "--protocol is required");
  expect_refused({"--protocol", "shiftlok"}, "there is no protocol 'shiftlok'; known: ");
  expect_refused({"--protocol", "cas", "--profile", "fast"}, "has no profile 'fast'; known: ");
  expect_refused({"--protocol", "cas", "--set", "colour=red"}, "'colour=red': expected NAME=VALUE");
  expect_refused({"--protocol", "cas", "--set", "backoff"}, "'backoff': expected NAME=VALUE");
  expect_refused({"--protocol", "cas", "--set", "backoff=some"}, "'some' is none of none, ");
  expect_refused({"--protocol", "dslr", "--set", "lease=5"}, "parameter lease: ");
  expect_refused({"--protocol", "dslr", "--clients", "4"}, "serves at most 3 clients, not 4");
}

TEST_F(Explore, invalid_bounds_are_refused) {
  expect_refused({"--protocol", "cas", "--clients", "0"}, "from 1 to 16");
  expect_refused({"--protocol", "cas", "--clients", "17"}, "from 1 to 16");
  expect_refused({"--protocol", "cas", "--operations", "0"}, "from 1 to 64");
  expect_refused({"--protocol", "cas", "--readers", "3"}, "--readers 3: there are 2 clients");
  expect_refused({"--protocol", "cas", "--crashes", "3"}, "3 crashes of 2 clients");
  expect_refused({"--protocol", "cas", "--locks", "2"}, "2 locks, and 1 operations of each client");
  expect_refused({"--protocol", "cas", "--strategy", "luck"}, "--strategy");
  expect_refused({"--protocol", "cas", "--placement", "apart"}, "--placement");
  for (const char* budget : {"0", "-5", "soon", "1e99", "60parsecs", "0s"})
    expect_refused({"--protocol", "cas", std::string("--budget=") + budget}, "--budget");
}

TEST_F(Explore, reports_a_verdict_for_each_of_several_locks) {
  const Finished finished = explore({"--protocol", "mcs", "--operations", "2", "--locks", "2",
                                     "--crashes", "1", "--placement", "spread"});
  EXPECT_EQ(finished.code, 1);
  EXPECT_THAT(finished.out, HasSubstr("entry: lock 0: "));
  const Finished replayed = latchlab({"replay", "found/mcs-deadlock-1.json"});
  EXPECT_EQ(replayed.code, 0);
  EXPECT_THAT(replayed.out,
              StartsWith("mcs\n2 locks, one after the other\nnode 1 has the locks\n2 clients on"));
  EXPECT_THAT(replayed.out, HasSubstr("; lock 1: "));
}

TEST_F(Explore, modes_must_be_given_for_each_client) {
  expect_refused({"--protocol", "shiftlock", "--modes", "X"}, "--modes has 1 texts, and there are");
  expect_refused({"--protocol", "shiftlock", "--modes", "X", "X", "S"}, "--modes has 3 texts");
  expect_refused({"--protocol", "shiftlock", "--modes", "X", "Q"}, "modes 'Q': expected letters");
}

TEST_F(Explore, a_client_may_have_no_operation) {
  for (const char* operations : {"1", "3"}) {
    const std::string reads(static_cast<std::size_t>(*operations - '0'), 'S');
    const Finished finished = explore({"--protocol", "cas", "--clients", "3", "--operations",
                                       operations, "--modes", reads, "-", reads, "--json"});
    EXPECT_EQ(finished.code, 0) << finished.err;
  }
}

TEST_F(Explore, traces_that_cannot_be_written_are_reported) {
  write("found", "a file is in the way");
  const Finished finished = explore(stuck);
  EXPECT_EQ(finished.code, 3);
  EXPECT_THAT(finished.err, StartsWith("latchlab: found"));
}

TEST_F(Explore, a_file_that_is_no_trace_is_refused_with_its_name) {
  EXPECT_EQ(explore(stuck).code, 1);
  const std::string good = read("found/mcs-deadlock-1.json");
  expect_trace_refused("", "this is no trace");
  expect_trace_refused(good.substr(0, good.size() / 2), "this is no trace");
  Json json = parse_json(good);
  json["latchlab_trace"] = 99;
  expect_trace_refused(dump_json(json), "this build reads traces of version 1; record it again");
  json = parse_json(good);
  json.erase("moves");
  expect_trace_refused(dump_json(json), "'moves' is missing from this trace");
  const Finished missing = latchlab({"replay", "none.json"});
  EXPECT_EQ(missing.code, 2);
  EXPECT_THAT(missing.err, HasSubstr("none.json"));
}

TEST_F(Explore, a_trace_that_does_not_end_as_recorded_is_reported) {
  EXPECT_EQ(explore(stuck).code, 1);
  Json json = parse_json(read("found/mcs-deadlock-1.json"));
  json["moves"].erase(3);
  write("short.json", dump_json(json));
  const Finished finished = latchlab({"replay", "short.json"});
  EXPECT_EQ(finished.code, 1);
  EXPECT_THAT(finished.out, Not(HasSubstr("DIES")));
  EXPECT_THAT(finished.err, StartsWith("latchlab: short.json: the trace does not end as it says"));
}

TEST_F(Explore, an_interrupted_search_reports_what_it_has_explored) {
  const std::string command = std::string("exec ") + LATCHLAB_BINARY +
                              " explore --protocol shiftlock --clients 6 --operations 4 "
                              "--readers 2 --crashes 3 >out 2>err";
  Started started = start_program({"/bin/sh", "-c", command});
  // The search prints progress once it has begun.
  for (int tries = 0; tries < 6'000 && read("err").empty(); ++tries) ::usleep(10'000);
  started.send(SIGINT);
  const Finished finished = started.wait();
  EXPECT_EQ(finished.code, 130);
  EXPECT_THAT(read("out"), HasSubstr("Not exhausted: interrupted.\n"));
  EXPECT_THAT(read("out"), HasSubstr(" states, "));
  EXPECT_THAT(read("out"), HasSubstr("Nothing found.\n"));
  EXPECT_THAT(read("err"), StartsWith("case 1 of "));
}

}  // namespace
}  // namespace latchlab::cli_test

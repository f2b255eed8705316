// What the trace of a run contains for its animations: effects, words, and messages at their
// receivers.

#include <gmock/gmock.h>

#include <filesystem>
#include <map>
#include <set>

#include "tests/cli/program.h"
#include "tests/non_empty.h"

namespace latchlab::cli_test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class Trace : public Command {
 protected:
  // The trace of one lock that all clients want, from the start of the run.
  Json traced(const std::string& protocol, const std::string& window = "0us+1ms") {
    const std::string out = "r" + std::to_string(++runs_);
    write("small.yaml", small_scenario("{name: " + protocol + "}"));
    const Finished done = latchlab({"run", "small.yaml", "--out", out, "--trace", "--trace-window",
                                    window, "--quiet", "--set", "locks.count=2"});
    EXPECT_EQ(done.code, 0) << done.err;
    return json(out + "/traces/0000.json");
  }
  static std::vector<Json> effects(const Json& trace) {
    std::vector<Json> effects;
    for (const Json& event : trace["traceEvents"])
      if (event["ph"] == "i" && event["args"].contains("effect_us")) effects.push_back(event);
    return effects;
  }

 private:
  int runs_ = 0;
};

const std::vector<std::string> kTracedLocks = {"cas", "dslr", "mcs", "shiftlock", "alock"};

std::uint64_t word_of(const Json& hex) {
  return std::stoull(hex.get<std::string>(), nullptr, 16);
}

// An atomic finds in a word what the previous access has left there.
TEST_F(Trace, has_the_history_of_every_word_without_a_gap) {
  for (const std::string& name : kTracedLocks) {
    SCOPED_TRACE(name);
    std::map<std::string, std::uint64_t> memory;
    int followed = 0;
    for (const Json& event : effects(traced(name))) {
      const Json& args = event["args"];
      if (!args.contains("after")) continue;
      const std::string word = args["address"], place = args["place"];
      if (place.rfind("lock ", 0) != 0) continue;
      if (args.contains("before") && memory.count(word) > 0) {
        EXPECT_EQ(word_of(args["before"]), memory[word]) << event;
        ++followed;
      }
      memory[word] = word_of(args["after"]);
    }
    EXPECT_GT(followed, 50);
  }
}

TEST_F(Trace, has_the_instant_of_each_effect_between_post_and_completion) {
  std::map<std::pair<int, int>, std::vector<Json>> open;
  int verbs = 0, waits = 0;
  const Json trace = traced("cas");
  for (const Json& event : trace["traceEvents"]) {
    if (event["ph"] != "B" && event["ph"] != "E") continue;
    auto& stack = open[{event["pid"], event["tid"]}];
    if (event["ph"] == "B") {
      stack.push_back(event);
      continue;
    }
    const Json begun = stack.back();
    stack.pop_back();
    const Json args = event.value("args", Json::object());
    if (!args.contains("effect_us")) continue;
    ++verbs;
    EXPECT_GT(args["effect_us"], begun["ts"]);
    EXPECT_LT(args["effect_us"], event["ts"]);
    if (begun["name"] != "cas") continue;
    const double queued = args["queued_us"], slot = args["slot_us"], effect = args["effect_us"];
    EXPECT_GT(queued, begun["ts"].get<double>());
    EXPECT_LE(queued, slot);
    EXPECT_LT(slot, effect);
    EXPECT_NEAR(args["waited_us"].get<double>(), slot - queued, 1e-6);
    waits += args["waited_us"] > 0 ? 1 : 0;
  }
  EXPECT_GT(verbs, 100);
  EXPECT_GT(waits, 0);
}

TEST_F(Trace, has_entries_as_fields_of_the_protocol) {
  std::set<std::string> seen;
  for (const Json& event : effects(traced("dslr")))
    if (event["args"].contains("entry")) {
      seen.insert(event["args"]["entry"]);
      EXPECT_LT(event["args"]["lock"], 2);
      EXPECT_EQ(event["args"]["place"], "lock " + std::to_string(event["args"]["lock"].get<int>()));
    }
  EXPECT_GT(seen.size(), 5U);
  EXPECT_THAT(*seen.begin(), HasSubstr("nX="));
}

TEST_F(Trace, has_names_of_messages_and_their_arrival_before_they_are_received) {
  for (const char* name : {"mcs", "shiftlock"}) {
    SCOPED_TRACE(name);
    std::map<int, double> sent, arrived;
    std::set<std::string> names;
    const Json trace = traced(name);
    for (const Json& event : trace["traceEvents"]) {
      if (event["ph"] == "s") sent[event["id"]] = event["ts"];
      if (event["ph"] == "i" && event["name"] == "message arrives") {
        names.insert(event["args"]["message"]);
        EXPECT_THAT(event["args"]["from"], HasSubstr("client "));
        if (event["args"].contains("arrow")) arrived[event["args"]["arrow"]] = event["ts"];
      }
    }
    EXPECT_GT(arrived.size(), 10U);
    for (const auto& [id, date] : arrived) EXPECT_GT(date, sent.at(id));
    EXPECT_EQ(names.count("Handover"), 1U);
    EXPECT_EQ(names.count("Successor"), 1U);
  }
}

// Acquisitions, from first to last event: begin and end.
std::vector<std::pair<double, double>> acquisitions(const Json& trace) {
  std::vector<std::pair<double, double>> all;
  std::map<std::pair<int, int>, std::vector<Json>> open;
  for (const Json& event : trace["traceEvents"]) {
    auto& stack = open[{event["pid"], event["tid"]}];
    if (event["ph"] == "B") stack.push_back(event);
    if (event["ph"] != "E") continue;
    const std::string name = stack.back()["name"];
    if (name.rfind("acquire ", 0) == 0) all.emplace_back(stack.back()["ts"], event["ts"]);
    stack.pop_back();
  }
  return all;
}

TEST_F(Trace, of_the_worst_acquisition_covers_it_with_a_margin_of_5_us) {
  const std::string locks = "cas, backoff: none";
  std::pair<double, double> worst;
  for (const auto& [begin, end] : acquisitions(traced(locks)))
    if (end >= 100 && end - begin > worst.second - worst.first) worst = {begin, end};
  const Json trace = traced(locks, "worst");
  double longest = 0, first = 1e9, last = 0;
  for (const auto& [begin, end] : acquisitions(trace)) longest = std::max(longest, end - begin);
  for (const Json& event : trace["traceEvents"]) {
    if (!event.contains("ts")) continue;
    first = std::min(first, event["ts"].get<double>());
    last = std::max(last, event["ts"].get<double>());
  }
  EXPECT_NEAR(longest, worst.second - worst.first, 1e-6);
  EXPECT_NEAR(first, worst.first - 5, 2e-3);
  EXPECT_NEAR(last, worst.second + 5, 2e-3);
}

// A client that crashes while it waits would otherwise wait until the run ends, at 500 us.
TEST_F(Trace, of_the_worst_acquisition_ignores_clients_that_crashed_while_waiting) {
  write("small.yaml", small_scenario("{name: shiftlock, lease: 50us}",
                                     "faults: [{kind: client_crash, client: 1, at: 200us}]\n"));
  latchlab({"run", "small.yaml", "--out", "r", "--trace", "--trace-window", "worst", "--quiet"});
  const Json trace = json("r/traces/0000.json");
  EXPECT_NE(trace["otherData"]["to"], "500us");
  double longest = 0;
  for (const auto& [begin, end] : acquisitions(trace)) longest = std::max(longest, end - begin);
  EXPECT_GT(longest, 0);
}

// A queue of 32 sections takes longer than the lock waits before it resets: the longest acquisition
// makes several attempts. Its events fit one trace.
TEST_F(Trace, of_the_worst_acquisition_begins_with_its_first_attempt) {
  write("resets.yaml",
        "schema: 1\nname: resets\nplatform: {client_nodes: 4, clients_per_node: 8}\n"
        "locks: {count: 1}\nworkload: {read_ratio: 0%, critical_section: 400us}\n"
        "protocol: {name: cql, timeout: 5ms}\n"
        "run: {warmup: 0us, duration: 100ms, repeats: 1}\n");
  const Finished done = latchlab(
      {"run", "resets.yaml", "--out", "r", "--trace", "--trace-window", "worst", "--quiet"});
  ASSERT_EQ(done.code, 0) << done.err;
  const Json metrics = json("r/results.json")["points"][0]["metrics"];
  ASSERT_GT(number_at(metrics, "aborted_acquisitions"), 0);
  double first = 1e9, last = 0;
  for (const auto& [begin, end] : acquisitions(json("r/traces/0000.json"))) {
    first = std::min(first, begin);
    last = std::max(last, end);
  }
  EXPECT_GE((last - first) * 1e3, number_at(metrics, "acquire_ns.max"));
}

TEST_F(Trace, of_the_worst_acquisition_changes_no_result_and_leaves_no_file_behind) {
  traced("dslr");
  traced("dslr", "worst");
  EXPECT_EQ(read("r1/results.json"), read("r2/results.json"));
  for (const auto& file : non_empty(std::filesystem::directory_iterator(home() / "r2")))
    EXPECT_THAT(file.path().filename(), Not(HasSubstr("worst")));
}

TEST_F(Trace, has_calls_as_they_reach_their_server) {
  int calls = 0;
  const Json trace = traced("rpc");
  for (const Json& event : trace["traceEvents"])
    if (event["ph"] == "i" && event["name"] == "call arrives") {
      EXPECT_EQ(event["pid"], 1);
      ++calls;
      EXPECT_TRUE(event["args"]["request"] == "Acquire" || event["args"]["request"] == "Release");
    }
  EXPECT_GT(calls, 50);
}

}  // namespace
}  // namespace latchlab::cli_test

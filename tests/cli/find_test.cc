// `latchlab find`: what it prints, writes and stores.
#include <gmock/gmock.h>
#include <signal.h>

#include <map>

#include "tests/cli/program.h"
#include "tests/non_empty.h"

namespace latchlab::cli_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

// With few clients a lock that spins without a pause has a higher goodput than one with a queue;
// with many, a lower one.
constexpr const char* kTwoLocks =
    "schema: 1\n"
    "name: two\n"
    "platform: {client_nodes: 2}\n"
    "locks: {count: 4}\n"
    "workload: {read_ratio: 50%}\n"
    "run: {warmup: 2ms, duration: 8ms, repeats: 3}\n"
    "sweep:\n"
    "  grid:\n"
    "    protocol: [{name: cas, backoff: none, label: spin}, {name: mcs}, {name: dslr}]\n"
    "    platform.clients_per_node: [4, 5, 6, 7, 8, 9, 10, 11, 12]\n";

class Find : public Command {
 protected:
  void SetUp() override {
    Command::SetUp();
    write("two.yaml", kTwoLocks);
  }
  Finished find(std::vector<std::string> more) {
    std::vector<std::string> words = {"find", "two.yaml"};
    words.insert(words.end(), more.begin(), more.end());
    return latchlab(words);
  }
  Finished cross(const std::string& directory, std::vector<std::string> more = {}) {
    more.insert(more.end(), {"--cross", "mcs,spin", "--along", "platform.clients_per_node=2..20",
                             "--out", directory});
    return find(std::move(more));
  }
  std::size_t files_in(const std::string& directory) const {
    std::size_t count = 0;
    for (const auto& each : std::filesystem::recursive_directory_iterator(home() / directory))
      if (each.is_regular_file()) ++count;
    return count;
  }
};

int number_of(const Json& text) {
  return std::stoi(text.get<std::string>());
}

TEST_F(Find, the_answer_contains_the_crossing_that_a_fine_sweep_finds) {
  ASSERT_EQ(latchlab({"run", "two.yaml", "--quiet", "--out", "sweep"}).code, 0);
  std::map<int, std::map<std::string, double>> goodput;
  const Json sweep = json("sweep/results.json");
  for (const Json& point : sweep["points"])
    goodput[number_of(point["axes"]["platform.clients_per_node"])][point["label"]] =
        number_at(point["metrics"], "goodput_ops_s");
  int seen = 0;  // the smallest number of clients at which the queue has the higher goodput
  for (auto& [clients, of] : goodput)
    if (seen == 0 && of["mcs"] > of["spin"]) seen = clients;
  ASSERT_GT(seen, 4);

  const Finished finished = cross("f");
  EXPECT_EQ(finished.code, 0) << finished.err;
  const Json found = json("f/find.json");
  ASSERT_EQ(found["turns"].size(), 1u) << finished.out;
  const Json& turn = found["turns"][0];
  EXPECT_LT(number_of(turn["low"]), seen);
  EXPECT_GE(number_of(turn["high"]), seen);
  EXPECT_LE(number_of(turn["high"]) - number_of(turn["low"]), 4);
  EXPECT_EQ(turn["below"], "spin");
  EXPECT_EQ(turn["above"], "mcs");
  EXPECT_THAT(finished.out,
              HasSubstr("mcs overtakes spin between " + turn["low"].get<std::string>() + " and " +
                        turn["high"].get<std::string>() + " clients per node (goodput "));
  EXPECT_THAT(finished.out, HasSubstr(found["says"][0].get<std::string>()));
}

TEST_F(Find, writes_a_run_directory_like_any_other_run) {
  ASSERT_EQ(cross("f", {"--quiet"}).code, 0);
  const Json results = json("f/results.json");
  EXPECT_EQ(results["manifest"]["complete"], true);
  const Json found = json("f/find.json");
  ASSERT_FALSE(found["values"].empty());
  ASSERT_EQ(results["points"].size(), 2 * found["values"].size());
  for (std::size_t i = 0; i < found["values"].size(); ++i)  // in the order of the axis
    EXPECT_EQ(results["points"][2 * i]["axes"]["platform.clients_per_node"],
              found["values"][i]["at"]);
  // The directory contains only the run, its page and the answer: a file for each repeat.
  EXPECT_EQ(files_in("f/points"), 3 * results["points"].size());
  const std::string page = read("f/report.html");
  EXPECT_THAT(page, HasSubstr("\"finding\":\"" + found["says"][0].get<std::string>()));
  EXPECT_THAT(page, HasSubstr("\"figures\":[{\"x\":\"platform.clients_per_node\""));
  const Finished report = latchlab({"report", "f"});
  EXPECT_EQ(report.code, 0) << report.err;
  EXPECT_EQ(read("f/report.html"), page);
}

TEST_F(Find, an_interrupted_search_resumes_to_the_same_answer) {
  const std::vector<std::string> asked = {"find",        "two.yaml",
                                          "--cross",     "mcs,spin",
                                          "--along",     "platform.clients_per_node=2..20",
                                          "--precision", "10%",
                                          "--out",       "f"};
  Started started = start(asked);
  ASSERT_TRUE(appears("f/points/0001-1.json"));
  started.send(SIGINT);
  const Finished cut = started.wait();
  EXPECT_EQ(cut.code, 130);
  EXPECT_THAT(cut.err,
              HasSubstr("latchlab find two.yaml --cross 'mcs,spin' --along "
                        "'platform.clients_per_node=2..20' --precision '10%' --resume --out f"));
  EXPECT_EQ(json("f/find.json")["complete"], false);
  EXPECT_EQ(latchlab({"report", "f"}).code, 0);

  std::vector<std::string> again = asked;
  again.emplace_back("--resume");
  ASSERT_EQ(latchlab(again).code, 0);
  EXPECT_GT(json("f/timing.json")["resumed"], 0);
  ASSERT_EQ(cross("one", {"--jobs", "1", "--precision", "10%", "--quiet"}).code, 0);
  EXPECT_EQ(read("f/find.json"), read("one/find.json"));
  EXPECT_EQ(read("f/results.json"), read("one/results.json"));
  EXPECT_EQ(files_in("f/points"), files_in("one/points"));
  // Resuming a finished search changes nothing.
  ASSERT_EQ(latchlab(again).code, 0);
  EXPECT_EQ(read("f/find.json"), read("one/find.json"));
  EXPECT_EQ(files_in("f/points"), files_in("one/points"));
}

TEST_F(Find, finds_where_a_metric_passes_a_value) {
  const Finished finished =
      find({"--metric", "acquire_ns.p99", "--passes", "20us", "--of", "mcs", "--along",
            "platform.clients_per_node=1..16", "--out", "f", "--quiet"});
  EXPECT_EQ(finished.code, 0) << finished.err;
  const Json found = json("f/find.json");
  ASSERT_EQ(found["turns"].size(), 1u) << finished.out;
  EXPECT_THAT(finished.out, HasSubstr("acquire_ns.p99 of mcs rises above 20us between "));
  for (const Json& value : non_empty(found["values"])) {
    const double p99 = value["first"].get<double>();
    if (!value["side"].is_null()) {
      EXPECT_EQ(value["side"], p99 > 20e3 ? "above" : "below");
    }
  }
  const Json results = json("f/results.json");
  for (const Json& point : non_empty(results["points"])) EXPECT_EQ(point["label"], "mcs");
}

TEST_F(Find, reports_that_one_lock_is_ahead_everywhere) {
  const Finished finished =
      find({"--cross", "spin,dslr", "--along", "platform.nic.latency.one_way=600ns..700ns", "--set",
            "platform.clients_per_node=4", "--out", "f", "--quiet"});
  EXPECT_EQ(finished.code, 0) << finished.err;
  EXPECT_THAT(finished.out,
              AllOf(HasSubstr("spin has more goodput than dslr at each decided value: "
                              "platform.nic.latency.one_way 600ns, "),
                    HasSubstr("The order may change more than once")));
  EXPECT_EQ(json("f/find.json")["turns"].size(), 0u);
}

TEST_F(Find, searches_along_a_factor_at_a_named_value_of_another_axis) {
  write("named.yaml",
        std::string(kTwoLocks) +
            "    platform.nic: [{name: today, base: connectx-5}, {name: narrow, base: "
            "connectx-5, link.rate: 10Gbps}]\n");
  const Finished finished =
      latchlab({"find", "named.yaml", "--cross", "spin,dslr", "--along",
                "platform.nic.scale.atomics=0.5x..2x", "--set", "platform.clients_per_node=4",
                "--set", "platform.nic=narrow", "--out", "f", "--quiet"});
  EXPECT_EQ(finished.code, 0) << finished.err;
  EXPECT_THAT(json("f/find.json")["values"][0]["at"], "0.5x");
  const Json results = json("f/results.json");
  for (const Json& point : non_empty(results["points"]))
    EXPECT_EQ(point["axes"]["platform.nic"], "narrow");
  EXPECT_THAT(results["points"][0]["params"]["platform"]["nic"]["link"]["rate"], "10Gbps");
}

// The window contains the start of the run.
TEST_F(Find, a_lock_that_has_not_reached_steady_state_decides_nothing) {
  const Finished finished =
      cross("f", {"--set", "run.warmup=0us", "--set", "run.duration=20us", "--quiet"});
  EXPECT_EQ(finished.code, 0) << finished.err;
  EXPECT_THAT(finished.out,
              AllOf(HasSubstr("has not settled"), HasSubstr("set run.warmup to auto")));
}

TEST_F(Find, lists_the_values_at_which_the_order_is_unknown_with_the_reasons) {
  write("few.yaml",
        small_scenario("{name: cas}",
                       "sweep: {grid: {protocol: [{name: shiftlock, rdrcnt_bits: 2}, {name: mcs}], "
                       "platform.clients_per_node: [2, 4]}}\n"));
  const Finished finished =
      latchlab({"find", "few.yaml", "--cross", "shiftlock,mcs", "--along",
                "platform.clients_per_node=3..5", "--set", "platform.client_nodes=1", "--set",
                "locks.count=1", "--set", "run.repeats=3", "--out", "f", "--quiet"});
  EXPECT_THAT(finished.out, HasSubstr("\nUndecided at 4 (shiftlock is unavailable), 5 (shiftlock "
                                      "is unavailable).\n"));
}

TEST_F(Find, questions_that_cannot_be_answered_are_refused) {
  const auto refused = [&](std::vector<std::string> more) {
    more.insert(more.end(), {"--out", "f"});
    const Finished finished = find(std::move(more));
    EXPECT_EQ(finished.code, 2) << finished.err;
    EXPECT_FALSE(exists("f"));
    return finished.err;
  };
  const std::string along = "platform.clients_per_node=2..20";
  EXPECT_THAT(refused({"--along", along}), HasSubstr("find wants one of two questions"));
  EXPECT_THAT(refused({"--along", along, "--cross", "mcs,sipn"}), HasSubstr("did you mean 'spin'"));
  EXPECT_THAT(refused({"--along", along, "--cross", "mcs"}), HasSubstr("expected two labels"));
  EXPECT_THAT(refused({"--along", along, "--passes", "4M"}),
              HasSubstr("of which lock? add --of LABEL; there is spin, mcs, dslr"));
  EXPECT_THAT(refused({"--along", along, "--cross", "mcs,spin", "--metric", "goodput_op_s"}),
              HasSubstr("did you mean 'goodput_ops_s'?"));
  EXPECT_THAT(refused({"--along", "locks.count=1..4", "--cross", "mcs,spin"}),
              HasSubstr("the sweep varies platform.clients_per_node too (4, 5"));
  EXPECT_THAT(refused({"--along", along, "--cross", "mcs,spin", "--precision", "0%"}),
              HasSubstr("more than 0%"));
  for (const auto& [axis, says] : std::map<std::string, std::string>{
           {"", "expected PATH=LOW..HIGH"},
           {"locks.count", "expected PATH=LOW..HIGH"},
           {"=1..4", "expected PATH=LOW..HIGH"},
           {"locks.count=", "expected PATH=LOW..HIGH"},
           {"locks.count=4", "expected PATH=LOW..HIGH"},
           {"locks.count=1-4", "expected PATH=LOW..HIGH"},
           {"locks.count=1.4", "expected PATH=LOW..HIGH"},
           {"locks.count=..", "locks.count"},
           {"locks.count=1..", "locks.count"},
           {"locks.count=..4", "locks.count"},
           {"locks.count=4..1", "write the lower end first"},
           {"locks.count=4..4", "write the lower end first"},
           {"locks.count=1..4..8", "locks.count"},
           {"locks.count=1...4", "locks.count"},
           {"locks.count=a..b", "locks.count"},
           {"locks.count=-1..4", "locks.count"},
           {"locks.count=0..4", "locks.count"},
           {"locks.count=1us..4us", "locks.count"},
           {"locks.count=1..99999999999999999999", "locks.count"},
           {"lokcs.count=1..4", "there is no such path"},
           {"protocol=cas..mcs", "--along protocol"},
           {"protocol.name=cas..mcs", "--along protocol.name"},
           {"protocol.nothing=1..4", "there is no such path"},
           {"protocol.backoff=none..all", "expected the path of a count"},
           {"platform.nic.nothing=1..2", "there is no such path"},
           {"workload.read_ratio=0..1..", "workload.read_ratio"},
           {"run.duration=1..4", "has no unit"},
           {"..=1..4", "there is no such path"},
           {"\xff=\xfe..\xfd", "there is no such path"}})
    EXPECT_THAT(refused({"--along", axis, "--cross", "mcs,spin"}), HasSubstr(says)) << axis;
  ASSERT_EQ(
      latchlab({"run", "two.yaml", "--quiet", "--set", "run.duration=100us", "--out", "r"}).code,
      0);
  const Finished other = cross("r", {"--resume"});
  EXPECT_EQ(other.code, 2);
  EXPECT_THAT(other.err, HasSubstr("there is no find.json"));
}

}  // namespace
}  // namespace latchlab::cli_test

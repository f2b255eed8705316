// `latchlab reproduce`: what it runs, prints and writes for a paper.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <signal.h>
#include <sys/stat.h>

#include <sstream>

#include "tests/cli/browser.h"

namespace latchlab::cli_test {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

class Reproduce : public Command {
 protected:
  void SetUp() override {
    Command::SetUp();
    std::filesystem::create_directories(home() / "data/scenarios/papers/toy");
    std::filesystem::create_directories(home() / "data/scenarios/papers/other");
    add("toy/one", "10% ", "calibration");
    add("toy/two", "100000%", "validation");
    add("other/three", "10%", "validation");
  }
  void add(const std::string& name, const std::string& tolerance, const std::string& use) const {
    write("data/scenarios/papers/" + name + ".yaml",
          small_scenario("{name: cas}",
                         "expect: [{id: few, kind: value, metric: goodput_ops_s, "
                         "value: 1k, tolerance: " +
                             tolerance + ", source: s, profile: paper, use: " + use + "}]\n"));
  }
  Finished reproduce(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "reproduce");
    arguments.insert(arguments.end(), {"--data", "data", "--out", "all"});
    return latchlab(arguments);
  }
};

TEST_F(Reproduce, runs_every_experiment_of_a_paper_and_summarises) {
  const Finished finished = reproduce({"toy"});
  EXPECT_EQ(finished.code, 1) << "a calibration is missed";
  EXPECT_TRUE(exists("all/toy/one/results.json"));
  EXPECT_TRUE(exists("all/toy/two/results.json"));
  EXPECT_FALSE(exists("all/other"));
  EXPECT_THAT(finished.out, ContainsRegex("\nexperiment +use +profile +figures +within"));
  EXPECT_THAT(finished.out, ContainsRegex("\ntoy/one +calibration +paper +1 +0%"));
  EXPECT_THAT(finished.out, ContainsRegex("\ntoy/two +validation +paper +1 +100%"));
  EXPECT_THAT(finished.out,
              ContainsRegex("Worst misses:\n  toy/one: few .paper.: 1.0 k published"));
  EXPECT_EQ(finished.out.find("== toy/one"), finished.out.rfind("== toy/one"));
  const Json summary = json("all/summary.json");
  EXPECT_EQ(summary["experiments"][0]["experiment"], "toy/one");
  EXPECT_EQ(summary["experiments"][0]["worst"][0], "few");
}

TEST_F(Reproduce, one_experiment_can_be_named) {
  EXPECT_EQ(reproduce({"toy/two", "--quiet"}).code, 0);
  EXPECT_TRUE(exists("all/toy/two/results.json"));
  EXPECT_FALSE(exists("all/toy/one"));
}

TEST_F(Reproduce, an_unknown_paper_is_refused_with_a_list_of_the_known_ones) {
  const Finished finished = reproduce({"toys"});
  EXPECT_EQ(finished.code, 2);
  EXPECT_THAT(finished.err, HasSubstr("'toys' below scenarios/papers; known: "));
  EXPECT_THAT(finished.err, HasSubstr("toy/one, toy/two"));
  EXPECT_FALSE(exists("all"));
}

TEST_F(Reproduce, one_invalid_file_is_refused_before_anything_runs) {
  write("data/scenarios/papers/toy/two.yaml", "schema: 2\n");
  EXPECT_EQ(reproduce({"toy"}).code, 2);
  EXPECT_FALSE(exists("all"));
}

// The command would wait for a pipe that no process writes to.
TEST_F(Reproduce, a_summary_that_is_not_a_file_is_refused) {
  std::filesystem::create_directory(path("all"));
  ASSERT_EQ(::mkfifo(path("all/summary.json").c_str(), 0600), 0);
  const Finished finished = reproduce({"toy", "--resume"});
  EXPECT_EQ(finished.code, 2);
  EXPECT_THAT(finished.err, HasSubstr("all/summary.json: not a file"));
}

// An order that holds, a disputed figure, five numbers of clients.
class ReproducePaper : public Browser {
 protected:
  void SetUp() override {
    Browser::SetUp();
    std::filesystem::create_directories(path("data/scenarios/papers/toy"));
    write("data/scenarios/papers/toy/README.md",
          "# Toys\n\nWhat is **assumed**.\n\n## Disputed\n\n- one `thing`\n- another\n");
    write(
        "data/scenarios/papers/toy/clients.yaml",
        small_scenario(
            "{name: cas, label: \"a, b\"}",
            "sweep: {grid: {platform.clients_per_node: [1, 2, 4, 8, 16]}}\n"
            "expect:\n"
            "  - {id: grows, kind: order, metric: goodput_ops_s, over: platform.clients_per_node, "
            "order: [4, 1], source: s, use: validation}\n"
            "  - {id: odd, kind: value, metric: goodput_ops_s, "
            "where: {platform.clients_per_node: 1}, value: 1, source: s, use: validation, "
            "disputed: it contradicts the text}\n"));
    write("data/scenarios/papers/toy/one.yaml", small_scenario("{name: mcs}"));
  }
  std::vector<std::string> words(const std::string& out, std::vector<std::string> more = {}) {
    more.insert(more.begin(), {"reproduce", "toy", "--data", "data", "--out", out});
    more.insert(more.end(), {"--repeats", "3"});
    return more;
  }
};

TEST_F(ReproducePaper, prints_expected_cost_and_progress) {
  const Finished finished = latchlab(words("r", {"--jobs", "1", "--quick"}));
  EXPECT_EQ(finished.code, 0) << finished.err;
  EXPECT_THAT(finished.out, HasSubstr("2 experiments, 4 points, 12 runs, 1 at once: about 1 s\n"
                                      "A quick run: 1 of them have fewer points"));
  EXPECT_THAT(finished.out, ContainsRegex("== toy/clients .1 of 2, about [0-9]+ s left."));
  EXPECT_THAT(finished.out, ContainsRegex("== toy/one .2 of 2, about [0-9]+ s left."));
}

TEST_F(ReproducePaper, a_quick_run_reports_what_it_left_out_and_predicts_nothing) {
  const Finished finished = latchlab(words("r", {"--quick"}));
  EXPECT_EQ(finished.code, 0) << finished.err;
  const std::string cut = "platform.clients_per_node: 3 of 5 values";
  EXPECT_THAT(finished.out, HasSubstr("quick: " + cut));
  EXPECT_EQ(json("r/toy/clients/results.json")["manifest"]["quick"][0], cut);
  EXPECT_EQ(json("r/toy/clients/results.json")["points"].size(), 3u);
  EXPECT_EQ(json("r/summary.json")["quick"], true);
  EXPECT_THAT(read("r/toy.html"), HasSubstr(cut));
  EXPECT_FALSE(exists("r/predictions"));
  EXPECT_FALSE(exists("r/toy/clients/sensitivity.json"));
  // The stored results report it, too.
  EXPECT_EQ(latchlab({"report", "r/toy/clients", "--out", "again.html"}).code, 0);
  EXPECT_THAT(read("again.html"), HasSubstr(cut));
  // A quick run is not resumed as a full one, nor the other way round.
  const Finished full = latchlab(words("r", {"--resume"}));
  EXPECT_EQ(full.code, 2);
  EXPECT_THAT(full.err, HasSubstr("r holds a quick run: go on with it with --quick"));
  EXPECT_EQ(latchlab({"run", "papers/toy/one", "--data", "data", "--resume", "--repeats", "3",
                      "--out", "r/toy/one"})
                .code,
            0)
      << "of this nothing was left out";
  EXPECT_EQ(latchlab({"run", "papers/toy/clients", "--data", "data", "--resume", "--out",
                      "r/toy/clients"})
                .code,
            2);
}

TEST_F(ReproducePaper, a_full_run_gives_byte_identical_predictions) {
  ASSERT_EQ(latchlab(words("r", {"--jobs", "1"})).code, 0);
  ASSERT_EQ(latchlab(words("again", {"--jobs", "3"})).code, 0);
  const std::string lines = read("r/predictions/toy.csv");
  EXPECT_EQ(read("again/predictions/toy.csv"), lines);
  EXPECT_THAT(lines, HasSubstr("experiment,system,point,metric,value,low,high\n"
                               "toy/clients,\"a, b\",platform.clients_per_node=1,goodput_ops_s,"));
  EXPECT_THAT(lines, HasSubstr("\ntoy/one,mcs,,acquire_ns.p999,"));
  std::istringstream stream(lines);
  std::string line;
  std::getline(stream, line);
  int count = 0;
  bool wide = false;
  for (; std::getline(stream, line); ++count) {
    std::vector<double> numbers;
    std::string rest = line;
    for (int i = 0; i < 3; ++i) {
      numbers.insert(numbers.begin(), std::stod(rest.substr(rest.rfind(',') + 1)));
      rest.erase(rest.rfind(','));
    }
    EXPECT_LE(numbers[1], numbers[0]) << line;
    EXPECT_GE(numbers[2], numbers[0]) << line;
    wide = wide || numbers[2] > numbers[1];
  }
  EXPECT_GE(count, 30);
  EXPECT_TRUE(wide);
}

TEST_F(ReproducePaper, predictions_of_one_experiment_have_a_file_name_of_their_own) {
  ASSERT_EQ(
      latchlab({"reproduce", "toy/one", "--data", "data", "--out", "r", "--predictions", "p/q"})
          .code,
      0);
  EXPECT_THAT(read("p/q/toy-one.csv"), HasSubstr("\ntoy/one,mcs,,goodput_ops_s,"));
  EXPECT_FALSE(exists("r/predictions"));
  const Finished quick = latchlab(words("s", {"--quick", "--predictions", "p"}));
  EXPECT_EQ(quick.code, 2);
  EXPECT_THAT(quick.err, HasSubstr("--predictions"));
}

// A single lock is compared with none, so that no constant widens its interval.
TEST_F(ReproducePaper, one_repeat_has_no_interval) {
  const std::vector<std::string> one = {"reproduce", "toy/one", "--data", "data"};
  const auto goodput = [&](const std::string& out, const std::string& repeats) {
    std::vector<std::string> with = one;
    with.insert(with.end(), {"--repeats", repeats, "--out", out});
    EXPECT_EQ(latchlab(with).code, 0);
    const std::string lines = read(out + "/predictions/toy-one.csv");
    const std::size_t at = lines.find("toy/one,mcs,,goodput_ops_s,");
    return lines.substr(at, lines.find('\n', at) - at);
  };
  EXPECT_THAT(goodput("once", "1"), ContainsRegex("goodput_ops_s,[0-9.e+]+,,$"));
  EXPECT_THAT(goodput("thrice", "3"),
              ContainsRegex("goodput_ops_s,[0-9.e+]+,[0-9.e+]+,[0-9.e+]+$"));
}

// The factors of the constants come from the last point, whose slots are idle most of the time.
TEST_F(ReproducePaper, the_interval_of_a_share_ends_at_one) {
  std::filesystem::create_directories(home() / "data/scenarios/papers/shares");
  write("data/scenarios/papers/shares/one.yaml",
        "schema: 1\nname: shares\nplatform: {nic: connectx-6, client_nodes: 4, "
        "clients_per_node: 8}\nrun: {warmup: 1ms, duration: 2ms, repeats: 2}\n"
        "sweep: {grid: {locks.count: [1, 100], protocol: [cas, mcs]}}\n"
        "report: {figures: [{x: locks.count, y: server_nic.utilisation.hottest_slot}]}\n");
  ASSERT_EQ(latchlab({"reproduce", "shares", "--data", "data", "--out", "r"}).code, 0);
  std::istringstream lines(read("r/predictions/shares.csv"));
  double most = 0;
  for (std::string line; std::getline(lines, line);) {
    if (line.find(",server_nic.utilisation.hottest_slot,") == std::string::npos) continue;
    const std::string high = line.substr(line.rfind(',') + 1);
    if (!high.empty()) most = std::max(most, std::stod(high));
  }
  EXPECT_EQ(most, 1);
}

TEST_F(ReproducePaper, a_row_names_the_line_of_its_figure) {
  std::filesystem::create_directories(home() / "data/scenarios/papers/lines");
  write("data/scenarios/papers/lines/one.yaml",
        "schema: 1\nname: lines\nrun: {warmup: 100us, duration: 400us}\n"
        "sweep:\n  zip: [{protocol: [cas, mcs], run.duration: [300us, 400us]}]\n"
        "  grid: {workload.read_ratio: [10%, 90%], platform.clients_per_node: [2, 4]}\n"
        "report: {figures: [{x: clients, y: goodput_ops_s, series: workload.read_ratio}]}\n");
  ASSERT_EQ(latchlab({"reproduce", "lines", "--data", "data", "--out", "r"}).code, 0);
  const std::string lines = read("r/predictions/lines.csv");
  for (const std::string point :
       {"clients=2;workload.read_ratio=10%", "clients=4;workload.read_ratio=90%"})
    EXPECT_THAT(lines, HasSubstr("\nlines/one,mcs," + point + ",goodput_ops_s,"));
}

// A long pause between tries is bad here; it comes first.
TEST_F(ReproducePaper, only_the_best_variant_of_a_line_counts) {
  std::filesystem::create_directories(home() / "data/scenarios/papers/best");
  write("data/scenarios/papers/best/one.yaml",
        "schema: 1\nname: best\nplatform: {client_nodes: 2}\n"
        "run: {warmup: 100us, duration: 400us}\n"
        "sweep:\n  grid:\n    platform.clients_per_node: [4, 6]\n    protocol:\n"
        "      - {name: cas, backoff_initial: 1ms, label: slow}\n"
        "      - {name: cas, backoff: none, label: quick}\n      - mcs\n"
        "  best_of: {lines: {CAS: [slow, quick]}}\n"
        "report: {figures: [{x: clients, y: goodput_ops_s}]}\n");
  ASSERT_EQ(latchlab({"reproduce", "best", "--data", "data", "--out", "r"}).code, 0);
  const std::string lines = read("r/predictions/best.csv");
  const auto goodput_of = [&](const std::string& what) {
    const Json results = json("r/best/one/results.json");
    for (const Json& point : results["points"])
      if (point["label"] == what && point["axes"]["platform.clients_per_node"] == "4")
        return point["metrics"]["goodput_ops_s"]["mean"].get<double>();
    return 0.0;
  };
  EXPECT_LT(goodput_of("slow"), goodput_of("quick"));
  EXPECT_THAT(lines, HasSubstr(fmt::format("\nbest/one,CAS,clients=8,goodput_ops_s,{:.6g},",
                                           goodput_of("quick"))));
  std::size_t goodputs = 0;
  for (std::size_t at = 0; (at = lines.find(",goodput_ops_s,", at)) != std::string::npos; ++at)
    ++goodputs;
  EXPECT_EQ(goodputs, 4u) << "two lines at two points: " << lines;
  ASSERT_EQ(latchlab({"export", "r/best/one", "--gnuplot"}).code, 0);
  const std::string data = read("r/best/one/gnuplot/fig1.dat");
  EXPECT_THAT(data, HasSubstr("CAS"));
  EXPECT_THAT(data, Not(HasSubstr("quick"))) << "a line has its own name";
  const Finished bad = latchlab({"check", "data/scenarios/papers/best/one.yaml", "--set",
                                 "sweep.best_of.metric=window.batches"});
  EXPECT_EQ(bad.code, 2);
  EXPECT_THAT(bad.err, HasSubstr("sweep.best_of: metric is 'window.batches'"));
}

TEST_F(ReproducePaper, an_interrupted_run_resumes_to_the_same_results) {
  ASSERT_EQ(latchlab(words("whole")).code, 0);
  Started started = start(words("r", {"--jobs", "1"}));
  ASSERT_TRUE(appears("r/toy/clients/points/0001-0.json"));
  started.send(SIGINT);
  const Finished cut = started.wait();
  EXPECT_EQ(cut.code, 130);
  EXPECT_THAT(cut.err, HasSubstr("goes on with it:\n  latchlab reproduce toy --repeats 3 --data "
                                 "'data' --resume --out r\n"));
  EXPECT_FALSE(exists("r/predictions"));
  EXPECT_TRUE(exists("r/toy.html"));
  ASSERT_EQ(latchlab(words("r", {"--resume"})).code, 0);
  for (const char* file : {"/predictions/toy.csv", "/summary.json", "/toy/clients/results.json"})
    EXPECT_EQ(read(std::string("r") + file), read(std::string("whole") + file)) << file;
}

TEST_F(ReproducePaper, predictions_are_written_only_after_the_sensitivity_search) {
  ASSERT_EQ(latchlab({"reproduce", "toy/one", "--data", "data", "--out", "whole"}).code, 0);
  Started started = start({"reproduce", "toy/one", "--data", "data", "--out", "r", "--jobs", "1"});
  ASSERT_TRUE(appears("r/toy/one/sensitivity/sections/points/0001-0.json"));
  started.send(SIGINT);
  EXPECT_EQ(started.wait().code, 130);
  EXPECT_TRUE(exists("r/toy/one/results.json"));
  EXPECT_FALSE(exists("r/predictions"));
  ASSERT_EQ(latchlab({"reproduce", "toy/one", "--data", "data", "--out", "r", "--resume"}).code, 0);
  EXPECT_EQ(read("r/predictions/toy-one.csv"), read("whole/predictions/toy-one.csv"));
}

TEST_F(ReproducePaper, its_page_shows_scores_orders_disputes_and_every_figure) {
  ASSERT_EQ(latchlab(words("r", {"--quick"})).code, 0);
  if (find_browser().empty()) GTEST_SKIP() << kNoBrowser;
  const Seen seen = look_at("r/toy.html");
  EXPECT_EQ(seen.console, "");
  EXPECT_EQ(dump_json(seen.facts["problems"]), "[]");
  EXPECT_EQ(dump_json(seen.facts["requests"]), "[]");
  EXPECT_EQ(seen.facts["figures"].size(), 2u);
  for (const char* text :
       {"Scores over all experiments", "Of 1 orders 1 hold, 0 fail, 0 are undecided",
        "It contradicts the text. (clients: odd)", "What is <strong>assumed</strong>.",
        "<li>one <code>thing</code></li>", "href=\"toy/clients/report.html\"", "A quick run. "})
    EXPECT_THAT(seen.document, HasSubstr(text));
}

}  // namespace
}  // namespace latchlab::cli_test

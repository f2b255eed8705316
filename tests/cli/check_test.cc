// Scenarios from stdin, and the JSON output of `check`.
#include <gmock/gmock.h>

#include "tests/cli/program.h"
#include "tests/paths.h"

namespace latchlab::cli_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class Check : public Command {
 protected:
  Finished piped(const std::string& words, const std::string& text) {
    write("input", text);
    return start_program({"/bin/sh", "-c", std::string(LATCHLAB_BINARY) + " " + words + " < input"})
        .wait();
  }
};

TEST_F(Check, a_scenario_may_come_from_stdin) {
  EXPECT_THAT(piped("check -", small_scenario("{name: cas}")).out,
              HasSubstr("stdin: fine: 1 point, 1 run,"));
  EXPECT_THAT(piped("check -", small_scenario("{name: cas}", "colour: red\n")).err,
              ::testing::ContainsRegex("latchlab: stdin:[0-9]+: unknown key 'colour'"));
  EXPECT_EQ(piped("check -", "").code, 2);
  ASSERT_EQ(piped("run - --quiet --seed 7", small_scenario("{name: cas}")).code, 0);
  write("small.yaml", small_scenario("{name: cas}"));
  ASSERT_EQ(latchlab({"run", "small.yaml", "--quiet", "--seed", "7"}).code, 0);
  EXPECT_EQ(read("results/small-1/results.csv"), read("results/small-2/results.csv"));
}

TEST_F(Check, a_run_from_stdin_is_resumed_from_its_directory) {
  ASSERT_EQ(piped("run - --quiet --seed 7 --out out", small_scenario("{name: cas}")).code, 0);
  const std::string results = read("out/results.json");
  const Finished again = latchlab({"run", "out/scenario.yaml", "--resume", "--out", "out"});
  EXPECT_EQ(again.code, 0) << again.err;
  EXPECT_THAT(again.err, HasSubstr("1 of 1 run are there already"));
  EXPECT_EQ(read("out/results.json"), results);
}

TEST_F(Check, json_has_points_runs_estimate_and_warnings) {
  write("small.yaml",
        small_scenario("{name: dslr, lease: 1ms}", "sweep: {grid: {locks.count: [1, 2, 3]}}\n"));
  const Finished finished = latchlab({"check", "small.yaml", "--json", "--repeats", "2"});
  EXPECT_EQ(finished.code, 0);
  EXPECT_EQ(finished.err, "");
  const Json said = parse_json(finished.out);
  EXPECT_EQ(said["valid"], true);
  EXPECT_EQ(said["file"], "small.yaml");
  EXPECT_EQ(said["name"], "small");
  EXPECT_EQ(said["points"], 3);
  EXPECT_EQ(said["runs"], 6);
  EXPECT_GT(said["estimate"]["seconds"].get<double>(), 0);
  EXPECT_GT(said["estimate"]["mib"].get<double>(), 0);
  ASSERT_GE(said["warnings"].size(), 1u);
  EXPECT_THAT(said["warnings"][0].get<std::string>(), StartsWith("run.duration 400us is shorter"));
  EXPECT_EQ(said["errors"], Json::array());
}

TEST_F(Check, refuses_warnings_of_published_experiments_that_have_no_reason) {
  const std::string text = small_scenario("{name: dslr, lease: 1ms}");
  const auto check = [&](const char* file, const std::string& allow) {
    write(file, text + allow);
    return latchlab({"check", file});
  };
  const char* const paper = "scenarios/papers/toy/fig1.yaml";
  std::filesystem::create_directories(home() / "scenarios/papers/toy");
  EXPECT_EQ(check("small.yaml", "").code, 0);
  const Finished refused = check(paper, "");
  EXPECT_EQ(refused.code, 2);
  EXPECT_THAT(refused.err, HasSubstr("run.duration 400us is shorter"));
  EXPECT_THAT(refused.err, HasSubstr("allow: {short_duration: REASON}"));
  const Finished fine = check(paper, "allow: {short_duration: no client crashes}\n");
  EXPECT_EQ(fine.code, 0) << fine.err;
  EXPECT_THAT(fine.out, HasSubstr("allowed (no client crashes): run.duration 400us is shorter"));
  // A reason for what does not happen is a mistake, too; other values by --set are the user's own.
  const std::string two = "allow: {short_duration: no client crashes, late_fault: none}\n";
  EXPECT_EQ(check("small.yaml", two).code, 0);
  EXPECT_THAT(latchlab({"check", "small.yaml"}).out, HasSubstr("warning: allow.late_fault"));
  EXPECT_EQ(check(paper, two).code, 2);
  EXPECT_EQ(latchlab({"check", paper, "--set", "run.duration=300us"}).code, 0);
}

// citron's T_wait has to cover two round trips.
TEST_F(Check, warns_of_a_lock_that_is_never_granted_even_to_a_lone_client) {
  write("short.yaml",
        "schema: 1\nname: short\nplatform: {client_nodes: 2}\n"
        "workload: {kind: range, units: 256, sizes: 8}\n"
        "protocol: {name: citron, units: 256, lease: 100us}\n"
        "run: {warmup: 100us, duration: 1ms}\n"
        "sweep: {grid: {protocol.t_wait: [1us, 2us, 15us]}}\n");
  const Json said = parse_json(latchlab({"check", "short.yaml", "--json"}).out);
  EXPECT_EQ(said["valid"], true);
  std::vector<std::string> never;
  for (const Json& warning : said["warnings"])
    if (warning.get<std::string>().find("never grants") != std::string::npos)
      never.push_back(warning.get<std::string>());
  EXPECT_THAT(never, ElementsAre(HasSubstr("protocol.t_wait is 1us: set it to 15us"),
                                 HasSubstr("protocol.t_wait is 2us: set it to 15us")));
  const Finished run = latchlab({"run", "short.yaml"});
  EXPECT_THAT(run.err, HasSubstr("latchlab: warning: citron never grants its lock"));
}
TEST_F(Check, warns_of_a_lease_that_ends_before_a_grant_can_be_used) {
  for (const char* lock :
       {"{name: citron, units: 256, lease: 1us}", "{name: static_segments, lease: 1us}"}) {
    write("short.yaml", small_scenario(lock));
    EXPECT_THAT(latchlab({"check", "short.yaml"}).out,
                HasSubstr("protocol.lease is 1us: set it to 10ms"))
        << lock;
  }
}

TEST_F(Check, json_has_each_error_with_its_place) {
  const auto error = [&](const std::vector<std::string>& words) {
    std::vector<std::string> all = {"check", "--json"};
    all.insert(all.end(), words.begin(), words.end());
    const Finished finished = latchlab(all);
    EXPECT_EQ(finished.code, 2);
    EXPECT_EQ(finished.err, "");
    const Json said = parse_json(finished.out);
    EXPECT_EQ(said["valid"], false);
    EXPECT_EQ(said["errors"].size(), 1u);
    return said["errors"][0];
  };
  write("bad.yaml", "schema: 1\nname: x\nprotocol: {name: cas}\nlocks: {cuont: 5}\n");
  EXPECT_EQ(error({"bad.yaml"}),
            Json({{"file", "bad.yaml"},
                  {"line", 4},
                  {"message", "unknown key 'cuont' in locks; did you mean 'count'?"}}));
  write("good.yaml", small_scenario("{name: cas}"));
  const Json set = error({"good.yaml", "--set", "locks.cuont=5"});
  EXPECT_EQ(set["file"], "--set locks.cuont=5");
  EXPECT_EQ(set["line"], nullptr);
  EXPECT_EQ(error({"good.yaml", "--set", "locks"})["file"], nullptr);
  EXPECT_EQ(error({"nowhere"})["file"], "nowhere");
}

// A platform file whose host names are not numbered in the order of the nodes.
class PlatformHosts : public Command {
 protected:
  void SetUp() override {
    Command::SetUp();
    write("p.xml",
          "<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM "
          "\"https://simgrid.org/simgrid.dtd\">\n<platform version=\"4.1\">\n"
          "<zone id=\"w\" routing=\"Full\">\n"
          "<host id=\"rack-10\" speed=\"1Gf\"/><host id=\"rack-9\" speed=\"1Gf\"/>"
          "<host id=\"front\" speed=\"1Gf\"/>\n"
          "<link id=\"l\" bandwidth=\"12.5GBps\" latency=\"100ns\"/>\n"
          "<link id=\"far\" bandwidth=\"12.5GBps\" latency=\"2us\"/>\n" +
              route("rack-10", "rack-9", "far") + route("rack-10", "front", "far") +
              route("rack-9", "front", "l") + "</zone></platform>\n");
    write("p.yaml",
          "schema: 1\nname: p\nprotocol: {name: cas}\nlocks: {count: 4}\n"
          "platform: {client_nodes: 2, topology: {file: p.xml}}\n"
          "run: {warmup: 100us, duration: 400us}\n");
  }
  static std::string route(const std::string& from, const std::string& to,
                           const std::string& link) {
    return "<route src=\"" + from + "\" dst=\"" + to + "\"><link_ctn id=\"" + link +
           "\"/></route>\n";
  }
};

TEST_F(PlatformHosts, are_printed_and_stored_by_node) {
  const std::string line =
      "p.xml: server 0 is front, client node 0 is rack-9, client node 1 is rack-10\n";
  const Finished checked = latchlab({"check", "p.yaml"});
  EXPECT_EQ(checked.code, 0) << checked.err;
  EXPECT_THAT(checked.out, HasSubstr(line));
  const Json said = parse_json(latchlab({"check", "p.yaml", "--json"}).out);
  EXPECT_EQ(said["hosts"][0]["client node 1"], "rack-10");
  const Finished finished = latchlab(
      {"run", "p.yaml", "--out", "r", "--set", "sweep={grid: {platform.client_nodes: [1, 2]}}"});
  EXPECT_EQ(finished.code, 0) << finished.err;
  EXPECT_THAT(finished.err, HasSubstr(line));
  EXPECT_EQ(read("r/hosts.csv"),
            "point,node,host\n0,server 0,front\n0,client node 0,rack-9\n1,server 0,front\n"
            "1,client node 0,rack-9\n1,client node 1,rack-10\n");
  write("star.yaml", small_scenario("{name: cas}"));
  EXPECT_EQ(latchlab({"run", "star.yaml", "--quiet", "--out", "s"}).code, 0);
  EXPECT_FALSE(exists("s/hosts.csv"));
}

TEST_F(PlatformHosts, of_a_sweep_over_hosts_are_stored_for_each_point) {
  const char* const sweep =
      "sweep={grid: {platform.topology.nodes: [[front, rack-9, rack-10], [rack-10, front, "
      "rack-9]]}}";
  const Finished finished = latchlab({"run", "p.yaml", "--quiet", "--out", "s", "--set", sweep});
  EXPECT_EQ(finished.code, 0) << finished.err;
  EXPECT_EQ(read("s/hosts.csv"),
            "point,node,host\n0,server 0,front\n0,client node 0,rack-9\n0,client node 1,rack-10\n"
            "1,server 0,rack-10\n1,client node 0,front\n1,client node 1,rack-9\n");
}

// The one distant host is the server in one run and a client in the other.
TEST_F(PlatformHosts, are_chosen_by_the_scenario) {
  const auto chosen = [](const std::string& nodes) {
    return "platform.topology.nodes=[" + nodes + "]";
  };
  const Finished checked =
      latchlab({"check", "p.yaml", "--set", chosen("rack-10, front, rack-9, rack-10")});
  EXPECT_EQ(checked.code, 2);
  EXPECT_THAT(checked.err, HasSubstr("names 'rack-10' twice"));
  const Finished unknown = latchlab({"check", "p.yaml", "--set", chosen("frnt, rack-9, rack-10")});
  EXPECT_EQ(unknown.code, 2);
  EXPECT_THAT(unknown.err, HasSubstr("it has no host 'frnt', which platform.topology.nodes names; "
                                     "it has front, rack-9, rack-10"));
  const auto goodput = [&](const std::string& out, const std::string& nodes) {
    const Finished finished =
        latchlab({"run", "p.yaml", "--quiet", "--out", out, "--set", chosen(nodes)});
    EXPECT_EQ(finished.code, 0) << finished.err;
    return read(out + "/results.csv");
  };
  const std::string by_name = goodput("a", "front, rack-9, rack-10");
  const std::string turned = goodput("b", "rack-10, front, rack-9");
  EXPECT_EQ(read("b/hosts.csv"),
            "point,node,host\n0,server 0,rack-10\n0,client node 0,front\n0,client node 1,rack-9\n");
  EXPECT_NE(by_name, turned);
}

}  // namespace
}  // namespace latchlab::cli_test

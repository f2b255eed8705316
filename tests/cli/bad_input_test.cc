// Every kind of invalid scenario: one short line on stderr with the place and the fix, exit code 2,
// nothing on stdout, no file left behind.
#include <gmock/gmock.h>
#include <sys/stat.h>

#include <algorithm>

#include "core/base/random.h"
#include "tests/cli/program.h"

namespace latchlab::cli_test {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

class BadInput : public Command {
 protected:
  void expect_refused(const std::vector<std::string>& arguments, const std::string& start,
                      const std::string& fix) {
    for (const char* command : {"check", "run"}) {
      std::vector<std::string> words = {command};
      words.insert(words.end(), arguments.begin(), arguments.end());
      const Finished finished = latchlab(words);
      SCOPED_TRACE(finished.err);
      EXPECT_EQ(finished.code, 2);
      EXPECT_EQ(finished.out, "");
      EXPECT_THAT(finished.err, StartsWith("latchlab: " + start));
      EXPECT_THAT(finished.err, HasSubstr(fix));
      EXPECT_EQ(std::count(finished.err.begin(), finished.err.end(), '\n'), 1);
      EXPECT_LT(finished.err.size(), 500u);
      EXPECT_FALSE(exists("results"));
    }
  }

  // The line under test is line 4, after three that every scenario needs.
  void expect_line_refused(const std::string& line, const std::string& start,
                           const std::string& fix) {
    SCOPED_TRACE(line);
    write("bad.yaml", "schema: 1\nname: bad\nprotocol: {name: cas}\n" + line + "\n");
    expect_refused({"bad.yaml"}, "bad.yaml:" + start, fix);
  }

  void expect_text_refused(const std::string& text, const std::string& start,
                           const std::string& fix) {
    write("bad.yaml", text);
    expect_refused({"bad.yaml"}, "bad.yaml:" + start, fix);
  }
};

TEST_F(BadInput, keys_that_are_unknown_misspelt_or_written_twice) {
  expect_line_refused("colour: red", "4: unknown key 'colour'", "known: schema, name");
  expect_line_refused("platfrom: {servers: 1}", "4: unknown key 'platfrom'",
                      "did you mean 'platform'?");
  expect_line_refused("run: {seed: 1, seed: 2}", "4: duplicate key 'seed'", "remove one");
}

TEST_F(BadInput, quantities_with_the_wrong_unit_sign_or_size) {
  expect_line_refused("run: {warmup: 20}", "4: run.warmup: '20' has no unit", "such as 2us");
  expect_line_refused("run: {warmup: 20KiB}", "4: run.warmup: '20KiB'", "units: ps, ns, us, ms, s");
  expect_line_refused("locks: {count: 0}", "4: locks.count is 0", "allowed: 1 to");
  expect_line_refused("platform: {servers: -1}", "4: platform.servers: '-1' is negative",
                      "expected a whole number");
  expect_line_refused("locks: {count: 9000000G}", "4: locks.count x stride is",
                      "beyond the 48-bit address space; at most");
}

TEST_F(BadInput, a_nic_that_does_not_exist) {
  expect_line_refused("platform: {nic: conectx-5}", "4: there is no NIC 'conectx-5'",
                      "did you mean 'connectx-5'?");
}

TEST_F(BadInput, platform_files_that_simgrid_refuses) {
  const auto expect_file_refused = [&](const std::string& text, const std::string& reason) {
    write("net.xml", "<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n" + text);
    write("bad.yaml",
          "schema: 1\nname: bad\nprotocol: {name: cas}\nplatform: {topology: {file: net.xml}}\n");
    expect_refused({"bad.yaml"}, "", reason);
  };
  expect_line_refused("platform: {topology: {file: none.xml}}", "4: platform.topology.file",
                      "there is no file 'none.xml'");
  expect_file_refused("<platform", "net.xml: SimGrid cannot use this platform");
  expect_file_refused(
      "<platform version=\"4.1\"><zone id=\"z\" routing=\"Full\">"
      "<host id=\"a\" speed=\"1Gf\"/></zone></platform>",
      "it has 1 of the 2 hosts");
  expect_file_refused(
      "<platform version=\"4.1\"><zone id=\"z\" routing=\"Full\">"
      "<host id=\"a\" speed=\"1Gf\"/><host id=\"b\" speed=\"1Gf\"/></zone>"
      "</platform>",
      "a zone of hosts without any route");
}

TEST_F(BadInput, parameters_out_of_range_or_of_another_lock) {
  const std::string head = "schema: 1\nname: bad\n";
  expect_text_refused(head + "protocol: {name: cas, backoff_cap_shift: 99}\n",
                      "3: protocol.backoff_cap_shift is 99", "allowed: 0 to 20");
  expect_text_refused(head + "protocol: {name: cas, max_consecutive_writers: 4}\n",
                      "3: parameter 'max_consecutive_writers' belongs to shiftlock", "remove it");
  expect_text_refused(head + "protocol: {name: shiftlok}\n", "3: there is no protocol 'shiftlok'",
                      "did you mean 'shiftlock'?");
}

TEST_F(BadInput, sweeps_over_unknown_paths_or_without_values) {
  expect_line_refused("sweep: {grid: {platform.client_per_node: [1, 2]}}",
                      "4: ", "clients_per_node");
  expect_line_refused("sweep: {grid: {}}", "4: sweep has no axis", "leave sweep out");
  expect_line_refused("sweep: {grid: {locks.count: []}}", "4: sweep path 'locks.count'",
                      "give at least one value");
}

TEST_F(BadInput, figures_over_columns_or_metrics_that_points_lack) {
  expect_line_refused("report: {figures: [{x: clints, y: goodput}]}",
                      "4: report.figures: x is 'clints', which points do not have (did you mean "
                      "'clients'?); known: label, clients, any other path",
                      "any metric");
  expect_line_refused(
      "sweep: {grid: {locks.count: [1, 2]}}\nreport:\n  figures:\n    - x: label\n"
      "      y: acquire.p99",
      "8: report.figures: y is 'acquire.p99', which is no metric",
      "(did you mean 'acquire_ns.p99'?); known: goodput, mean, p50, p99, ");
  expect_line_refused("report: {figures: [{x: label, y: acquire_ns}]}",
                      "4: report.figures: y is 'acquire_ns', which is no number; choose one of "
                      "acquire_ns.count, acquire_ns.mean",
                      "acquire_ns.p999");
  expect_line_refused("report: {figures: [{x: label, y: p50, series: locks.cuont}]}",
                      "4: report.figures: series is 'locks.cuont', which points do not have (did "
                      "you mean 'locks.count'?)",
                      "known: label, clients");
  const std::string swept =
      "sweep: {grid: {locks.count: [1, 2], workload.read_ratio: [0%, 50%]}}\nreport:\n  figures:\n"
      "    - x: locks.count\n      y: goodput\n      ";
  expect_line_refused(swept + "mean_over: run.seed",
                      "9: report.figures: mean_over is 'run.seed', which the sweep does not vary",
                      "swept: locks.count, workload.read_ratio");
  expect_line_refused(swept + "mean_over: locks.count",
                      "9: report.figures: mean_over is 'locks.count', which is x or series",
                      "leave mean_over out");
  expect_line_refused(swept + "relative_to: mcs",
                      "9: report.figures: relative_to is 'mcs'; expected PATH=VALUE", "label=mcs");
  expect_line_refused(swept + "relative_to: read_ratio=5%",
                      "9: report.figures: relative_to is 'read_ratio=5%', and no point has this "
                      "value (did you mean",
                      "known: 0%, 50%");
  expect_line_refused("report: {figures: [{x: label, y: p50, series: goodput}]}",
                      "4: report.figures: series is 'goodput', which points do not have",
                      "known: ");
}

TEST_F(BadInput, documents_that_are_no_scenarios) {
  expect_text_refused("- 1\n", "1: the document holds a list", "begins with 'schema: 1'");
  expect_text_refused("", "1: the document holds nothing", "begins with 'schema: 1'");
  expect_text_refused("schema: 7\nname: x\n", "1: schema is '7'", "this build reads schema 1");
  expect_text_refused("schema: [\n", "", "");
}

TEST_F(BadInput, alias_bombs_and_random_bytes) {
  std::string bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 12; ++i) {
    const std::string below = "*a" + std::to_string(i - 1);
    bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + below;
    for (int more = 1; more < 10; ++more) bomb += ", " + below;
    bomb += "]\n";
  }
  expect_text_refused(bomb, "", "fewer aliases");
  std::string bytes(1'000'000, '\0');
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>(hash_of(7, i) & 0xff);
  expect_text_refused(bytes, "1: ", "is not text");
}

TEST_F(BadInput, common_slips_in_yaml_are_named) {
  const std::string head = "schema: 1\nname: bad\n";
  expect_text_refused(head + "protocol:\n\tname: cas\n", "4: a tab indents this line", "spaces");
  expect_text_refused(head + "protocol: {name: cas\nlocks: {count: 1}\n",
                      "3: the bracket '{' is not closed", "");
  expect_text_refused(head + "# it's [fine]\nprotocol: {name: cas, backoff: 'a]'\n",
                      "4: ", "the bracket '{' is not closed");
  expect_text_refused(head + "protocol: {name: cas}\nsweep: {grid: {locks.count: [1, 10}}\n",
                      "4: the bracket '[' is not closed", "");
  expect_text_refused(head + "protocol: | cas\n", "3: nothing may follow | or >", "leave it out");
  expect_text_refused(head + "protocol: |\n  name: cas\n",
                      "3: protocol.name holds a block of text (after | or >)",
                      "expected a name such as shiftlock");
  expect_line_refused("locks:\n  count: |\n    10", "5: locks.count holds a block of text",
                      "in one line");
  expect_line_refused("platform: {nic: {atomic.window: 48}}", "4: base is missing",
                      "{base: connectx-5, ");
}

TEST_F(BadInput, files_that_are_missing_or_cannot_be_read) {
  expect_refused({"missing.yaml"}, "missing.yaml: there is no file", "latchlab list scenarios");
  expect_refused({"."}, ".: not a file", "expected the path of a YAML file");
  expect_refused({"/proc/self/mem"}, "/proc/self/mem: cannot be read", "read");
  ASSERT_EQ(::mkfifo(path("pipe.yaml").c_str(), 0600), 0);
  expect_refused({"pipe.yaml"}, "pipe.yaml: not a file", "expected the path of a YAML file");
}

TEST_F(BadInput, overrides_without_a_value_or_with_an_invalid_one) {
  write("good.yaml", small_scenario("{name: cas}"));
  expect_refused({"good.yaml", "--set", "locks.count"}, "--set locks.count: expected PATH=VALUE",
                 "for example locks.count=1");
  expect_refused({"good.yaml", "--set", "=1"}, "--set =1: expected PATH=VALUE", "for example");
  expect_refused({"good.yaml", "--set", "locks.coutn=1"}, "--set locks.coutn=1: unknown key",
                 "did you mean 'count'?");
  expect_refused({"good.yaml", "--set", "locks.count=[1"}, "--set locks.count=[1: ", "bracket");
  expect_refused({"good.yaml", "--set", "run.repeats=0"}, "--set run.repeats=0: run.repeats is 0",
                 "allowed: 1 to 1k");
  expect_refused({"good.yaml", "--set", "platform.nic.atomic.slots=3"},
                 "--set platform.nic.atomic.slots=3: atomic.slots is 3", "a power of two");
  expect_refused(
      {"good.yaml", "--set", "platform.nic.latency.post=0ns", "--set",
       "platform.nic.latency.one_way=0ns", "--set", "platform.nic.latency.completion=0ns"},
      "--set platform.nic.latency.post=0ns: latency.post, ", "a verb must take time");
}

// `check` reports in advance what `run` cannot do.
TEST_F(BadInput, check_reports_what_run_refuses) {
  write("good.yaml", small_scenario("{name: shiftlock}"));
  const auto expect_cannot = [&](const std::vector<std::string>& sets, const std::string& says) {
    for (const char* command : {"check", "run"}) {
      std::vector<std::string> words = {command, "good.yaml"};
      for (const std::string& set : sets) words.insert(words.end(), {"--set", set});
      const Finished finished = latchlab(words);
      EXPECT_EQ(finished.code, 3) << command;
      EXPECT_THAT(finished.err, HasSubstr(says)) << command;
    }
  };
  expect_cannot({"platform.nic=soft-roce"}, "shiftlock needs masked_atomics_16 (soft-roce has no");
  expect_cannot({"locks.count=1000G", "run.duration=3600s", "platform.clients_per_node=1k"},
                "have fewer clients, locks or a shorter run, or say --beyond-memory");
  const Finished late = latchlab(
      {"check", "good.yaml", "--set", "faults=[{kind: client_crash, at: 30s, client: 0}]"});
  EXPECT_EQ(late.code, 0);
  EXPECT_THAT(late.out,
              HasSubstr("warning: faults.0 (client_crash) is at 30s, and the run ends at"));
}

TEST_F(BadInput, traces_that_cannot_be_replayed) {
  const std::string head = "schema: 1\nname: t\nprotocol: {name: cas}\nlocks: {count: 4}\n";
  write("t.yaml", head + "workload: {kind: trace, trace: {file: t.csv}}\n");
  write("c.yaml", head + "workload: {kind: object_store, objects: {trace: c.csv}}\n");
  expect_refused({"t.yaml"}, "t.yaml:5: workload.trace.file: there is no file", "t.csv");
  expect_refused({"c.yaml"}, "c.yaml:5: workload.objects.trace: there is no file", "c.csv");
  write("t.csv", "# nothing\n");
  write("c.csv", "# nothing\n");
  expect_refused({"t.yaml"}, "./t.csv: is empty", "transaction,lock,mode");
  expect_refused({"c.yaml"}, "./c.csv: has no accesses", "timestamp,key");
  write("t.csv", "transaction,lock,mode\n1,0,x\n2,0,z\n");
  write("c.csv", "0,k,1,0,1,get,0\n0,k,1,0,1,gte,0\n");
  expect_refused({"t.yaml"}, "./t.csv:3: mode 'z' is unknown", "write one of them");
  expect_refused({"c.yaml"}, "./c.csv:2: operation 'gte' is unknown", "or delete the line");
  write("t.csv", "transaction,lock,mode\n1,4,x\n");
  write("c.csv",
        "0,a,1,0,1,get,0\n0,b,1,0,1,get,0\n0,c,1,0,1,get,0\n0,d,1,0,1,get,0\n0,e,1,0,1,get,0\n");
  expect_refused({"t.yaml"}, "workload: these transactions lock 5 things", "set it to 5");
  expect_refused({"c.yaml"}, "./c.csv has 5 objects", "set it to 5");
  for (const char* name : {"t", "c"}) {
    const std::string file = std::string(name) + ".csv";
    const std::string scenario = std::string(name) + ".yaml";
    std::filesystem::remove(path(file));
    ASSERT_EQ(::mkfifo(path(file).c_str(), 0600), 0);
    expect_refused({scenario}, scenario + ":5: workload.", "there is no file '" + file);
    std::filesystem::remove(path(file));
    std::filesystem::create_directory(path(file));
    expect_refused({scenario}, scenario + ":5: workload.", "there is no file '" + file);
  }
}

// A trace that is invalid at one point of a sweep makes the command refuse the whole sweep before
// it runs anything.
TEST_F(BadInput, a_sweep_that_names_an_invalid_trace) {
  write("good.csv", "transaction,lock,mode\n1,0,x\n");
  write("bad.csv", "transaction,lock,mode\n1,0,x\n1,0\n");
  write("t.yaml",
        "schema: 1\nname: t\nprotocol: {name: cas}\nlocks: {count: 4}\nworkload: {kind: trace}\n"
        "sweep: {grid: {workload.trace.file: [good.csv, bad.csv]}}\n");
  expect_refused({"t.yaml"}, "./bad.csv:3: ", "add what is missing");
}

TEST_F(BadInput, more_clients_than_the_lock_supports) {
  write("good.yaml", small_scenario("{name: shiftlock, rdrcnt_bits: 2}"));
  expect_refused({"good.yaml"}, "good.yaml: shiftlock takes at most 3 clients",
                 "the scenario has 4");
}

}  // namespace
}  // namespace latchlab::cli_test

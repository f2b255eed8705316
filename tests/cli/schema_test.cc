// The JSON Schema against the shipped files and against `latchlab check`, and the reference page.
#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>
#include <sstream>

#include "tests/cli/program.h"
#include "tests/non_empty.h"
#include "tests/paths.h"

namespace latchlab::cli_test {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::StartsWith;

const fs::path kRoot = LATCHLAB_SOURCE_DIR;
constexpr const char* kPython = "/usr/bin/python3";  // with the modules of Debian's packages

std::vector<std::string> shipped(const char* folder) {
  std::vector<std::string> files;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(kRoot / folder))
    if (entry.path().extension() == ".yaml") files.push_back(entry.path().string());
  std::sort(files.begin(), files.end());
  return files;
}

class Schema : public Command {
 protected:
  void SetUp() override {
    Command::SetUp();
    const Finished modules = start_program({kPython, "-c", "import jsonschema, yaml"}).wait();
    if (modules.code != 0)
      GTEST_SKIP() << "needs the Debian packages python3-jsonschema and python3-yaml";
  }

  // One line for each file: "good", or "bad: " and the reason.
  std::vector<std::string> validate(const std::vector<std::string>& schema_options,
                                    const std::vector<std::string>& files) {
    std::vector<std::string> arguments = {"schema"};
    arguments.insert(arguments.end(), schema_options.begin(), schema_options.end());
    const Finished schema = latchlab(arguments);
    EXPECT_EQ(schema.code, 0) << schema.err;
    write("schema.json", schema.out);
    std::vector<std::string> words = {kPython, (kRoot / "tests/cli/validate.py").string(),
                                      "schema.json"};
    words.insert(words.end(), files.begin(), files.end());
    const Finished finished = start_program(words).wait();
    EXPECT_EQ(finished.code, 0) << finished.err;
    std::vector<std::string> lines;
    std::istringstream text(finished.out);
    for (std::string line; std::getline(text, line);) lines.push_back(line);
    EXPECT_EQ(lines.size(), files.size());
    return lines;
  }

  void expect_good(const std::vector<std::string>& options, const std::vector<std::string>& files) {
    ASSERT_FALSE(files.empty());
    const std::vector<std::string> verdicts = validate(options, files);
    for (std::size_t i = 0; i < verdicts.size(); ++i) EXPECT_EQ(verdicts[i], "good") << files[i];
  }
};

TEST_F(Schema, accepts_every_shipped_scenario) {
  expect_good({}, shipped("scenarios"));
}

TEST_F(Schema, accepts_every_shipped_nic) {
  expect_good({"--nic"}, shipped("models/nics"));
}

TEST_F(Schema, accepts_a_nic_that_takes_unmeasured_constants_from_its_base) {
  const std::string nic =
      "name: ours\nlink:\n  rate: {value: 25Gbps, status: published, source: a label}\n";
  const std::string based = write("based.yaml", "base: connectx-5\n" + nic);
  expect_good({"--nic"}, {based});
  write("run.yaml", "schema: 1\nname: x\nprotocol: {name: cas}\nplatform: {nic: based.yaml}\n");
  EXPECT_EQ(latchlab({"check", "run.yaml"}).code, 0);
  const std::vector<std::string> verdicts = validate(
      {"--nic"},
      {write("whole.yaml", nic), write("odd.yaml", "base: connectx-5\n" + nic + "  rat: 1\n")});
  for (const std::string& verdict : non_empty(verdicts)) EXPECT_THAT(verdict, StartsWith("bad"));
}

TEST_F(Schema, accepts_what_a_run_writes_and_what_the_reader_accepts) {
  write("good.yaml", small_scenario("{name: shiftlock, profile: paper}"));
  ASSERT_EQ(latchlab({"run", "good.yaml", "--out", "out", "--quiet"}).code, 0);
  const std::string head = "schema: 1\nname: x\n";
  const std::vector<std::string> texts = {
      "protocol: {name: dslr, lease: 10us}\nplatform: {topology: torus, bulk: flows, cores: null}",
      "protocol: {name: cas}\nlocks: {placement: {node: 0}, stride: null, count: 10 M}",
      "protocol: {name: cas}\nplatform: {nic: {base: connectx-5, atomic.window: 48}}",
      "protocol: {max_consecutive_writers: 4}\nsweep: {grid: {protocol.name: [cas, shiftlock]}}",
      R"(protocol: {name: cas}
workload: {distribution: {kind: hotspot, locks: 1%}}
sweep: {grid: {workload.distribution.accesses: [50%, 100%]}})",
      R"(protocol: {name: cas}
faults: [{kind: pause, rate: 100, length: 50us}]
sweep: {zip: [{platform.nic.atomic.window: [48, 96], faults.0.rate: [1, 2]}]})",
      R"(protocol: {name: static_segments}
workload: {kind: range, units: 4096, sizes: {values: [1, 16], by: operation}}
sweep: {grid: {workload.sizes: [1, [1, 16], {values: [4, 8], by: client}]}})",
      R"(protocol: {name: static_segments}
locks: {count: 11}
workload: {kind: file_io, files: oltp})",
      R"(protocol: {name: static_segments}
workload: {kind: file_io, files: {kind: bt_io, grid: 162, data: false}, think_time: 1us})",
      R"(protocol: {name: cas}
faults: [{kind: drift, server: 0, at: 0us, drift: -20ppm}]
workload: {think_time: {kind: exponential, mean: 5us}, locality: null}
groups: [])",
      R"(protocol: {name: cas}
groups: [{name: a, nic: {base: connectx-5, link.rate: 25Gbps}, clocks: {drift: 1ppm}}]
sweep: {grid: {groups.0.nic.atomic.same_address_16: [300ns, 400ns]}})",
      R"(protocol: {name: shiftlock}
platform: {nic: {base: connectx-6, name: mine, scale: {atomics: 4x, atomic.window: 0.5x}}}
sweep:
  grid:
    platform.clients_per_node: {from: 1, to: 256, steps: 9, scale: log}
    protocol.lease: {from: 1ms, to: 10ms, steps: 2}
    platform.nic.scale.latency: {from: 1x, to: 2x, steps: 2}
    workload.distribution: [uniform, {name: skewed, kind: zipf}])",
      R"(protocol: {name: cas}
sweep: {grid: {platform.nic: [soft-roce, {name: faster, base: connectx-5, scale: {issue: 2x}}]}})"};
  std::vector<std::string> files = {"out/scenario.yaml"};
  for (const std::string& text : texts)
    files.push_back(write("good-" + std::to_string(files.size()) + ".yaml", head + text + "\n"));
  for (const std::string& file : files) EXPECT_EQ(latchlab({"check", file}).err, "") << read(file);
  expect_good({}, files);
}

TEST_F(Schema, refuses_what_check_refuses) {
  const std::string head = "schema: 1\nname: x\n";
  const std::string cas = head + "protocol: {name: cas}\n";
  const std::vector<std::string> texts = {
      cas + "colour: red",
      cas + "platform: {server: 1}",
      cas + "run: {warmup: 20}",
      cas + "groups: [{name: a, clocks: {drfit: 1ppm}}]",
      cas + "groups: [{name: a, nic: 3}]",
      cas + "run: {warmup: 20KiB}",
      cas + "run: {duration: 0us}",
      cas + "run: {repeats: 0}",
      cas + "run: {seed: -1}",
      cas + "run: {on_violation: shrug}",
      cas + "locks: {count: 0k}",
      cas + "locks: {placement: left}",
      cas + "locks: {stride: 64}",
      cas + "platform: {colocated: yes}",
      cas + "platform: {topology: {kind: torus, groups: 2}}",
      cas + "platform: {topology: {down: [4, 4]}}",
      cas + "platform: {nic: {base: connectx-5, atomic.windw: 48}}",
      cas + "platform: {nic: {base: connectx-5, atomic.window: 48us}}",
      cas + "workload: {read_ratio: 50}",
      cas + "workload: {read_ratio: 150%}",
      cas + "workload: {distribution: {kind: uniform, theta: 1}}",
      cas + "workload: {distribution: {kind: power_law}}",
      cas + "workload: {distribution: {theta: 0.9}}",
      cas + "workload: {locality: 150%}",
      cas + "workload: {kind: transaction}",
      cas + "workload: {kind: micro, sizes: 3}",
      cas + "workload: {kind: range, sizes: 0}",
      cas + "workload: {kind: range, sizes: {values: [1, 2]}}",
      cas + "workload: {kind: range, locks_per_section: 2}",
      cas + "workload: {kind: file_io, files: {kind: hard_write, grid: 3}}",
      cas + "workload: {kind: file_io, files: {unit: 4KiB}}",
      cas + "faults: [{kind: skip_release}]",
      cas + "faults: [{kind: skip_release, probability: 1%, at: 1ms}]",
      cas + "faults: [{kind: pause, at: 1ms, rate: 1, client: 0, length: 1ms}]",
      cas + "faults: [{kind: skip_release, probability: 1%, rate: 100}]",
      cas + "sweep: {grid: {platform.client_nods: [1]}}",
      cas + "sweep: {grid: {locks.count: []}}",
      cas + "sweep: {grid: {locks.count: [many]}}",
      cas + "sweep: {grid: {locks.count: {from: 1, to: 8}}}",
      cas + "sweep: {grid: {locks.count: {from: 1, to: 8, steps: 4, scale: exp}}}",
      cas + "sweep: {grid: {platform.nic.scale.atomics: [4]}}",
      cas + "platform: {nic: {base: connectx-5, scale: {atomic: 4x}}}",
      cas + "platform: {nic: {base: connectx-5, scale: {atomics: 0x}}}",
      cas + "platform: {nic: {base: connectx-5, scale: {qp.cache: 2x}}}",
      cas + "platform: {nic: {scale: {atomics: 4x}}}",
      cas + "sweep: {grid: {protocol: [{label: x}]}}",
      cas + "expect: [{id: x, kind: value, metric: goodput_ops_s, use: validation, source: s}]",
      cas + "expect: [{id: x, kind: order, metric: a, use: guess, source: s, order: [a, b]}]",
      cas +
          "expect: [{id: x, kind: ratio, metric: goodput_ops_s, where: {label: cas}, over: cas, "
          "value: 1, use: validation, source: s}]",
      cas + "report: {figures: [{x: label}]}",
      head + "protocol: {name: cas, max_consecutive_writers: 4}",
      head + "protocol: {name: cas, backoff_cap_shift: 99}",
      head + "protocol: {name: cas, profile: artefact}",
      head + "protocol: {name: shiftlok}",
      head + "protocol: {profile: paper}",
      head,
      "name: x\nprotocol: {name: cas}",
      "schema: 1\nprotocol: {name: cas}",
      "schema: 2\nname: x\nprotocol: {name: cas}",
  };
  std::vector<std::string> files;
  for (const std::string& text : texts)
    files.push_back(write("bad-" + std::to_string(files.size()) + ".yaml", text + "\n"));
  const std::vector<std::string> verdicts = validate({}, files);
  ASSERT_EQ(verdicts.size(), files.size());
  for (std::size_t i = 0; i < verdicts.size(); ++i) {
    EXPECT_THAT(verdicts[i], StartsWith("bad")) << texts[i];
    EXPECT_EQ(latchlab({"check", files[i]}).code, 2) << texts[i];
  }
}

TEST_F(Schema, refuses_nics_that_check_refuses) {
  const std::string good = tree_file("models/nics/connectx-5.yaml");
  const std::size_t last_section = good.find("pcie:\n");
  ASSERT_NE(last_section, std::string::npos);
  std::vector<std::string> texts = {good.substr(0, last_section)};
  for (const auto& [from, to] : std::vector<std::pair<std::string, std::string>>{
           {"\nname: connectx-5\n", "\n"},
           {"\ndevice: ", "\ndevise: "},
           {"  per_verb:\n", "  per_verbs:\n"},
           {"    value: 100Gbps\n", "    value: 100\n"},
           {"    status: published\n", ""},
           {"    status: published\n", "    status: guessed\n"},
           {"    range: [50ns, 150ns]\n", ""},
           {"    range: [50ns, 150ns]\n", "    range: [50ns]\n"}}) {
    const std::size_t at = good.find(from);
    ASSERT_NE(at, std::string::npos) << from;
    texts.push_back(std::string(good).replace(at, from.size(), to));
  }
  std::vector<std::string> files;
  for (const std::string& text : texts)
    files.push_back(write("nic-" + std::to_string(files.size()) + ".yaml", text));
  const std::vector<std::string> verdicts = validate({"--nic"}, files);
  ASSERT_EQ(verdicts.size(), files.size());
  for (std::size_t i = 0; i < verdicts.size(); ++i) {
    EXPECT_THAT(verdicts[i], StartsWith("bad")) << files[i];
    write("bad.yaml",
          "schema: 1\nname: x\nprotocol: {name: cas}\nplatform: {nic: " + files[i] + "}\n");
    const Finished finished = latchlab({"check", "bad.yaml"});
    EXPECT_EQ(finished.code, 2) << files[i];
    EXPECT_THAT(finished.err, HasSubstr(files[i])) << "refused for another reason";
  }
}

class Pages : public Command {
 protected:
  void expect_page(const std::vector<std::string>& command, const std::string& page) {
    std::string words = "latchlab";
    for (const std::string& word : command) words += " " + word;
    EXPECT_TRUE(latchlab(command).out == tree_file(page))
        << page << " is out of date; write it with: " << words << " > " << page;
  }
};

TEST_F(Pages, have_the_tables_of_locks_that_the_program_writes) {
  const std::string command = "latchlab list protocols --markdown";
  const std::string table = latchlab({"list", "protocols", "--markdown"}).out;
  const std::string whole = " (" + command + ") -->\n" + table + "<!-- locks: end -->";
  EXPECT_NE(tree_file("docs/locks.md").find(whole), std::string::npos)
      << "docs/locks.md is out of date; write its tables with: " << command;
}

TEST_F(Pages, that_are_generated_are_up_to_date) {
  expect_page({"schema", "--markdown"}, "docs/scenario-reference.md");
  expect_page({"explain", "--glossary"}, "docs/glossary.md");
}

}  // namespace
}  // namespace latchlab::cli_test

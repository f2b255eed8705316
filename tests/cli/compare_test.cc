// What `latchlab compare` prints and writes, and what it refuses.
#include <gmock/gmock.h>

#include "tests/cli/program.h"
#include "tests/non_empty.h"

namespace latchlab::cli_test {
namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

class Compare : public Command {
 protected:
  void SetUp() override {
    Command::SetUp();
    write("small.yaml", small_scenario("{name: cas}",
                                       "sweep: {grid: {protocol: [{name: cas}, {name: mcs}], "
                                       "platform.clients_per_node: [1, 4]}}\n"));
  }
  void run(const std::string& directory, std::vector<std::string> more = {}) {
    more.insert(more.begin(),
                {"run", "small.yaml", "--quiet", "--repeats", "3", "--out", directory});
    ASSERT_EQ(latchlab(more).code, 0);
  }
  // Makes a stored run look as if hardware with emulated verbs had produced it.
  void make_hardware_of(const std::string& directory,
                        const std::string& backend = "ibverbs on rxe0",
                        const std::string& emulated = R"(["masked_atomics_16: agent"])") const {
    for (const auto& each :
         non_empty(std::filesystem::directory_iterator(home() / directory / "points"))) {
      const std::string name = directory + "/points/" + each.path().filename().string();
      std::string text = read(name);
      const std::string was = R"("backend":"simgrid","emulated":[])";
      ASSERT_NE(text.find(was), text.npos);
      text.replace(text.find(was), was.size(),
                   R"("backend":")" + backend + R"(","emulated":)" + emulated);
      write_repeat(name, text);
    }
  }
};

TEST_F(Compare, reports_what_differs_and_how_each_point_changes) {
  run("a");
  run("b", {"--set", "platform.nic.latency.one_way=2us", "--set",
            "sweep.grid.platform.clients_per_node=[1, 8]"});
  const Finished finished = latchlab({"compare", "a", "b"});
  EXPECT_EQ(finished.code, 0) << finished.err;
  EXPECT_THAT(finished.out,
              AllOf(HasSubstr("What differs:\n  platform.nic.latency.one_way: 657.8ns -> 2us\n\n"),
                    ContainsRegex("cas +clients_per_node=1 +goodput_ops_s [^\n]* worse\n"),
                    ContainsRegex(" acquire_ns.p50 [^\n]* worse\n"),
                    ContainsRegex(" fairness.jain [^\n]* undecided\n"),
                    HasSubstr("repeats of equal seeds are compared pairwise"),
                    HasSubstr("Only in a: 2\n  cas, platform.clients_per_node=4\n"),
                    HasSubstr("Only in b: 2\n  cas, platform.clients_per_node=8\n"),
                    HasSubstr("clients_per_node=1: tau ")));
  // In the opposite order the second run is better.
  EXPECT_THAT(latchlab({"compare", "b", "a"}).out,
              ContainsRegex("cas +clients_per_node=1 +goodput_ops_s [^\n]* better\n"));
}

TEST_F(Compare, a_run_compared_with_itself_has_no_differences) {
  run("a");
  const Finished same = latchlab({"compare", "a", "a", "--json"});
  EXPECT_EQ(same.code, 0) << same.err;
  const Json made = parse_json(same.out)[0];
  EXPECT_EQ(made["second"], "a again");
  EXPECT_TRUE(made["differences"].empty());
  for (const Json& pair : non_empty(made["pairs"]))
    for (const Json& metric : non_empty(pair["metrics"])) {
      EXPECT_EQ(metric["ratio"], 1);
      EXPECT_EQ(metric["low"], 1);
    }
  for (const Json& each : non_empty(made["ranks"])) EXPECT_EQ(each["tau"], 1);
  const Finished explained = latchlab({"compare", "a", "a", "--explain"});
  EXPECT_EQ(explained.code, 0) << explained.err;
  EXPECT_THAT(explained.out, HasSubstr("within chance: there is nothing to explain"));
  // If hardware had given the same result, the error would be 0.
  std::filesystem::copy(home() / "a", home() / "b", std::filesystem::copy_options::recursive);
  make_hardware_of("b", "ibverbs on mlx5_0", "[]");
  const Finished measured = latchlab({"compare", "a", "b"});
  EXPECT_THAT(measured.out,
              ContainsRegex("cas +clients_per_node=1 +goodput_ops_s [^\n]* \\+0.0 % "));
  EXPECT_THAT(measured.out, HasSubstr("off by 0.0 % in the median, by 0.0 % at most"));
}

TEST_F(Compare, metrics_are_chosen_and_json_has_an_object_for_each_run) {
  run("a");
  run("b", {"--seed", "2"});
  run("c", {"--seed", "3"});
  const Finished finished =
      latchlab({"compare", "a", "b", "c", "--only", "--metric", "acquire_ns.p999", "--json"});
  EXPECT_EQ(finished.code, 0) << finished.err;
  const Json all = parse_json(finished.out);
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[1]["second"], "c");
  EXPECT_EQ(all[1]["differences"][0]["path"], "run.seed");
  ASSERT_EQ(all[0]["pairs"].size(), 4u);
  ASSERT_EQ(all[0]["pairs"][0]["metrics"].size(), 1u);
  EXPECT_EQ(all[0]["pairs"][0]["metrics"][0]["metric"], "acquire_ns.p999");
  EXPECT_EQ(all[0]["pairs"][0]["metrics"][0]["paired"], false);
  const Finished unknown = latchlab({"compare", "a", "b", "--metric", "goodput_op_s"});
  EXPECT_EQ(unknown.code, 2);
  EXPECT_THAT(unknown.err, HasSubstr("did you mean 'goodput_ops_s'?"));
  EXPECT_THAT(latchlab({"compare", "a", "b", "--metric", "acquire_ns"}).err,
              HasSubstr("choose one of acquire_ns.count"));
  EXPECT_EQ(latchlab({"compare", "a"}).code, 2);
}

TEST_F(Compare, a_run_with_a_broken_lock_is_never_better) {
  write("small.yaml", small_scenario("{name: mcs}"));
  run("a");
  std::vector<std::string> broken = {"run",
                                     "small.yaml",
                                     "--quiet",
                                     "--repeats",
                                     "3",
                                     "--set",
                                     "faults=[{kind: skip_release, probability: 50%}]",
                                     "--out",
                                     "b"};
  ASSERT_EQ(latchlab(broken).code, 1);
  const std::string out = latchlab({"compare", "a", "b"}).out;
  EXPECT_THAT(out, HasSubstr("the second is stuck\n"));
  EXPECT_THAT(out, AllOf(Not(HasSubstr("better\n")), Not(HasSubstr("worse\n"))));
}

TEST_F(Compare, a_simulation_is_compared_with_hardware_only_if_their_settings_agree) {
  run("sim");
  run("guarded", {"--set", "run.guard=on"});
  run("longer", {"--set", "run.duration=800us"});
  run("alike");
  run("other", {"--set", "locks.count=5"});
  for (const char* each : {"guarded", "longer", "alike", "other"}) make_hardware_of(each);
  const Finished guarded = latchlab({"compare", "sim", "guarded"});
  EXPECT_EQ(guarded.code, 2);
  EXPECT_THAT(guarded.err, AllOf(HasSubstr("sim and guarded: run.guard is off in the first run"),
                                 HasSubstr("run the simulation again with --set run.guard=on")));
  EXPECT_THAT(latchlab({"compare", "longer", "sim"}).err,
              HasSubstr("run the simulation again with --set run.duration=800us"));
  const Finished alike = latchlab({"compare", "sim", "alike"});
  EXPECT_EQ(alike.code, 0) << alike.err;
  EXPECT_THAT(alike.out, AllOf(HasSubstr("backend: simgrid -> ibverbs on rxe0"),
                               HasSubstr("alike emulates masked_atomics_16: agent"),
                               HasSubstr("clients_per_node=1: emulated, tau 1.00"),
                               HasSubstr("it is in no sum and is ranked apart")));
  EXPECT_THAT(latchlab({"compare", "alike", "sim"}).out,
              AllOf(HasSubstr("sim predicts"), HasSubstr("alike measured")));
  // Such a run has no winner of its own either.
  ASSERT_EQ(latchlab({"report", "alike", "--out", "alike.html"}).code, 0);
  EXPECT_THAT(read("alike.html"), HasSubstr("was emulated, which is no measure of an RNIC"));
  const Finished other = latchlab({"compare", "sim", "other"});
  EXPECT_EQ(other.code, 2);
  EXPECT_THAT(other.err,
              HasSubstr("locks.count is 4 in the first run (simgrid) and 5 in the second"));
}

// The run that stands for hardware has another seed, since a run on hardware repeats no seed.
// Without backoff the hold of a slot limits a lock that many clients want, and not only delays one;
// and two clients fall into step, so that medians jump from one value of a constant to the next.
TEST_F(Compare, a_constant_that_is_20_percent_too_large_is_identified) {
  write("small.yaml",
        small_scenario(
            "{name: cas}",
            "sweep: {grid: {protocol: [{name: cas, backoff: none}, {name: mcs}], "
            "platform.clients_per_node: [1, 24], locks.count: [1], run.duration: [4ms]}}\n"));
  run("sim");
  for (const auto& [constant, value] :
       {std::pair("latency.one_way", "789.4ns"), std::pair("atomic.same_address", "409.2ns")})
    for (const char* seed : {"7", "8"}) {
      const std::string name = std::string("hw-") + constant + seed;
      run(name, {"--seed", seed, "--set", std::string("platform.nic.") + constant + "=" + value});
      make_hardware_of(name, "ibverbs on mlx5_0", "[]");
      const Finished finished = latchlab({"compare", "sim", name, "--explain", "--json"});
      ASSERT_EQ(finished.code, 0) << finished.err;
      const Json found = parse_json(finished.out)[0]["explanation"];
      const Json& by = found["alone"][0]["by"][0];
      EXPECT_EQ(by["constant"], constant) << dump_json(found, 1);
      EXPECT_LE(by["low"].get<double>(), 1.2) << name;
      EXPECT_GE(by["high"].get<double>(), 1.2) << name;
      EXPECT_LT(by["high"].get<double>() / by["low"].get<double>(), 1.5);
      const auto inert = found["undetermined"]["inert"].get<std::vector<std::string>>();
      EXPECT_THAT(inert, ::testing::Contains("device_memory.read"));
    }
}

TEST_F(Compare, an_explanation_needs_a_simulation_and_three_repeats) {
  run("sim");
  ASSERT_EQ(latchlab({"run", "small.yaml", "--quiet", "--out", "hw"}).code, 0);
  EXPECT_THAT(latchlab({"compare", "sim", "hw", "--explain"}).err, HasSubstr("--repeats 3"));
  run("other");
  make_hardware_of("sim", "ibverbs on mlx5_0", "[]");
  make_hardware_of("other", "ibverbs on mlx5_0", "[]");
  const Finished both = latchlab({"compare", "sim", "other", "--explain"});
  EXPECT_EQ(both.code, 2);
  EXPECT_THAT(both.err, HasSubstr("neither run is one"));
}

TEST_F(Compare, the_page_is_the_report_with_the_comparison_added) {
  run("a");
  run("b", {"--seed", "2"});
  const Finished finished = latchlab({"compare", "a", "b", "--out", "page.html"});
  EXPECT_EQ(finished.code, 0) << finished.err;
  EXPECT_THAT(finished.out, HasSubstr("\nReport: page.html\n"));
  EXPECT_THAT(read("page.html"), HasSubstr("\"comparison\":{\"schema\":1,\"first\":\"a\""));
  ASSERT_EQ(latchlab({"report", "a", "b", "--out", "plain.html"}).code, 0);
  EXPECT_THAT(read("plain.html"), Not(HasSubstr("\"comparison\":{")));
}

}  // namespace
}  // namespace latchlab::cli_test

// Work that was not done does not count: cut sections, expired holds and repeated attempts are
// reported on the terminal, in the results and on the page.
#include <gmock/gmock.h>

#include <filesystem>
#include <vector>

#include "tests/cli/program.h"

namespace latchlab::cli_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

// A section of 30 ms and grants of 10 ms: only mcs, whose grants do not end, completes its
// sections.
const char* const kLongSection =
    "schema: 1\nname: section-longer-than-lease\n"
    "platform: {nic: connectx-5, servers: 1, client_nodes: 2, clients_per_node: 1}\n"
    "locks: {count: 1}\n"
    "workload: {read_ratio: 0%, critical_section: 30ms, think_time: 0us}\n"
    "run: {duration: 2s, warmup: 100ms, on_violation: record}\n"
    "sweep: {grid: {protocol: [{name: redlock_model, ttl: 10ms}, {name: dslr, lease: 10ms}, "
    "{name: shiftlock, lease: 10ms}, {name: mcs}]}}\n";

class Trust : public Command {
 protected:
  Json point(const std::string& directory, std::size_t index) const {
    return json(directory + "/results.json")["points"][index];
  }
  // The run in the data of a page.
  Json page(const std::string& file) const {
    const std::string text = read(file);
    const std::string start = "id=\"data\">";
    const std::size_t from = text.find(start) + start.size();
    return parse_json(text.substr(from, text.find("</script>", from) - from))["parts"][0];
  }
};

TEST_F(Trust, a_section_cut_at_the_end_of_its_grant_is_no_goodput_and_never_wins) {
  write("long.yaml", kLongSection);
  const Finished finished = latchlab({"run", "long.yaml", "--out", "r"});
  EXPECT_EQ(finished.code, 0) << finished.err;
  for (std::size_t i = 0; i < 3; ++i) {
    const Json metrics = point("r", i)["metrics"];
    EXPECT_EQ(number_at(metrics, "goodput_ops_s"), 0) << i;
    EXPECT_GT(number_at(metrics, "cut_sections"), 20) << i;
    EXPECT_EQ(number_at(metrics, "cut_sections"), number_at(metrics, "cycle_ns.count")) << i;
    EXPECT_THAT(point("r", i)["verdict"].get<std::string>(), HasSubstr("cut sections")) << i;
  }
  const Json mcs = point("r", 3);
  EXPECT_EQ(mcs["verdict"], "ok");
  EXPECT_EQ(number_at(mcs["metrics"], "cut_sections"), 0);
  EXPECT_NEAR(number_at(mcs["metrics"], "goodput_ops_s"), 33, 0.6);
  EXPECT_THAT(finished.out, AllOf(HasSubstr("mcs has the highest goodput, 33"),
                                  HasSubstr("100% of the critical sections of dslr were cut "
                                            "at the end of their grants"),
                                  Not(HasSubstr("redlock_model has the highest"))));
  EXPECT_THAT(finished.err, HasSubstr("warning: cut sections: redlock_model ("));
  EXPECT_THAT(read("r/results.csv"), HasSubstr(",cut_sections,"));
  const Json shown = page("r/report.html");
  const Json& boxes = shown["remarks"];
  ASSERT_FALSE(boxes.empty());
  EXPECT_EQ(boxes[0]["word"], "cut sections");
  EXPECT_EQ(boxes[0]["points"].size(), 3u);
  EXPECT_THAT(shown["points"][0]["apart"].get<std::string>(), HasSubstr("cut sections"));
}

TEST_F(Trust, check_warns_of_sections_that_take_longer_than_a_grant) {
  write("long.yaml", kLongSection);
  const std::string said = latchlab({"check", "long.yaml"}).out;
  EXPECT_THAT(
      said, AllOf(HasSubstr("warning: sections of redlock_model take 30ms, and its grants "
                            "are valid for 7.9ms at most"),
                  HasSubstr("sections of dslr take 30ms, and its grants are valid for 10ms"),
                  HasSubstr("sections of shiftlock take 30ms"), Not(HasSubstr("sections of mcs"))));
  for (const char* lock : {"{name: citron, lease: 10ms}", "{name: drtm, lease: 10ms}",
                           "{name: static_segments, lease: 10ms}"}) {
    write("one.yaml",
          "schema: 1\nname: one\nplatform: {client_nodes: 2}\nprotocol: " + std::string(lock) +
              "\nworkload: {read_ratio: 100%, critical_section: 30ms}\n"
              "run: {duration: 100ms, warmup: 10ms}\n");
    EXPECT_THAT(latchlab({"check", "one.yaml"}).out, HasSubstr("take 30ms, and its grants"))
        << lock;
  }
  const Finished brief = latchlab({"check", "long.yaml", "--set", "workload.critical_section=1ms"});
  EXPECT_THAT(brief.out, Not(HasSubstr("sections of")));
}

// Holders pause for longer than the lease, as a garbage collector makes them.
TEST_F(Trust, expired_holds_give_a_verdict_and_a_warning_but_no_violation) {
  write("overlaps.yaml",
        "schema: 1\nname: overlaps\n"
        "platform: {nic: connectx-5, servers: 5, client_nodes: 2, clients_per_node: 1}\n"
        "locks: {count: 1}\n"
        "workload: {read_ratio: 0%, critical_section: 500us, think_time: 20us}\n"
        "protocol: {name: redlock_model, profile: redlock, masters: all, ttl: 10ms}\n"
        "faults: [{kind: pause, rate: 200, length: 15ms}]\n"
        "run: {duration: 2s, warmup: 5ms, on_violation: record}\n");
  const Finished finished = latchlab({"run", "overlaps.yaml", "--out", "r"});
  EXPECT_EQ(finished.code, 0) << "the lock kept its promise";
  const Json overlaps = point("r", 0);
  const double expired = number_at(overlaps["metrics"], "safety.expired_holds");
  EXPECT_GT(expired, 300);
  EXPECT_EQ(number_at(overlaps["metrics"], "safety.violations"), 0);
  EXPECT_THAT(overlaps["verdict"].get<std::string>(), HasSubstr("expired holds"));
  EXPECT_THAT(finished.out, HasSubstr("expired holds\n"));
  EXPECT_THAT(finished.err, AllOf(HasSubstr("warning: expired holds: redlock_model (" +
                                            std::to_string(static_cast<long>(expired)) + " in "),
                                  HasSubstr("two clients used the lock at once")));
  bool told = false;
  const Json shown = page("r/report.html");
  for (const Json& box : shown["remarks"]) told = told || box["word"] == "expired holds";
  EXPECT_TRUE(told);
  EXPECT_THAT(latchlab({"explain", "expired holds"}).out, HasSubstr("the exit code is 0"));
}

// A release takes effect after another client has acquired the lock: writers pause for longer than
// a recovery takes, and release without reading the clock.
TEST_F(Trust, late_effects_give_a_verdict_and_a_warning) {
  write("late.yaml",
        "schema: 1\nname: late\n"
        "platform: {nic: connectx-5, servers: 1, client_nodes: 5, clients_per_node: 4}\n"
        "locks: {count: 10}\n"
        "workload: {read_ratio: 0%, critical_section: 10us}\n"
        "faults: [{kind: pause, rate: 2000, length: 1ms}]\n"
        "run: {duration: 40ms, warmup: 5ms, on_violation: record}\n"
        "sweep: {grid: {protocol: ["
        "{name: shiftlock, lease: 200us, release_fence: none, label: always}, "
        "{name: shiftlock, lease: 200us, release_fence: clock}]}}\n");
  const Finished finished = latchlab({"run", "late.yaml", "--out", "r"});
  EXPECT_EQ(finished.code, 0) << finished.err;
  const Json late = point("r", 0);
  const double effects = number_at(late["metrics"], "safety.late_effects");
  EXPECT_GT(effects, 10);
  EXPECT_EQ(number_at(late["metrics"], "safety.violations"), 0);
  EXPECT_THAT(late["verdict"].get<std::string>(), HasSubstr("late effects"));
  const Json fenced = point("r", 1);
  EXPECT_EQ(number_at(fenced["metrics"], "safety.late_effects"), 0);
  EXPECT_THAT(fenced["verdict"].get<std::string>(), Not(HasSubstr("late effects")));
  EXPECT_THAT(finished.err, HasSubstr("warning: late effects: always (" +
                                      std::to_string(static_cast<long>(effects)) + " in "));
}

// Sections of 2 ms and 64 clients: the queue takes longer than the lock waits before it resets.
TEST_F(Trust, repeated_attempts_count_in_their_acquisition_and_give_a_warning) {
  write("resets.yaml",
        "schema: 1\nname: resets\nplatform: {client_nodes: 4, clients_per_node: 16}\n"
        "locks: {count: 1}\nworkload: {read_ratio: 0%, critical_section: 2ms}\n"
        "protocol: {name: cql}\nrun: {warmup: 100ms, duration: 2s}\n");
  const Finished finished = latchlab({"run", "resets.yaml", "--out", "r"});
  EXPECT_EQ(finished.code, 0) << finished.err;
  const Json metrics = point("r", 0)["metrics"];
  ASSERT_GT(number_at(metrics, "aborted_acquisitions"), 100);
  ASSERT_GT(number_at(metrics, "recoveries"), 0);
  EXPECT_GT(number_at(metrics, "fairness.max_bypassed"), 1);
  EXPECT_THAT(finished.err, AllOf(HasSubstr("warning: aborted tries: cql ("),
                                  HasSubstr("warning: recoveries: cql (")));
}

class OldRuns : public Trust {
 protected:
  // What a version wrote that did not measure cut sections.
  std::size_t make_old(const std::string& directory) const {
    std::size_t changed = 0;
    for (const auto& entry : std::filesystem::directory_iterator(path(directory + "/points"))) {
      const std::string name = directory + "/points/" + entry.path().filename().string();
      Json stored = json(name);
      Json metrics = parse_json(stored["outcome"]["metrics"].get<std::string>());
      changed += metrics.erase("cut_sections");
      stored["outcome"]["metrics"] = dump_json(metrics);
      write_repeat(name, dump_json(stored) + "\n");
    }
    return changed;
  }
};

TEST_F(OldRuns, without_a_newer_metric_can_be_compared_reported_and_resumed) {
  write("small.yaml", small_scenario("{name: cas}", "sweep: {grid: {locks.count: [1, 2]}}\n"));
  ASSERT_EQ(latchlab({"run", "small.yaml", "--quiet", "--out", "new"}).code, 0);
  ASSERT_EQ(latchlab({"run", "small.yaml", "--quiet", "--out", "old"}).code, 0);
  ASSERT_GE(make_old("old"), 2u);
  const Finished compared = latchlab({"compare", "old", "new"});
  EXPECT_EQ(compared.code, 0) << compared.err;
  EXPECT_THAT(compared.out, HasSubstr("goodput_ops_s"));
  const Finished reported = latchlab({"report", "old", "--out", "page.html"});
  EXPECT_EQ(reported.code, 0) << reported.err;
  EXPECT_EQ(page("page.html")["results"]["points"].size(), 2u);
  const Finished resumed = latchlab({"run", "small.yaml", "--resume", "--out", "old"});
  EXPECT_EQ(resumed.code, 0) << resumed.err;
  // A repeat without a checksum, as older versions wrote it, is run again.
  EXPECT_THAT(resumed.err, HasSubstr("has no checksum, and is not taken"));
  EXPECT_EQ(at_path(point("old", 0)["metrics"], "cut_sections"), 0);
  EXPECT_EQ(point("old", 0)["verdict"], "ok");
}

}  // namespace
}  // namespace latchlab::cli_test

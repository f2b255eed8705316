// Lessons as HTML pages, and their animation, which must show what the trace contains.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <map>
#include <set>

#include "tests/cli/report_page.h"
#include "tests/non_empty.h"

namespace latchlab::cli_test {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

class Classroom : public ReportPage {
 protected:
  // The state of a lock in the trace, some us after the first event.
  struct Told {
    std::string entry;
    std::set<std::string> inside;
  };
  static Told told_by(const Json& trace, int lock, double at) {
    std::map<std::string, std::string> names;
    double begin = 1e300;
    for (const Json& event : trace["traceEvents"]) {
      const std::string track = dump_json(event["pid"]) + "/" + dump_json(event["tid"]);
      if (event.value("name", "") == "thread_name") names[track] = event["args"]["name"];
      if (event["ph"] != "M") begin = std::min(begin, event["ts"].get<double>());
    }
    Told told;
    std::map<std::string, std::vector<std::string>> stacks;  // by client: names of slices
    for (const Json& event : trace["traceEvents"]) {
      if (event["ph"] == "M" || event["ts"].get<double>() - begin > at) continue;
      const std::string track = dump_json(event["pid"]) + "/" + dump_json(event["tid"]);
      const bool of_client =
          names[track].starts_with("client ") && names[track].find(' ', 7) == std::string::npos;
      if (of_client && event["ph"] == "B") stacks[names[track]].push_back(event["name"]);
      if (of_client && event["ph"] == "E") stacks[names[track]].pop_back();
      if (event["ph"] == "i" && event["args"].contains("entry") &&
          event["args"].value("lock", -1) == lock)
        told.entry = event["args"]["entry"];
    }
    for (const auto& [name, stack] : stacks)
      for (const std::string& slice : stack)
        if (slice.starts_with(fmt::format("hold lock {} ", lock))) told.inside.insert(name);
    return told;
  }
  static std::set<std::string> inside_of(const std::string& panel) {
    std::set<std::string> all;
    const std::size_t from = panel.find("held by: ");
    if (from == panel.npos) return all;
    // "held by: client 3, client 5at the slot: ..."
    for (std::size_t at = panel.find("client ", from); at != panel.npos;
         at = panel.find(", client ", at) == panel.npos ? panel.npos
                                                        : panel.find(", client ", at) + 2) {
      const std::size_t end = panel.find_first_not_of("0123456789", at + 7);
      all.insert(panel.substr(at, end - at));
      if (end == panel.npos || panel[end] != ',') break;
    }
    return all;
  }
};

TEST_F(Classroom, lists_its_lessons_and_refuses_unknown_ones) {
  const Finished listed = latchlab({"classroom"});
  EXPECT_EQ(listed.code, 0);
  EXPECT_THAT(listed.out, HasSubstr("02 The retry storm\n"));
  const Finished refused = latchlab({"classroom", "77"});
  EXPECT_EQ(refused.code, 2);
  EXPECT_THAT(refused.err, HasSubstr("there is no lesson '77'; known: 01-round-trip, "));
}

TEST_F(Classroom, a_lesson_asks_for_a_prediction_and_then_plays_its_traces) {
  ASSERT_EQ(latchlab({"classroom", "5", "--out", "c"}).code, 0);
  const Seen seen = look_at("c/05-handover.html");
  expect_sound(seen);
  // The answer is hidden until the reader asks for it; then three locks are drawn over the
  // prediction.
  const Json& guess = seen.facts["guess"];
  EXPECT_EQ(guess["before"], true);
  EXPECT_EQ(guess["after"], false);
  EXPECT_EQ(guess["knobs"], 5);
  EXPECT_LT(guess["moved"], 0);
  EXPECT_EQ(guess["truth"], 3);
  ASSERT_EQ(seen.facts["animations"].size(), 1);
  const Json& animation = seen.facts["animations"][0];
  ASSERT_EQ(animation["stages"].size(), 3);
  const char* files[] = {"0002", "0007", "0012"};
  for (int i = 0; i < 3; ++i) {
    const Json trace = parse_json(read(fmt::format("c/runs/05-handover/traces/{}.json", files[i])));
    EXPECT_EQ(animation["stages"][i]["lanes"], 20);
    for (const Json& sample : non_empty(animation["samples"])) {
      const Told told = told_by(trace, 0, sample["at"].get<double>());
      const Json& shown = sample["stages"][i];
      std::string fields;
      for (const Json& field : shown["fields"]) fields += field.get<std::string>() + " ";
      std::string words = told.entry.empty() ? "" : told.entry + " ";
      std::replace(words.begin(), words.end(), '=', ' ');
      EXPECT_EQ(fields, words) << i << " at " << sample["at"];
      EXPECT_EQ(inside_of(shown["says"]), told.inside) << shown["says"];
    }
  }
}

TEST_F(Classroom, an_animation_obeys_keys_choices_and_links) {
  ASSERT_EQ(latchlab({"classroom", "2", "--out", "c"}).code, 0);
  const Seen seen = look_at("c/02-retry-storm.html");
  expect_sound(seen);
  const Json& animation = seen.facts["animations"][0];
  EXPECT_EQ(animation["nameless"], 0);
  const Json& keys = animation["keys"];
  const auto at = [&](std::size_t i) { return keys[i]["at"].get<double>(); };
  EXPECT_GT(at(1), at(0));                      // one event forward
  EXPECT_EQ(at(2), at(0));                      // one event back
  EXPECT_GT(at(3), at(1));                      // ten events forward
  EXPECT_EQ(keys[5]["wide"], keys[3]["wide"]);  // zoomed in and out again
  EXPECT_LT(keys[4]["wide"], keys[3]["wide"]);
  EXPECT_EQ(keys[6]["at"], animation["span"]);
  EXPECT_EQ(at(7), 0);
  EXPECT_EQ(keys[8]["playing"], true);
  EXPECT_EQ(keys[9]["playing"], false);
  EXPECT_THAT(keys[3]["says"].get<std::string>(), HasSubstr("CAS of lock 0"));
  EXPECT_THAT(animation["few"], ElementsAre(5, 20));
  EXPECT_THAT(animation["link"].get<std::string>(), HasSubstr("#play-1@"));
  // At the width of a phone nothing lies beyond the page.
  EXPECT_LE(facts_at(390, "c/02-retry-storm.html")["sideways"].get<int>(), 0);
}

TEST_F(Classroom, an_animation_shows_paused_and_crashed_clients) {
  write("faults.yaml",
        "schema: 1\nname: faults\nplatform: {client_nodes: 2, clients_per_node: 2}\n"
        "locks: {count: 1}\nworkload: {critical_section: 2us}\n"
        "faults:\n  - {kind: pause, at: 120us, client: 0, length: 30us}\n"
        "  - {kind: pause, at: 130us, client_node: 1, length: 15us}\n"
        "  - {kind: client_crash, at: 160us, client: 1}\n"
        "run: {duration: 200us, warmup: 100us}\nprotocol: {name: dslr, lease: 50us}\n");
  ASSERT_EQ(latchlab({"run", "faults.yaml", "--trace", "--out", "r", "--quiet"}).code, 0);
  const Seen seen = look_at("r/report.html");
  expect_sound(seen);
  const Json trace = parse_json(read("r/traces/0000.json"));
  double begin = 1e300;
  for (const Json& event : trace["traceEvents"])
    if (event["ph"] != "M") begin = std::min(begin, event["ts"].get<double>());
  std::set<std::string> seen_still;
  for (const Json& sample : non_empty(seen.facts["animations"][0]["samples"])) {
    const double at = begin + sample["at"].get<double>();
    std::set<std::string> still;
    if (at >= 120 && at < 150) still.insert("client 0");
    if (at >= 130 && at < 145) still.insert({"client 2", "client 3"});
    const Json& shown = sample["stages"][0];
    EXPECT_EQ(shown["still"].get<std::set<std::string>>(), still) << at;
    EXPECT_EQ(shown["dead"].get<std::set<std::string>>(),
              at >= 160 ? std::set<std::string>{"client 1"} : std::set<std::string>{})
        << at;
    seen_still.insert(still.begin(), still.end());
  }
  EXPECT_EQ(seen_still.size(), 3);
}

TEST_F(Classroom, plays_counterexamples_and_is_not_harmed_by_hostile_labels) {
  ASSERT_EQ(latchlab({"classroom", "13", "--out", "c"}).code, 0);
  const Seen seen = look_at("c/13-break-it.html");
  expect_sound(seen);
  ASSERT_EQ(seen.facts["animations"].size(), 3);  // the last one is the game's
  const Json& shiftlock = seen.facts["animations"][1];
  EXPECT_EQ(shiftlock["span"], 28);  // 27 moves and the end
  EXPECT_EQ(shiftlock["stages"][0]["lanes"], 5);
  EXPECT_THAT(seen.document, HasSubstr("clients wait, and nothing can happen any more"));

  write("two.yaml",
        "schema: 1\nname: two\nplatform: {client_nodes: 2, clients_per_node: 2}\n"
        "locks: {count: 1}\nrun: {duration: 200us, warmup: 100us}\n"
        "protocol: {name: cas, label: '</script><img src=x onerror=executedFromData=true>'}\n");
  ASSERT_EQ(latchlab({"run", "two.yaml", "--trace", "--out", "r", "--quiet"}).code, 0);
  const Seen hostile = look_at("r/report.html");
  expect_sound(hostile);
  EXPECT_EQ(hostile.facts["animations"].size(), 1);
}

TEST_F(Classroom, a_class_breaks_a_lock_by_choosing_its_moves) {
  ASSERT_EQ(latchlab({"classroom", "13", "--out", "c"}).code, 0);
  const Seen seen = look_at("c/13-break-it.html");
  expect_sound(seen);
  const Json data = parse_json(text_inside(seen.document, "id=\"data\">"));
  const Json& states = data["lesson"]["game"]["states"];
  const Json& game = seen.facts["games"][0];
  EXPECT_EQ(game["all"].size(), states.size());
  EXPECT_EQ(game["nameless"], 0);
  // After every path that the test took with the buttons, the page shows the state that the graph
  // has.
  std::map<std::string, int> ends;
  for (const Json& shown : non_empty(game["all"])) {
    std::size_t at = 0;
    std::string word = "next=0 serving=0";
    for (const Json& choice : shown["path"]) {
      const Json& move = states[at]["moves"][choice.get<std::size_t>()];
      if (move.contains("entries")) word = move["entries"][0]["decoded"];
      at = move["to"];
    }
    const Json& state = states[at];
    SCOPED_TRACE(dump_json(shown));
    EXPECT_EQ(shown["made"], shown["path"].size());
    ASSERT_EQ(shown["offered"].size(), state["moves"].size());
    for (std::size_t i = 0; i < state["moves"].size(); ++i)
      EXPECT_THAT(
          shown["offered"][i].get<std::string>(),
          HasSubstr(fmt::format("{}. client {}: ", i + 1,
                                dump_json(state["moves"][i]["steps"][0]["actor"]["client"]))));
    std::string fields;
    for (const Json& field : shown["fields"])
      fields += (fields.empty() ? "" : " ") + field.get<std::string>();
    std::replace(word.begin(), word.end(), '=', ' ');
    EXPECT_EQ(fields, word);
    EXPECT_EQ(shown["broken"], state.contains("wrong"));
    EXPECT_EQ(shown["fine"], !state.contains("wrong") && state["moves"].empty());
    if (state["moves"].empty()) ++ends[state.value("wrong", "")];
    EXPECT_THAT(shown["says"].get<std::string>(), HasSubstr(state.value("text", "")));
  }
  EXPECT_THAT(ends, ElementsAre(Pair("", 1), Pair("deadlock", 2), Pair("not free at the end", 1)));
  EXPECT_THAT(game["lost"]["says"].get<std::string>(),
              AllOf(HasSubstr("Broken in 7 moves. A client waits for ever."),
                    HasSubstr("There are 20 orders, and 12 of them break the lock.")));
  // One back, one forward, to the start, a move that does not exist.
  const Json& keys = game["keys"];
  EXPECT_EQ(keys[0]["made"], 6);
  EXPECT_EQ(keys[0]["broken"], false);
  EXPECT_EQ(keys[1]["says"], game["lost"]["says"]);
  EXPECT_EQ(keys[2]["made"], 0);
  EXPECT_EQ(keys[3]["made"], 0);
  EXPECT_EQ(game["played"]["span"], 8);  // 7 moves and the end
  EXPECT_LE(facts_at(390, "c/13-break-it.html")["sideways"].get<int>(), 0);
}

TEST_F(Classroom, a_replay_has_a_page_of_its_own) {
  ASSERT_EQ(latchlab({"explore", "--protocol", "drtm", "--set", "epoch=unix_truncated", "--modes",
                      "X", "S", "--placement", "spread", "--out", "t", "--quiet"})
                .code,
            1);
  ASSERT_EQ(latchlab({"replay", "t/drtm-mutual-exclusion-1.json", "--page", "p.html"}).code, 0);
  const Seen seen = look_at("p.html");
  expect_sound(seen);
  const Json& last = seen.facts["animations"][0]["samples"][8]["stages"][0];
  EXPECT_THAT(last["says"].get<std::string>(), HasSubstr("held by: client 0, client 1"));
}

}  // namespace
}  // namespace latchlab::cli_test

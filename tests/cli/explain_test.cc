// latchlab explain: it covers what the program prints and accepts, and refers only to topics that
// exist.
#include <gmock/gmock.h>

#include <algorithm>
#include <iterator>
#include <regex>
#include <set>
#include <sstream>

#include "tests/cli/program.h"
#include "tests/non_empty.h"

namespace latchlab::cli_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class Explain : public Command {
 protected:
  std::string told(const std::string& name) {
    const Finished finished = latchlab({"explain", name});
    EXPECT_EQ(finished.code, 0) << name << ": " << finished.err;
    return finished.out;
  }

  Json everything(const std::string& nic = "connectx-5") {
    return parse_json(latchlab({"explain", "--json", "--nic", nic}).out);
  }
};

TEST_F(Explain, gives_unit_range_source_and_which_direction_is_better) {
  EXPECT_THAT(told("acquire_ns.p99"), AllOf(HasSubstr("99 of 100"), HasSubstr("unit: ns")));
  EXPECT_THAT(told("phases_ns.write.WP"), HasSubstr("predecessor"));
  EXPECT_THAT(told("WP"), AllOf(HasSubstr("(phase)"), HasSubstr("Table 2")));
  EXPECT_THAT(told("atomic.window"),
              AllOf(HasSubstr("value in connectx-5: 72"), HasSubstr("status: assumed"),
                    HasSubstr("range: 48 to 128"), HasSubstr("source: no public value")));
  EXPECT_THAT(told("workload.read_ratio"), AllOf(HasSubstr("ratio, 0 to 1"), HasSubstr("0%")));
  EXPECT_THAT(told("UNSAFE"), HasSubstr("exit code is 1"));
  EXPECT_THAT(told("faults.0.at"), HasSubstr("Time since the start"));
  EXPECT_THAT(told("platform.nic.atomic.slots"), HasSubstr("512"));
}

TEST_F(Explain, wraps_long_texts_into_indented_lines) {
  std::istringstream lines(told("atomic.window"));
  std::string line;
  std::getline(lines, line);
  EXPECT_EQ(line, "atomic.window (NIC constant)");
  int wrapped = 0;
  while (std::getline(lines, line)) {
    EXPECT_LE(line.size(), 96U) << line;
    EXPECT_THAT(line, StartsWith("  "));
    ++wrapped;
  }
  EXPECT_GT(wrapped, 7);
}

TEST_F(Explain, shows_every_meaning_of_an_ambiguous_name) {
  EXPECT_THAT(told("lease"), AllOf(HasSubstr("dslr.lease"), HasSubstr("shiftlock.lease"),
                                   HasSubstr("lease (term)")));
  EXPECT_THAT(told("fairness"), AllOf(HasSubstr("fairness.jain"), HasSubstr("max_bypassed"),
                                      HasSubstr("declock.fairness")));
}

TEST_F(Explain, finds_terms_of_several_words_or_signs) {
  EXPECT_THAT(told("not settled"), AllOf(HasSubstr("not settled (verdict)"), HasSubstr("warmup")));
  EXPECT_THAT(told("+- 95%"),
              AllOf(HasSubstr("+- 95% (column)"), HasSubstr("confidence interval")));
  EXPECT_THAT(told("UNAVAILABLE"), HasSubstr("limit of the lock"));
}

TEST_F(Explain, finds_terms_by_their_first_words_and_metrics_by_the_names_of_axes) {
  EXPECT_THAT(told("conclusion"), HasSubstr("conclusion of a run (term)"));
  EXPECT_THAT(told("most bypassed"), HasSubstr("fairness.max_bypassed (metric)"));
}

TEST_F(Explain, defines_each_term_once_in_alphabetical_order) {
  std::istringstream page(latchlab({"explain", "--glossary"}).out);
  std::vector<std::string> terms;
  for (std::string line; std::getline(page, line);)
    if (line.starts_with("**")) {
      std::string term = line.substr(2, line.find("**", 2) - 2);
      std::ranges::transform(term, term.begin(), [](unsigned char c) { return std::tolower(c); });
      terms.push_back(term);
    }
  EXPECT_GT(terms.size(), 50u);
  EXPECT_EQ(std::ranges::adjacent_find(terms, std::greater_equal()), terms.end());
}

TEST_F(Explain, suggests_the_nearest_name_and_refuses_nonsense) {
  const Finished near = latchlab({"explain", "godput"});
  EXPECT_EQ(near.code, 2);
  EXPECT_EQ(near.err,
            "latchlab: there is nothing called 'godput' to explain; did you mean "
            "'goodput'?\n");
  EXPECT_EQ(latchlab({"explain", "qqqqqqqqqqqqq"}).code, 2);
  EXPECT_EQ(latchlab({"explain", "atomic.window", "--nic", "conectx-5"}).code, 2);
}

TEST_F(Explain, has_a_value_for_every_constant_of_every_nic) {
  const Finished nics = latchlab({"list", "nics", "--json"});
  for (const Json& nic : non_empty(parse_json(nics.out))) {
    const std::string name = nic["name"];
    int constants = 0;
    for (const Json& topic : everything(name)) {
      if (topic["group"] != "NIC constant") continue;
      ++constants;
      EXPECT_TRUE(topic["facts"].contains("value in " + name)) << dump_json(topic);
      EXPECT_TRUE(topic["facts"].contains("source")) << dump_json(topic);
    }
    EXPECT_GT(constants, 40);
  }
}

TEST_F(Explain, refers_only_to_what_it_can_explain) {
  std::set<std::string> names;
  const Json topics = everything();
  for (const Json& topic : topics) names.insert(topic["name"].get<std::string>());
  int references = 0;
  for (const Json& topic : non_empty(topics)) {
    EXPECT_FALSE(topic["says"].get<std::string>().empty()) << dump_json(topic);
    for (const Json& other : topic["see"]) {  // a part of a metric has no topic of its own
      ++references;
      if (!names.contains(other.get<std::string>())) {
        EXPECT_NE(told(other.get<std::string>()), "") << topic["name"];
      }
    }
  }
  EXPECT_GT(references, 100);
}

TEST_F(Explain, covers_every_column_of_the_table_and_every_part_of_the_results) {
  write("small.yaml", small_scenario("{name: cas}"));
  const Finished run = latchlab({"run", "small.yaml", "--repeats", "3", "--out", "out"});
  ASSERT_EQ(run.code, 0) << run.err;
  const std::string header = run.out.substr(0, run.out.find('\n'));
  std::set<std::string> columns;
  for (const Json& topic : everything())
    if (topic["group"] == "column") columns.insert(topic["name"].get<std::string>());
  std::string rest = header;
  for (const char* unit : {"M/s", "k/s", "/s", " us"})
    for (std::size_t at; (at = rest.find(unit)) != std::string::npos;)
      rest.erase(at, std::string(unit).size());
  for (const std::string& column : non_empty(columns)) {
    const std::size_t at = rest.find(column);
    ASSERT_NE(at, std::string::npos) << column << " is no column of: " << header;
    rest.replace(at, column.size(), column.size(), ' ');
  }
  EXPECT_EQ(rest.find_first_not_of(' '), std::string::npos) << "unexplained: " << rest;
  const Json metrics = json("out/results.json")["points"][0]["metrics"];
  ASSERT_GT(metrics.size(), 10u);
  for (const auto& [name, value] : metrics.items()) EXPECT_NE(told(name), "") << name;
}

// The text between the first `from` and the next `to`.
std::string between(const std::string& text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.substr(at, text.find(to, at) - at);
}

// What the first group of the expression matches.
void collect(const std::string& text, const char* expression, std::set<std::string>& words) {
  const std::regex regex(expression);
  for (std::sregex_iterator at(text.begin(), text.end(), regex), end; at != end; ++at)
    words.insert((*at)[1]);
}

TEST_F(Explain, covers_the_terms_of_the_report_page_and_of_its_guide) {
  std::set<std::string> words, cells;
  const std::string guide = tree_file("docs/reading-a-report.md");
  collect(guide, "\\*([A-Za-z.]+)\\*", words);  // *steady*, **IA**
  for (const char* button : {"SVG", "CSV"}) words.erase(button);
  collect(guide, "\n\\| ([^|]+) \\|", cells);
  cells.erase("figure or column");
  for (const std::string& cell : cells) collect(cell + ",", "([^,]+),\\s*", words);
  const std::string page = tree_file("tools/report/page/words.js");
  collect(between(page, "const VERDICTS = {", "};"), ": '([^']+)'", words);
  collect(between(page, "const VERBS = {", "};"), "([a-z_]+): '", words);
  collect(between(page, "const RESOURCES = {", "};"), "([a-z_]+): '", words);
  EXPECT_GT(words.size(), 45u);
  for (const char* word : {"steady", "bypassed", "p99.9", "no-tries", "sensitivity", "inferred"})
    words.insert(word);
  for (const std::string& word : words) EXPECT_NE(told(word), "") << word;
  EXPECT_THAT(told("p99.9"), HasSubstr("999 of 1000"));
}

TEST_F(Explain, lists_all_topics_by_group) {
  const std::string all = latchlab({"explain"}).out;
  for (const char* group :
       {"metric:", "phase:", "column:", "verdict:", "check:", "fault:", "exit code:", "protocol:",
        "parameter:", "scenario key:", "NIC constant:", "term:"}) {
    const std::size_t first = all.find(std::string(group) + "\n");
    EXPECT_NE(first, std::string::npos) << group;
    EXPECT_EQ(all.find(std::string("\n") + group + "\n", first + 1), std::string::npos) << group;
  }
}

}  // namespace
}  // namespace latchlab::cli_test

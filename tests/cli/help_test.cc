// The program's own texts: help, completions, the manual page, its version, the doctor.
#include <gmock/gmock.h>

#include <algorithm>
#include <set>
#include <sstream>

#include "tests/cli/program.h"
#include "tests/non_empty.h"
#include "tests/paths.h"

namespace latchlab::cli_test {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

class Help : public Command {
 protected:
  // The commands that --help lists.
  std::set<std::string> commands() {
    const std::string help = latchlab({"--help"}).out;
    std::istringstream lines(help.substr(help.find("Subcommands:")));
    std::set<std::string> names;
    for (std::string line; std::getline(lines, line);)
      if (line.starts_with("  ") && line.size() > 2 && line[2] != ' ')
        names.insert(line.substr(2, line.find(' ', 2) - 2));
    return names;
  }
  // The long options that a command's --help lists.
  std::set<std::string> options(const std::string& command) {
    std::istringstream words(latchlab({command, "--help"}).out);
    std::set<std::string> names;
    for (std::string line; std::getline(words, line);) {
      const std::size_t at = line.find("--");
      if (line.starts_with("  -") && at != std::string::npos)
        names.insert(line.substr(at, line.find_first_of(" :,", at) - at));
    }
    return names;
  }
  // What bash offers after these words.
  std::set<std::string> completed(const std::string& words) {
    const std::string program = LATCHLAB_BINARY;
    const std::string folder = program.substr(0, program.rfind('/'));
    const Finished finished =
        start_program({"/bin/bash", "-c",
                       "PATH=" + folder +
                           ":$PATH; source <(latchlab completion bash); COMP_WORDS=(" + words +
                           "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _latchlab; "
                           "printf '%s\\n' \"${COMPREPLY[@]}\""})
            .wait();
    EXPECT_THAT(finished.err, IsEmpty());
    std::set<std::string> offered;
    std::istringstream lines(finished.out);
    for (std::string line; std::getline(lines, line);) offered.insert(line);
    return offered;
  }
};

TEST_F(Help, the_version_has_compiler_and_libraries) {
  const Finished finished = latchlab({"--version"});
  EXPECT_EQ(finished.code, 0);
  EXPECT_THAT(finished.out, ContainsRegex("^latchlab [0-9]+\\.[0-9]+\\.[0-9]+\n"
                                          "built by (g\\+\\+|clang) [0-9.]+, [A-Za-z]+\n"
                                          "with .*yaml-cpp [0-9.]+, Eigen 3[0-9.]+, fmt [0-9.]+"));
}

TEST_F(Help, completions_and_the_manual_contain_every_command_and_option) {
  const std::set<std::string> all = commands();
  ASSERT_GE(all.size(), 10u);
  const std::string manual = latchlab({"manual"}).out;
  const std::string fish = latchlab({"completion", "fish"}).out;
  const std::string bash = latchlab({"completion", "bash"}).out;
  const std::string zsh = latchlab({"completion", "zsh"}).out;
  EXPECT_THAT(zsh, HasSubstr("#compdef latchlab\n"));
  for (const std::string& command : non_empty(all)) {
    EXPECT_THAT(manual, HasSubstr(".SS \"latchlab " + command + "\"\n"));
    EXPECT_THAT(fish, HasSubstr("-n __fish_use_subcommand -x -a " + command + " "));
    for (const std::string& option : non_empty(options(command))) {
      EXPECT_THAT(bash, HasSubstr(option)) << command;
      EXPECT_THAT(fish, HasSubstr(" -l " + option.substr(2) + " ")) << command;
      std::string hyphens;
      for (const char c : option) hyphens += c == '-' ? std::string("\\-") : std::string(1, c);
      if (option == "--help") continue;
      EXPECT_THAT(manual, HasSubstr("\\fB" + hyphens + "\\fR")) << command;
    }
  }
}

TEST_F(Help, bash_completes_commands_options_choices_and_names) {
  EXPECT_EQ(completed("latchlab ru"), std::set<std::string>{"run"});
  EXPECT_EQ(completed("latchlab run --resu"), std::set<std::string>{"--resume"});
  EXPECT_EQ(completed("latchlab explore --strategy ex"), std::set<std::string>{"exhaustive"});
  EXPECT_EQ(completed("latchlab explore --protocol shi"), std::set<std::string>{"shiftlock"});
  write("quick-notes.yaml", "");
  EXPECT_EQ(completed("latchlab run quick"),
            (std::set<std::string>{"quick-notes.yaml", "quickstart"}));
  EXPECT_THAT(completed("latchlab run --seed ''"), Not(Contains("quickstart")));
  EXPECT_EQ(completed("latchlab run --set platform.nic.scale.at"),
            std::set<std::string>{"platform.nic.scale.atomics="});
  EXPECT_THAT(completed("latchlab check x.yaml --set protocol.le"), Contains("protocol.lease="));
  EXPECT_EQ(completed("latchlab explain shiftlock.le"), std::set<std::string>{"shiftlock.lease"});
  EXPECT_EQ(completed("latchlab reproduce shiftlock/table3"),
            std::set<std::string>{"shiftlock/table3"});
  EXPECT_EQ(completed("latchlab explore --profile sigm"), std::set<std::string>{"sigmod18"});
  std::filesystem::create_directory(path("quick-runs"));
  EXPECT_EQ(completed("latchlab run --out quick-"), std::set<std::string>{"quick-runs"});
}

TEST_F(Help, the_help_command_prints_the_same_as_the_option) {
  EXPECT_EQ(latchlab({"help"}).out, latchlab({"--help"}).out);
  EXPECT_EQ(latchlab({"help", "run"}).out, latchlab({"run", "--help"}).out);
  EXPECT_EQ(latchlab({"help"}).code, 0);
}

TEST_F(Help, options_of_runs_on_hardware_stand_under_a_heading_of_their_own) {
  const std::string help = latchlab({"run", "--help"}).out;
  const std::size_t heading = help.find("\nOn hardware (--backend ibverbs):\n");
  ASSERT_NE(heading, std::string::npos);
  const std::string before = help.substr(0, heading), after = help.substr(heading);
  for (const char* option : {"--device", "--port", "--pkey", "--sl", "--traffic-class",
                             "--rendezvous", "--workers", "--agents", "--transport"}) {
    EXPECT_THAT(after, HasSubstr("\n  " + std::string(option) + " ")) << help;
    EXPECT_THAT(before, Not(HasSubstr("\n  " + std::string(option) + " ")));
  }
}

// "at once at once", "the the".
TEST_F(Help, repeats_no_word_and_announces_no_later_feature) {
  const std::set<std::string> all = commands();
  EXPECT_GT(all.size(), 15u);
  std::set<std::string> pages = all;
  pages.insert("");
  for (const std::string& command : pages) {
    std::istringstream text(latchlab(command.empty() ? std::vector<std::string>{"--help"}
                                                     : std::vector<std::string>{command, "--help"})
                                .out);
    std::vector<std::string> words;
    for (std::string line; std::getline(text, line);) {
      line.erase(0, line.find_first_not_of(' '));
      const std::size_t column = line.find("  ");  // "calls    calls to a server"
      if (column != std::string::npos) line.insert(column, " |");
      std::istringstream parts(line);
      for (std::string word; parts >> word;) words.push_back(word);
    }
    EXPECT_GT(words.size(), 10u) << command;
    for (std::size_t length : {1u, 2u, 3u})
      for (std::size_t i = 0; i + 2 * length <= words.size(); ++i) {
        const auto first = words.begin() + static_cast<std::ptrdiff_t>(i);
        const auto second = first + static_cast<std::ptrdiff_t>(length);
        const bool plain = std::all_of(first, second, [](const std::string& word) {
          return std::all_of(word.begin(), word.end(), [](char c) { return c >= 'a' && c <= 'z'; });
        });
        const std::string& end = second[static_cast<std::ptrdiff_t>(length) - 1];
        const bool same = std::equal(first, second - 1, second) &&
                          second[-1] == end.substr(0, end.find_last_not_of(",.;:)") + 1);
        EXPECT_FALSE(plain && same) << command << ": " << *first << " ... twice";
      }
  }
  EXPECT_THAT(latchlab({"--help"}).out, Not(HasSubstr("later")));
}

TEST_F(Help, a_misspelt_command_suggests_the_nearest_one) {
  EXPECT_THAT(latchlab({"exlpore"}).err, HasSubstr("'exlpore'; did you mean 'explore'?"));
  EXPECT_THAT(latchlab({"run", "quickstrat"}).err, HasSubstr("did you mean 'quickstart'?"));
}

TEST_F(Help, an_unknown_shell_is_refused) {
  const Finished finished = latchlab({"completion", "cmd"});
  EXPECT_EQ(finished.code, 2);
  EXPECT_THAT(finished.err, AllOf(HasSubstr("bash"), HasSubstr("fish"), HasSubstr("zsh")));
}

TEST_F(Help, names_alone_are_printed_one_per_line) {
  EXPECT_THAT(latchlab({"list", "protocols", "--names"}).out,
              AllOf(HasSubstr("\ncas\n"), HasSubstr("\nmcs\n"), HasSubstr("\nshiftlock\n")));
  EXPECT_THAT(latchlab({"list", "scenarios", "--names"}).out, HasSubstr("\nquickstart\n"));
}

TEST_F(Help, the_doctor_lists_what_is_present_and_how_to_get_what_is_missing) {
  const Finished finished = latchlab({"doctor"}, {{"PATH", "/nowhere"}});
  EXPECT_EQ(finished.code, 0);
  EXPECT_THAT(finished.out, AllOf(HasSubstr("Ready: latchlab run quickstart\n"),
                                  ContainsRegex("ok +explore +[0-9]+ locks\n"),
                                  ContainsRegex("optional +figures +no gnuplot"),
                                  HasSubstr("apt-get install gnuplot-nox\n")));
  const Json report = parse_json(latchlab({"doctor", "--json"}).out);
  EXPECT_TRUE(report["libraries"].contains("yaml-cpp"));
  for (const Json& check : non_empty(report["checks"]))
    EXPECT_THAT((std::set<std::string>{"ok", "optional"}), Contains(check["health"]));
}

}  // namespace
}  // namespace latchlab::cli_test

// Locks from plug-ins on the command line.
#include <gmock/gmock.h>

#include "tests/cli/program.h"

namespace latchlab::cli_test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

std::string plugin(const std::string& name) {
  return std::string(LATCHLAB_PLUGIN_DIR) + "/" + name + ".so";
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = text.find(from); at != text.npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
  return text;
}

class Plugin : public Command {
 protected:
  void expect_refused(const std::string& file, const std::string& reason) {
    const Finished finished = latchlab({"list", "protocols", "--plugin", file});
    SCOPED_TRACE(finished.err);
    EXPECT_EQ(finished.code, 2);
    EXPECT_EQ(finished.out, "");
    EXPECT_THAT(finished.err, StartsWith("latchlab: " + file + ": "));
    EXPECT_THAT(finished.err, HasSubstr(reason));
  }
  std::string results_of(const std::string& protocol, const std::vector<std::string>& more) {
    write(protocol + ".yaml", small_scenario("{name: " + protocol + ", label: same}"));
    std::vector<std::string> words = {"run", protocol + ".yaml", "--quiet", "--out", protocol};
    words.insert(words.end(), more.begin(), more.end());
    const Finished finished = latchlab(words);
    EXPECT_EQ(finished.code, 0) << finished.err;
    return read(protocol + "/results.json");
  }
  const std::vector<std::string> good = {"--plugin", plugin("good")};
};

TEST_F(Plugin, adds_a_lock_that_is_listed_with_the_built_in_ones) {
  EXPECT_THAT(latchlab({"list", "protocols"}).out, Not(HasSubstr("mcs_plugged")));
  const Finished listed = latchlab({"list", "protocols", "--plugin", plugin("good")});
  EXPECT_EQ(listed.code, 0);
  EXPECT_THAT(listed.out, HasSubstr("\nmcs_plugged: "));
  EXPECT_THAT(listed.out, HasSubstr("\nshiftlock: "));
}

TEST_F(Plugin, runs_like_the_same_lock_built_in_and_is_named_in_the_results) {
  const std::string built_in = results_of("mcs", good);
  const std::string plugged = results_of("mcs_plugged", good);
  EXPECT_EQ(replaced(plugged, "mcs_plugged", "mcs"), built_in);
  const Json listed = parse_json(plugged)["manifest"]["plugins"];
  ASSERT_EQ(listed.size(), 1U);
  EXPECT_EQ(listed[0]["file"], "good.so");
  EXPECT_EQ(listed[0]["hash"].get<std::string>().size(), 16U);
}

TEST_F(Plugin, is_not_mentioned_in_a_run_without_plugins) {
  EXPECT_THAT(results_of("mcs", {}), Not(HasSubstr("plugins")));
}

TEST_F(Plugin, is_explored_like_the_same_lock_built_in_and_named_in_its_trace) {
  const std::vector<std::string> stuck = {"--crashes", "1",        "--out",
                                          "found",     "--plugin", plugin("good")};
  std::vector<std::string> words = {"explore", "--protocol", "mcs_plugged"};
  words.insert(words.end(), stuck.begin(), stuck.end());
  const Finished found = latchlab(words);
  EXPECT_EQ(found.code, 1);
  EXPECT_THAT(found.out, HasSubstr("FOUND deadlock in 4 moves (X X, a node each): "));
  const std::string trace = "found/mcs_plugged-deadlock-1.json";
  EXPECT_THAT(found.out,
              HasSubstr("latchlab replay " + trace + " --plugin " + plugin("good") + "\n"));
  EXPECT_EQ(latchlab({"replay", trace, "--plugin", plugin("good")}).code, 0);
  const Finished alone = latchlab({"replay", trace});
  EXPECT_EQ(alone.code, 2);
  EXPECT_THAT(alone.err, HasSubstr("there is no protocol 'mcs_plugged'"));
  EXPECT_THAT(alone.err, HasSubstr("--plugin"));
}

TEST_F(Plugin, is_loaded_once_if_option_and_environment_both_name_it) {
  const std::string both = plugin("good") + "::" + plugin("good");
  const Finished listed =
      latchlab({"list", "protocols", "--plugin", plugin("good")}, {{"LATCHLAB_PLUGINS", both}});
  EXPECT_EQ(listed.code, 0) << listed.err;
  EXPECT_THAT(listed.out, HasSubstr("\nmcs_plugged: "));
  write("s.yaml", small_scenario("{name: mcs_plugged}"));
  const Finished checked = latchlab({"check", "s.yaml"}, {{"LATCHLAB_PLUGINS", plugin("good")}});
  EXPECT_EQ(checked.code, 0) << checked.err;
}

TEST_F(Plugin, that_is_no_plugin_is_refused) {
  expect_refused("nowhere.so", "there is no such plug-in");
  std::filesystem::create_directory(path("folder"));
  expect_refused("folder", "a plug-in is a file");
  write("text.so", "hello");
  expect_refused("text.so", "this is no shared library");
  write("empty.so", "");
  expect_refused("empty.so", "this is no shared library");
  write("short.so", "\177ELF");
  expect_refused("short.so", "cannot be loaded: file too short");
  expect_refused(plugin("stranger"), "this is no Latchlab plug-in: it has no symbol");
}

TEST_F(Plugin, of_another_build_is_refused_with_both_builds) {
  expect_refused(plugin("old"), "it was built for Latchlab 0.0.1, this latchlab ");
  expect_refused(plugin("old"), "rebuild it");
  expect_refused(plugin("future"), "it was built for plug-in interface 99, this latchlab 1");
  expect_refused(plugin("foreign"), "it was built by pathcc, this latchlab ");
}

TEST_F(Plugin, with_an_unusable_lock_is_refused) {
  expect_refused(plugin("incomplete"), "undefined symbol");
  expect_refused(plugin("contradicting"),
                 "lock contradicting: parameter 'twice' is declared twice");
  std::filesystem::copy(plugin("good"), path("copy.so"));
  const Finished twice =
      latchlab({"list", "protocols", "--plugin", plugin("good"), "--plugin", "copy.so"});
  EXPECT_EQ(twice.code, 2);
  EXPECT_THAT(twice.err, HasSubstr("copy.so: lock mcs_plugged: the name 'mcs_plugged' is taken"));
}

}  // namespace
}  // namespace latchlab::cli_test

// Commands on pages that no test runs: latchlab understands them.
#include <gmock/gmock.h>

#include "tests/cli/program.h"
#include "tests/paths.h"

namespace latchlab::cli_test {
namespace {

using ::testing::HasSubstr;

class Docs : public Command {
 protected:
  Finished parse(const std::string& page) {
    const std::string build =
        std::filesystem::path(LATCHLAB_BINARY).parent_path().parent_path().string();
    const std::string script = LATCHLAB_SOURCE_DIR "/tools/run-doc";
    return start_program({script, "--build", build, "--parse", page}).wait();
  }
};

TEST_F(Docs, latchlab_accepts_every_command_of_the_page_on_clusters) {
  const Finished finished = parse(LATCHLAB_SOURCE_DIR "/docs/cluster.md");
  EXPECT_EQ(finished.code, 0) << finished.err;
}

TEST_F(Docs, latchlab_accepts_every_command_of_the_page_on_the_command_line) {
  const Finished finished = parse(LATCHLAB_SOURCE_DIR "/docs/command-line.md");
  EXPECT_EQ(finished.code, 0) << finished.err;
}

// The pages on defects show what their commands print. Traces depend on the compiler.
TEST_F(Docs, traces_on_pages_about_defects_are_current) {
#if !defined(__GNUC__) || defined(__clang__)
  GTEST_SKIP() << "the traces are those of g++";
#endif
  const std::string build =
      std::filesystem::path(LATCHLAB_BINARY).parent_path().parent_path().string();
  const std::string script = LATCHLAB_SOURCE_DIR "/tools/defects";
  const Finished finished = start_program({script, "--build", build, "--check"}).wait();
  EXPECT_EQ(finished.code, 0) << finished.out << finished.err << "tools/defects writes the traces";
}

// The commands of README.md stand in its sentences, as `latchlab ...`.
TEST_F(Docs, latchlab_accepts_every_command_of_the_readme) {
  const std::string text = tree_file("README.md"), mark = "`latchlab ";
  std::string page = "```sh\n";
  int commands = 0;
  for (std::size_t at = text.find(mark); at != std::string::npos; at = text.find(mark, at + 1)) {
    page += text.substr(at + 1, text.find('`', at + 1) - at - 1) + "\n";
    ++commands;
  }
  EXPECT_GE(commands, 6);
  const Finished finished = parse(path(write("page.md", page + "true\n```\n")));
  EXPECT_EQ(finished.code, 0) << page << finished.err;
}

TEST_F(Docs, a_command_that_is_not_accepted_is_found_behind_any_launcher) {
  for (const char* line :
       {"latchlab run quickstart --worker 2", "mpirun -n 2 latchlab run --nope x",
        "srun -N 2 \\\n  latchlab node", "ssh a latchlab compere a b &\nwait"}) {
    const std::string page = path(write("page.md", std::string("```sh\n") + line + "\n```\n"));
    const Finished finished = parse(page);
    EXPECT_EQ(finished.code, 1) << line;
    EXPECT_THAT(finished.err, HasSubstr("is not understood"));
  }
  EXPECT_EQ(parse(path(write("page.md", "```sh\nls; sudo rm x\nlatchlab doctor\n```\n"))).code, 0);
}

}  // namespace
}  // namespace latchlab::cli_test

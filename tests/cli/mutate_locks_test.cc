// tools/mutate --locks: what it makes of a lock's file, which is compiled once and started with
// each mutant.
#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>

#include "tests/cli/program.h"
#include "tests/paths.h"

namespace latchlab::cli_test {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;
using ::testing::UnorderedElementsAre;

constexpr const char* kHeader = R"(#pragma once
constexpr int twice(int a) { return a * 2; }
static_assert(twice(1) == 2);
)";

// What is constexpr, checked or planted has no mutants.
constexpr const char* kSource = R"(#include "core/protocols/toy/toy.h"
#include <cstdio>
#define PLANTED(name) false
struct Net {
  void post(int n) { std::printf("%d ", n); }
};
constexpr int kFixed = 3;
int check(int a) {
  if (a < kFixed || a > 90) return a;
  return -a;
}
int less(int a, int b) { return a - b; }
int main() {
  Net net;
  int x = twice(4);
  if (PLANTED(toy_bug)) x = 1;
  net.post(less(x, kFixed));
  x = check(kFixed);
  std::printf("%d\n", x);
}
)";

// What the tool does before it builds, for this lock alone.
constexpr const char* kOverlay = R"(
import sys
from pathlib import Path
sys.dont_write_bytecode = True
sys.path.insert(0, 'tools/mutation')
from lock_mutants import Mutants
mutants = Mutants('toy', 1, 99)
mutants.chosen = mutants.fill_up(list(mutants.drawn), [])
for file, text in mutants.overlay().items():
    Path(file).write_text(text)
for fault in mutants.chosen:
    print(fault.file[-2:], fault.line, fault.kind)
)";

// Three faults, and those that the tool draws beside faults that equivalent_faults lists as
// equivalent.
constexpr const char* kNumbers = R"(
import sys
sys.dont_write_bytecode = True
sys.path.insert(0, 'tools/mutation')
from lock_mutants import Mutants
mutants = Mutants('toy', 1, 3)
mutants.chosen = mutants.fill_up(list(mutants.drawn), [])
for fault in mutants.chosen:
    print(fault.file, fault.kind, fault.before.strip(), fault.after.strip(), 'why', sep='\t')
)";

class MutateLocks : public Command {
 protected:
  void SetUp() override {
    Command::SetUp();
    namespace fs = std::filesystem;
    for (const char* needed : {"/usr/bin/python3", "/usr/bin/c++"})
      if (start_program({needed, "--version"}).wait().code != 0) GTEST_SKIP() << "needs " << needed;
    for (const char* folder : {"tools", "core/protocols/common", "core/protocols/toy"})
      fs::create_directories(home() / folder);
    for (const char* part : {"tools/mutate", "tools/mutation"})
      fs::copy(fs::path(LATCHLAB_SOURCE_DIR) / part, home() / part, fs::copy_options::recursive);
    write("core/protocols/toy/toy.h", kHeader);
    write("core/protocols/toy/toy.cc", kSource);
  }
};

TEST_F(MutateLocks, makes_one_program_that_can_run_each_mutant) {
  write("overlay.py", kOverlay);
  const Finished drawn = start_program({"/usr/bin/python3", "overlay.py"}).wait();
  ASSERT_EQ(drawn.code, 0) << drawn.err;
  const Finished compiled =
      start_program({"/usr/bin/c++", "-std=c++20", "-I.", "core/protocols/toy/toy.cc", "-o", "toy"})
          .wait();
  ASSERT_EQ(compiled.code, 0) << compiled.err;

  const auto printed = [&](const std::string& mutant) {
    return start_program({path("toy")}, {{"LATCHLAB_MUTANT", mutant}}).wait().out;
  };
  EXPECT_EQ(printed(""), "5 -3\n");
  EXPECT_EQ(printed("another:1"), "5 -3\n");
  std::vector<std::string> all;
  std::istringstream lines(drawn.out);
  for (std::string place; std::getline(lines, place);)
    all.push_back(place + ": " + printed("toy:" + std::to_string(all.size() + 1)));
  EXPECT_THAT(all, UnorderedElementsAre(
                       ".h 2 constant: 9 -3\n", "cc 9 comparison: 5 3\n", "cc 9 comparison: 5 -3\n",
                       "cc 9 constant: 5 -3\n", "cc 9 dropped: 5 -3\n", "cc 9 negated: 5 3\n",
                       "cc 15 constant: 7 -3\n", "cc 17 dropped: -3\n", "cc 17 order: -6 -3\n",
                       "cc 17 swapped: -5 -3\n", "cc 18 dropped: 5 8\n", "cc 19 dropped: 5 "));
}

TEST_F(MutateLocks, draws_another_fault_beside_each_one_listed_as_equivalent) {
  write("numbers.py", kNumbers);
  const Finished three = start_program({"/usr/bin/python3", "numbers.py"}).wait();
  ASSERT_EQ(three.code, 0) << three.err;
  const std::string first = three.out.substr(0, three.out.find('\n') + 1);
  const std::string known = "tests/protocols/toy/equivalent_faults";
  std::filesystem::create_directories(home() / "tests/protocols/toy");

  write(known, "# comment\n" + first);
  const Finished four = start_program({"/usr/bin/python3", "numbers.py"}).wait();
  EXPECT_EQ(std::count(four.out.begin(), four.out.end(), '\n'), 4);
  EXPECT_THAT(four.out, StartsWith(three.out));
  write(known, "core/protocols/toy/toy.cc\tnegated\n");
  EXPECT_THAT(start_program({"/usr/bin/python3", "numbers.py"}).wait().err,
              HasSubstr("not five fields"));
}

// Two places have the same text: a row for one of them does not say which.
TEST_F(MutateLocks, needs_a_row_for_each_of_several_places_with_the_same_text) {
  write("core/protocols/toy/toy.cc",
        "void f(int& a) {\n  a = 2;\n}\nvoid g(int& a) {\n  a = 2;\n}\n");
  write("numbers.py", kNumbers);
  const std::string row = "core/protocols/toy/toy.cc\tdropped\ta = 2;\t;\twhy\n";
  std::filesystem::create_directories(home() / "tests/protocols/toy");
  write("tests/protocols/toy/equivalent_faults", row);
  EXPECT_THAT(start_program({"/usr/bin/python3", "numbers.py"}).wait().err,
              HasSubstr("toy has 2 places that say"));
  write("tests/protocols/toy/equivalent_faults", row + row);
  EXPECT_THAT(start_program({"/usr/bin/python3", "numbers.py"}).wait().out, HasSubstr(row));
}

TEST_F(MutateLocks, reports_a_name_that_is_no_lock) {
  const Finished finished = start_program({path("tools/mutate"), "--locks", "tory"}).wait();
  EXPECT_EQ(finished.code, 1);
  EXPECT_THAT(finished.err, HasSubstr("tory is no lock of the project: toy"));
}

}  // namespace
}  // namespace latchlab::cli_test

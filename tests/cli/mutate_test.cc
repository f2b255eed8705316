// Which faults tools/mutate draws, on a source file of its own. This test does not build and test
// them, which takes hours.
#include <gmock/gmock.h>

#include <filesystem>
#include <set>
#include <sstream>

#include "tests/cli/program.h"
#include "tests/paths.h"

namespace latchlab::cli_test {
namespace {

using ::testing::UnorderedElementsAre;

// Lines 1 to 7 and 13 to 22 offer no fault, and neither do strings and comments.
constexpr const char* kMutatedSource = R"(#define SHIFT 1
template <class T>
void declared(int a, int b = SIZE);
// 1 < 2
int f(int a, int b) {
  LATCHLAB_CHECK(a < 1, "1 < 2");
  int sum = a, rest;
  if (a <= 17 && ok(b)) g("1, 2", a, b);
  for (const int x : all)
    sum += x;
  return sum == b ? a :  // true
             b;
  if (a > 1 &&
      b < 2)
    LATCHLAB_PATH("1 < 2");
  if (a == 3) {
    LATCHLAB_PATH("3");  // true
  } else if (b != 3) {
    LATCHLAB_CHECK(a < b, "4");
  } else {
    LATCHLAB_PATH_OF(kPrefix, "5");
  }
  if (a == 4) LATCHLAB_PATH("6");
  else g(7);
}
)";

class Mutate : public Command {
 protected:
  void SetUp() override {
    Command::SetUp();
    namespace fs = std::filesystem;
    if (start_program({"/usr/bin/python3", "--version"}).wait().code != 0)
      GTEST_SKIP() << "needs the Debian package python3";
    fs::create_directories(home() / "tools");
    fs::create_directories(home() / "code");
    for (const char* part : {"tools/mutate", "tools/mutation"})
      fs::copy(fs::path(LATCHLAB_SOURCE_DIR) / part, home() / part, fs::copy_options::recursive);
    write("code/f.cc", kMutatedSource);
  }

  // Each fault as "line kind after", without the indentation.
  std::vector<std::string> drawn(const std::string& seed) {
    const Finished finished =
        start_program({path("tools/mutate"), "--list", "--seed", seed, "code"}).wait();
    EXPECT_EQ(finished.code, 0) << finished.err;
    std::vector<std::string> all;
    std::istringstream lines(finished.out);
    for (std::string number, place, kind, before, after; std::getline(lines, number, '\t');) {
      std::getline(lines, place, '\t');
      std::getline(lines, kind, '\t');
      std::getline(lines, before, '\t');
      std::getline(lines, after);
      EXPECT_EQ(number, std::to_string(all.size() + 1));
      const std::size_t line = std::stoul(place.substr(place.find(':') + 1));
      EXPECT_EQ(before, source_line(line));
      EXPECT_NE(before, after);
      all.push_back(std::to_string(line) + " " + kind + " " +
                    after.substr(after.find_first_not_of(' ')));
    }
    return all;
  }

  static std::string source_line(std::size_t number) {
    std::istringstream lines(kMutatedSource);
    std::string line;
    for (std::size_t i = 0; i < number; ++i) std::getline(lines, line);
    return line;
  }
};

TEST_F(Mutate, finds_every_place_of_each_kind_and_no_other) {
  EXPECT_THAT(drawn("1"),
              UnorderedElementsAre("8 comparison if (a < 17 && ok(b)) g(\"1, 2\", a, b);",
                                   "8 constant if (a <= 18 && ok(b)) g(\"1, 2\", a, b);",
                                   "8 negated if (!(a <= 17 && ok(b))) g(\"1, 2\", a, b);",
                                   "8 swapped if (a <= 17 && ok(b)) g(\"1, 2\", b, a);",
                                   "8 dropped if (a <= 17 && ok(b)) ;", "10 dropped ;",
                                   "11 comparison return sum != b ? a :  // true",
                                   "11 negated return !(sum == b) ? a :  // true",
                                   "23 comparison if (a != 4) LATCHLAB_PATH(\"6\");",
                                   "23 constant if (a == 5) LATCHLAB_PATH(\"6\");",
                                   "23 negated if (!(a == 4)) LATCHLAB_PATH(\"6\");",
                                   "24 constant else g(8);", "24 dropped else ;"));
}

TEST_F(Mutate, draws_the_same_order_for_one_seed_and_another_for_another) {
  const std::vector<std::string> first = drawn("1");
  EXPECT_EQ(drawn("1"), first);
  std::set<std::vector<std::string>> orders;
  for (const char* seed : {"1", "2", "3", "4"}) orders.insert(drawn(seed));
  EXPECT_EQ(orders.size(), 4u);
}

TEST_F(Mutate, refuses_folders_that_do_not_exist) {
  const Finished finished = start_program({path("tools/mutate"), "--list", "cod"}).wait();
  EXPECT_NE(finished.code, 0);
  EXPECT_EQ(finished.err, "tools/mutate: cod is no folder of the project\n");
}

}  // namespace
}  // namespace latchlab::cli_test

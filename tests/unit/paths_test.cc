// Labels of paths: known before any code ran, reached once code passed them while recording.

#include "core/base/paths.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "core/coro/task.h"

namespace latchlab {
namespace {

using ::testing::ElementsAre;

void pass(bool second) {
  LATCHLAB_PATH("test: begins");
  if (second) {
    LATCHLAB_PATH("test: takes the second way");
    return;
  }
  LATCHLAB_PATH("test: takes the first way");
}

// The same label as in pass().
void begin_elsewhere() {
  LATCHLAB_PATH("test: begins");
}

Task<void> wait_for(Task<int> inner) {
  const int value = co_await inner;
  if (value > 0)
    LATCHLAB_PATH("test: a coroutine sees a value");
  else
    LATCHLAB_PATH("test: a coroutine sees none");
}

Task<int> number(int value) {
  LATCHLAB_PATH("test: a coroutine begins");
  co_return value;
}

[[maybe_unused]] void never_called() {
  LATCHLAB_PATH("test: is never reached");
}

class Paths : public ::testing::Test {
 protected:
  void SetUp() override {
    paths::forget();
    paths::record(true);
  }
  void TearDown() override { paths::record(false); }

  static std::vector<std::string> labels(bool reached) {
    std::vector<std::string> found;
    for (const paths::PathState& path : paths::all("test: "))
      if (path.reached == reached) found.emplace_back(path.label.substr(6));
    return found;
  }
};

TEST_F(Paths, are_known_sorted_and_unique_before_any_code_ran) {
  EXPECT_THAT(labels(true), ElementsAre());
  EXPECT_THAT(labels(false), ElementsAre("a coroutine begins", "a coroutine sees a value",
                                         "a coroutine sees none", "begins", "is never reached",
                                         "takes the first way", "takes the second way"));
}

TEST_F(Paths, are_reached_when_they_are_passed) {
  pass(true);
  EXPECT_THAT(labels(true), ElementsAre("begins", "takes the second way"));
  pass(false);
  EXPECT_THAT(labels(true), ElementsAre("begins", "takes the first way", "takes the second way"));
}

TEST_F(Paths, of_one_label_are_one_path) {
  begin_elsewhere();
  EXPECT_THAT(labels(true), ElementsAre("begins"));
}

TEST_F(Paths, are_not_reached_while_recording_is_off) {
  paths::record(false);
  pass(true);
  EXPECT_THAT(labels(true), ElementsAre());
}

TEST_F(Paths, are_forgotten_on_request) {
  pass(true);
  paths::forget();
  EXPECT_THAT(labels(true), ElementsAre());
}

TEST_F(Paths, are_found_by_their_prefix) {
  EXPECT_EQ(paths::all("test: takes").size(), 2U);
  EXPECT_EQ(paths::all("nothing begins like this").size(), 0U);
  EXPECT_GE(paths::all().size(), 7U);
}

TEST_F(Paths, work_in_coroutines) {
  Task<void> task = wait_for(number(1));
  task.start();
  EXPECT_THAT(labels(true), ElementsAre("a coroutine begins", "a coroutine sees a value"));
}

}  // namespace
}  // namespace latchlab

// What searches show of retry_on_fail: any client may be bypassed.

#include "tests/modes.h"
#include "tests/protocols/caslock/claims.h"

namespace latchlab::explore {
namespace {

// A reader that has undone its count has lost its position.
TEST(retry_on_fail, lets_writers_bypass_a_reader) {
  expect_bypassed({"retry_on_fail", kS, kX}, 3, 1);
}

TEST(retry_on_fail, lets_readers_and_writers_bypass_a_writer) {
  expect_bypassed({"retry_on_fail", kX, kS}, 3, 1);
  expect_bypassed({"retry_on_fail", kX, kX}, 3, 1);
}

// Every state has a way to finish. The search does not model speed, and so does not show that this
// way may never be taken (scenarios/whatif/held-up.yaml).
TEST(retry_on_fail, can_always_finish_with_each_release) {
  for (const char* release : {"exact", "tracking"})
    expect_sound(
        run(with_sets(about("retry_on_fail", 2, 2), {std::string("writer_release=") + release})));
}

TEST(retry_on_fail, leaves_nothing_behind_when_tries_are_used_up) {
  expect_sound(run(with_sets(about("retry_on_fail", 2, 2), {"timeout_tries=1"})));
  expect_sound(
      run(with_sets(about("retry_on_fail", 2, 2),
                    {"timeout_tries=2", "reader_conflict=stay", "writer_release=tracking"})));
}

TEST(retry_on_fail, ends_acquisitions_and_releases_when_the_server_dies) {
  for (const char* release : {"writer_release=subtract", "writer_release=exact"})
    expect_told_when_the_server_dies(
        "retry_on_fail", {release},
        {"the server fails an acquire", "the server fails a reader that withdraws",
         "the server fails a release"});
  expect_told_when_the_server_dies(
      "retry_on_fail", {"reader_conflict=stay", "writer_release=tracking", "timeout_tries=1"},
      {"the server fails a reader that gives up"});
}

}  // namespace
}  // namespace latchlab::explore

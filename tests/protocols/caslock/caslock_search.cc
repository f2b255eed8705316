// What searches show of caslock: which clients are bypassed, and what remains after a server fails.

#include "tests/modes.h"
#include "tests/protocols/caslock/claims.h"

namespace latchlab::explore {
namespace {

// A counted reader keeps its position: no writer's CAS finds 0 before that reader has released.
TEST(caslock, lets_no_writer_bypass_a_reader) {
  expect_kept({"caslock", kS, kX}, 2, 2);
  expect_kept({"caslock", kS, kX}, 3, 1);
}

TEST(caslock, lets_readers_and_writers_bypass_a_writer) {
  expect_bypassed({"caslock", kX, kS}, 3, 1);
  expect_bypassed({"caslock", kX, kX}, 3, 1);
}

// Each count is one bit too narrow for one more reader.
TEST(caslock, is_sound_with_as_many_clients_as_the_count_takes) {
  expect_sound(run(with_sets(about("caslock", 3, 2), {"count_bits=2"})));
}

TEST(caslock, ends_acquisitions_and_releases_when_the_server_dies) {
  expect_told_when_the_server_dies("caslock", {},
                                   {"the server fails an acquire", "the server fails a release"});
}

}  // namespace
}  // namespace latchlab::explore

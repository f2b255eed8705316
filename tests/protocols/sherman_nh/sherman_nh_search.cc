// What searches show of sherman_nh.

#include "tests/modes.h"
#include "tests/protocols/caslock/claims.h"

namespace latchlab::explore {
namespace {

TEST(sherman_nh, lets_clients_bypass_a_waiting_client) {
  expect_bypassed({"sherman_nh", kX, kX}, 2, 2);
}

TEST(sherman_nh, is_sound_while_unlocks_are_under_way) {
  expect_sound_with_posted_unlocks(with_sets(about("sherman_nh", 3, 2), {"unlock_posted=true"}));
  expect_sound_with_posted_unlocks(
      with_sets(about("sherman_nh", 2, 2), {"unlock_posted=true", "local_queue=true"}));
}

TEST(sherman_nh, ends_acquisitions_and_releases_when_the_server_dies) {
  expect_told_when_the_server_dies("sherman_nh", {"local_queue=true"},
                                   {"the server fails an acquire", "the server fails a release"});
}

}  // namespace
}  // namespace latchlab::explore

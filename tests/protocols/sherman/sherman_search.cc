// What searches show of sherman: which clients are bypassed, and what remains after a server fails.

#include "tests/modes.h"
#include "tests/protocols/caslock/claims.h"

namespace latchlab::explore {
namespace {

Campaign within_a_node(Campaign campaign) {
  campaign.placement = Placement::together;
  return campaign;
}

TEST(sherman, lets_clients_of_other_nodes_bypass_a_waiting_client) {
  Campaign campaign = about(Claim{"sherman", kX, kX}, 2, 2);
  campaign.placement = Placement::spread;
  EXPECT_EQ(kinds(run(campaign)), std::set<Violation>{Violation::bypassed});
}

TEST(sherman, is_sound_within_a_node) {
  expect_sound(run(within_a_node(about("sherman", 3, 1))));
  expect_sound(run(with_sets(within_a_node(about("sherman", 3, 1)), {"max_handovers=0"})));
}

// The entry is acquired again before the verb that releases it has landed, or not: the verb lands
// once.
TEST(sherman, is_sound_while_unlocks_are_under_way) {
  expect_sound_with_posted_unlocks(with_sets(about("sherman", 2, 2), {"unlock_posted=true"}));
  expect_sound_with_posted_unlocks(
      with_sets(about("sherman", 2, 2), {"unlock_posted=true", "unlock_by=faa"}));
  expect_sound_with_posted_unlocks(
      with_sets(about("sherman", 2, 3), {"unlock_posted=true", "max_handovers=0"}));
}

// Two locks of one word; each client begins with a lock of its own.
TEST(sherman, is_sound_while_unlocks_of_locks_in_one_word_are_under_way) {
  for (const char* lock : {"sherman", "sherman_nh"}) {
    Campaign campaign =
        with_sets(about(lock, 2, 2), {"unlock_posted=true", "unlock_by=faa", "packed=true"});
    campaign.base.locks = 2;
    campaign.base.sorted = false;
    expect_sound_with_posted_unlocks(campaign);
  }
}

TEST(sherman, ends_acquisitions_and_releases_when_the_server_dies) {
  expect_told_when_the_server_dies("sherman", {},
                                   {"the server fails an acquire", "the server fails a release"});
}

}  // namespace
}  // namespace latchlab::explore

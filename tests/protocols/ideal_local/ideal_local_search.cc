// What searches show of the ideal lock.

#include "tests/explore/locks.h"
#include "tests/explore/verdicts.h"

namespace latchlab::explore {
namespace {

TEST(ideal_local, is_sound_in_every_order_on_its_one_node) {
  Campaign campaign = about("ideal_local", 2, 2);
  expect_sound(run(campaign));
  campaign.base.locks = 2;
  expect_sound(run(campaign));
  expect_sound(run(about("ideal_local", 3, 1)));
}

TEST(ideal_local, refuses_clients_of_several_nodes) {
  Campaign campaign = about("ideal_local", 2, 1);
  campaign.placement = Placement::spread;
  const Status refused = check_campaign(campaign);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, ::testing::HasSubstr("serves at most 1 client nodes"));
}

}  // namespace
}  // namespace latchlab::explore

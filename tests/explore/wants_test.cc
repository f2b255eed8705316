// What operations request: several locks at once, ranges of a lock, updates.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/explore/fixture.h"
#include "tests/explore/verdicts.h"
#include "tests/protocols/reference_lock.h"

namespace latchlab::explore {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class Wants : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    if (find_protocol(latchlab::testing::kReferenceLock) == nullptr) {
      EXPECT_TRUE(register_protocol(latchlab::testing::reference_lock()).ok());
    }
  }
};

Campaign two_at_once(const std::string& protocol) {
  Campaign campaign = about(protocol, 2, 1);
  campaign.base.locks = campaign.base.held = 2;
  campaign.placement = Placement::spread;
  return campaign;
}
// Each client on a node of its own, with one operation each.
Campaign modes(const std::string& protocol, std::vector<std::string> letters) {
  Campaign campaign = about(protocol, static_cast<std::uint32_t>(letters.size()), 1);
  campaign.base.modes = std::move(letters);
  campaign.placement = Placement::spread;
  return campaign;
}
Campaign faulty(Campaign campaign, const std::string& fault) {
  return with_sets(std::move(campaign), {"fault=" + fault});
}

TEST_F(Wants, of_several_locks_in_one_order_are_sound) {
  expect_sound(run(two_at_once("cas")));
  expect_sound(run(two_at_once("dslr")));
  EXPECT_THAT(check_campaign(two_at_once("mcs")).error().message,
              HasSubstr("a client of mcs holds at most 1 locks at once, not 2"));
}

TEST_F(Wants, of_several_locks_in_opposite_orders_deadlock) {
  for (const char* protocol : {"cas", "dslr"}) {
    Campaign campaign = two_at_once(protocol);
    campaign.base.sorted = false;
    const Verdict verdict = run(campaign);
    EXPECT_TRUE(verdict.exhausted) << verdict.cut;
    EXPECT_THAT(kinds(verdict), Contains(Violation::deadlock));
    EXPECT_THAT(kinds(verdict), Not(Contains(Violation::mutual_exclusion)));
    expect_replayable(verdict, "2 at once, client i from lock i on");
  }
}

TEST_F(Wants, that_overlap_exclude_each_other_and_disjoint_ones_do_not) {
  for (const char* extents : {"0-4,2-6", "0-2,2-4"}) {
    Campaign campaign = modes(latchlab::testing::kReferenceLock, {"X", "X"});
    const std::string text = extents;
    for (const std::string& each : {text.substr(0, 3), text.substr(4)})
      campaign.base.extents.push_back(extent_of(each).value());
    expect_sound(run(campaign));
    const std::set<Violation> found = kinds(run(faulty(campaign, "shares_extents")));
    EXPECT_EQ(found.count(Violation::mutual_exclusion), text == "0-4,2-6" ? 1U : 0U);
  }
}

TEST_F(Wants, of_readers_and_an_update_that_becomes_exclusive_are_sound) {
  const Campaign campaign = modes(latchlab::testing::kReferenceLock, {"P", "S"});
  expect_sound(run(campaign));
  const Verdict hasty = run(faulty(campaign, "upgrades_at_once"));
  EXPECT_THAT(kinds(hasty), Contains(Violation::mutual_exclusion));
  expect_replayable(hasty, "client 0 (node 2) updates and writes, client 1 (node 3) reads");
  expect_sound(
      run(faulty(modes(latchlab::testing::kReferenceLock, {"U", "S"}), "upgrades_at_once")));
}

// An idle client adds no states. It takes a place on a node, so that other clients can be alone on
// theirs.
TEST_F(Wants, of_nothing_leave_clients_idle) {
  const char* const lock = latchlab::testing::kReferenceLock;
  const Verdict idle = run(modes(lock, {"X", "-"}));
  expect_sound(idle);
  EXPECT_LT(10 * idle.states, run(modes(lock, {"X", "X"})).states);
  Campaign later = modes(lock, {"-X", "X-"});
  later.base.operations = 2;
  EXPECT_THAT(kinds(run(faulty(later, "shares_extents"))), IsEmpty());
  expect_sound(run(later));
}

TEST_F(Wants, that_are_invalid_are_refused) {
  Case setup;
  setup.protocol = "cas";
  setup.held = 2;
  EXPECT_THAT(check_case(setup).error().message,
              HasSubstr("2 locks held at once, and there are 1"));
  for (const char* text : {"", "4", "4-", "-4", "4-4", "5-4", "0-4x"})
    EXPECT_THAT(extent_of(text).error().message, HasSubstr("expected FIRST-END"));
  EXPECT_EQ(text_of(extent_of("2-6").value()), "2-6");
}

}  // namespace
}  // namespace latchlab::explore

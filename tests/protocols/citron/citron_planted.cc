// citron, broken on purpose.

#include "tests/protocols/citron/cases.h"
#include "tests/protocols/planted.h"

namespace latchlab::citron_tests {
namespace {

using explore::Campaign;
using explore::Violation;
using testing::Bug;
using testing::expect_found;

constexpr Bug kDoesNotWait{"citron_does_not_wait"};          // for T_wait
constexpr Bug kNotifiesNone{"citron_notifies_none"};         // DMax
constexpr Bug kStays{"citron_stays_occupied"};               // when it leaves
constexpr Bug kNoLevel{"citron_tells_no_level_of_its_own"};  // in place of the top ones
constexpr Bug kInSilence{"citron_grows_in_silence"};         // tells new nodes nothing
constexpr Bug kOneOff{"citron_is_one_off"};                  // in level order
constexpr Bug kLeaves{"citron_leaves_what_it_told"};         // of a leaf that it does not get
constexpr Bug kKeeps{"citron_keeps_the_leaves"};             // of a node that has to wait
constexpr Bug kForgets{"citron_forgets_whom_it_told"};       // DCnt

Campaign leaf_and_above(std::uint64_t units = 256) {
  return ranges({from_to(0, units), from_to(0, 10)}, microseconds(60),
                {"lock_children=false", "units=" + std::to_string(units)});
}
Campaign leaves() {
  return ranges({from_to(0, 10), from_to(5, 15)}, microseconds(2));
}

TEST(citron_planted, a_client_that_does_not_wait_out_T_wait_at_its_node) {
  Campaign campaign = leaf_and_above();
  campaign.base.time.latencies = {microseconds(1), microseconds(4)};
  campaign.method = explore::Method::random;
  expect_found(kDoesNotWait, Violation::mutual_exclusion, 2'000, campaign);
}
TEST(citron_planted, a_client_of_a_leaf_that_notifies_no_ancestor) {
  expect_found(kNotifiesNone, Violation::mutual_exclusion, 20'000, leaf_and_above());
}
TEST(citron_planted, a_client_that_notifies_no_node_for_the_top_levels) {
  expect_found(kNoLevel, Violation::mutual_exclusion, 20'000, leaf_and_above(4096));
}
TEST(citron_planted, a_tree_that_grows_without_notifying_its_new_nodes) {
  expect_found(kInSilence, Violation::mutual_exclusion, 20'000, root_of_a_tree_that_grows());
}
TEST(citron_planted, nodes_that_are_off_by_one_in_the_tree) {
  expect_found(kOneOff, Violation::not_free, 20'000,
               ranges({from_to(0, 10)}, microseconds(2), {}, 1));
}
TEST(citron_planted, a_node_that_stays_occupied) {
  expect_found(kStays, Violation::not_free, 20'000,
               ranges({from_to(0, 256)}, microseconds(2), {}, 1));
}
TEST(citron_planted, a_leaf_that_was_not_acquired_and_whose_ancestors_stay_notified) {
  expect_found(kLeaves, Violation::not_free, 20'000, leaves());
}
TEST(citron_planted, a_waiting_client_that_keeps_the_leaves_below_its_node) {
  expect_found(kKeeps, Violation::not_free, 20'000,
               ranges({from_to(0, 256), from_to(0, 10)}, microseconds(2)));
}
TEST(citron_planted, a_release_that_does_not_undo_its_notifications) {
  expect_found(kForgets, Violation::not_free, 20'000, leaves());
}

}  // namespace
}  // namespace latchlab::citron_tests

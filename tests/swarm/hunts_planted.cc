// Planted bugs that only faults show, and forms of locks that faults break: the swarm finds each,
// and makes it small. A test prints its line of the table, of a miss as well.

#include <cstdio>

#include "tests/protocols/bug.h"
#include "tests/swarm/hunt.h"

namespace latchlab::swarm {
namespace {

constexpr std::uint64_t kRuns = 2'000;
constexpr std::uint64_t kPlays = 400;

void expect_small(const std::string& name, const Hunted& prey, Keeps what) {
  const std::optional<Found> found = hunt(prey, kRuns);
  if (!found) {
    std::printf("%s: missed in %llu runs\n", name.c_str(), static_cast<unsigned long long>(kRuns));
    ADD_FAILURE() << name << " stays unseen";
    return;
  }
  const Shrunk shrunk =
      shrink(found->drawn, found->broken, prey.lock, {}, 2, kPlays, data(), simulated);
  std::printf("%s: run %llu, %s; %u clients and %zu faults -> %u and %zu (%llu plays)\n  %s\n",
              name.c_str(), static_cast<unsigned long long>(found->number),
              found->broken.name().c_str(), found->drawn.all_clients(), found->drawn.faults.size(),
              shrunk.smallest.all_clients(), shrunk.smallest.faults.size(),
              static_cast<unsigned long long>(shrunk.plays), shrunk.broken.how.c_str());
  EXPECT_EQ(found->broken.what, what) << found->broken.how;
  EXPECT_LE(shrunk.smallest.all_clients(), 6U);
  EXPECT_LE(shrunk.smallest.faults.size(), 3U);
}

void expect_found(testing::Bug bug, const std::string& lock, Keeps what) {
  const testing::Active active(bug);
  expect_small(bug.name, {.lock = lock}, what);
}

// ---- forms that are kept as printed ----

TEST(Hunts, find_one_bit_of_recoveries) {
  expect_small("shiftlock, recovery_bits: 1", {"shiftlock", {{"recovery_bits", std::int64_t{1}}}},
               Keeps::exclusion);
}
TEST(Hunts, find_readers_that_come_late_for_ever) {
  expect_small("declock, late_readers: all", {"declock", {{"late_readers", "all"}}, false},
               Keeps::progress);
}

// ---- planted bugs ----

// Most runs that show it have clients that wait for ever, because their RECVs are gone.
TEST(Hunts, find_messages_that_stay_unread) {
  const testing::Active active(testing::Bug{"mcs_hands_over_twice"});
  std::vector<Drawn> cases;
  for (std::uint64_t number = 0; number < 200; ++number) cases.push_back(drawn("mcs", number));
  const std::vector<Played> played = play_all(cases, 2);
  const auto tells = [](const Played& each) {
    const Broken* const broken = each.finding();
    return broken != nullptr && broken->what == Keeps::clean_end &&
           broken->how.find("messages were not received") != std::string::npos;
  };
  EXPECT_GT(std::ranges::count_if(played, tells), 0);
}
TEST(Hunts, find_notifications_that_have_expired) {
  expect_found({"cql_accepts_expired"}, "cql", Keeps::exclusion);
}
TEST(Hunts, find_answers_of_nodes_that_hold) {
  expect_found({"cql_answers_while_holding"}, "cql", Keeps::exclusion);
}
TEST(Hunts, find_a_new_life_that_clears_while_the_old_one_is_held) {
  expect_found({"cql_clears_while_holding"}, "cql", Keeps::exclusion);
}
TEST(Hunts, find_clients_that_enter_unannounced) {
  expect_found({"cql_enters_unannounced"}, "cql", Keeps::progress);
}
TEST(Hunts, find_releases_in_another_life) {
  expect_found({"cql_releases_in_another_life"}, "cql", Keeps::exclusion);
}
TEST(Hunts, find_a_meeting_that_is_skipped) {
  expect_found({"cql_skips_meeting"}, "cql", Keeps::exclusion);
}
TEST(Hunts, find_grants_that_outlive_their_lease) {
  expect_found({"drtm_grant_outlives_lease"}, "drtm", Keeps::exclusion);
}
TEST(Hunts, find_a_lease_that_begins_with_its_answer) {
  expect_found({"drtm_lease_from_the_answer"}, "drtm", Keeps::exclusion);
}
TEST(Hunts, find_eras_without_an_end) {
  expect_found({"dslr_no_count_max_reset"}, "dslr", Keeps::progress);
}
TEST(Hunts, find_notifications_that_stay) {
  expect_found({"citron_leaves_what_it_told"}, "citron", Keeps::progress);
}
TEST(Hunts, find_leaves_that_are_kept) {
  expect_found({"citron_keeps_the_leaves"}, "citron", Keeps::clean_end);
}

}  // namespace
}  // namespace latchlab::swarm

// The dslr lock in the tests that every lock has to pass.

#include "core/protocols/dslr/rules.h"
#include "tests/protocols/marks.h"

namespace latchlab::testing {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::IsSupersetOf;
using ::testing::MatchesRegex;

TEST(dslr, looks_free_as_ported) {
  expect_free_when_all_have_gone(crowd("dslr", "shiftlock_port"));
}

TEST(dslr, looks_free_once_it_has_been_repaired) {
  expect_free_once_repaired("dslr");
}

TEST(dslr, looks_free_when_all_tickets_are_served) {
  EXPECT_TRUE(is_free("dslr", {0x0002'0005'0002'0005}));
  EXPECT_FALSE(is_free("dslr", {0x0002'0005'0003'0005}));  // a writer
  EXPECT_FALSE(is_free("dslr", {0x0002'0005'0002'0006}));  // a reader
  EXPECT_TRUE(is_free("dslr", {0xffff'0005'8000'0006}));   // a tombstone
}

TEST(dslr, takes_ordinary_paths_under_contention) {
  expect_paths(
      crowd("dslr"),
      {"a reader enters at once", "a writer enters at once", "a reader waits for its turn",
       "a writer waits for its turn", "the turn of a waiting client comes", "a reader releases",
       "a writer releases", "no tickets are left", "the last ticket of an era is served",
       "the last holder ends the era", "a client without a ticket sees the next era"},
      {"no ticket is served for two leases", "a repair sends everyone back",
       "a repair leaves a tombstone", "a tombstone is taken away", "a late release is suppressed",
       "a waiting client has been passed", "a ticket is undone"});
}

TEST(dslr, takes_paths_through_a_repair_after_a_crash) {
  RunSetup setup = crowd("dslr");
  setup.dies = {0};
  expect_reached(setup, {"no ticket is served for two leases", "a repair sends everyone back",
                         "a waiting client has been passed"});
}

// The paths of a writer or reader without contention.
Labels passed_alone(std::uint32_t shared_percent, std::uint64_t operations) {
  RunSetup setup = crowd("dslr");
  setup.client_nodes = 1;
  setup.shared_percent = shared_percent;
  setup.operations = operations;
  Outcome outcome;
  return reached_in(setup, 1, outcome);
}

TEST(dslr, takes_two_paths_when_free_and_two_more_with_the_last_ticket) {
  EXPECT_THAT(passed_alone(0, 3), ElementsAre("a writer enters at once", "a writer releases"));
  EXPECT_THAT(passed_alone(100, 3), ElementsAre("a reader enters at once", "a reader releases"));
  EXPECT_THAT(passed_alone(0, 4),
              ElementsAre("a writer enters at once", "a writer releases",
                          "the last holder ends the era", "the last ticket of an era is served"));
}

TEST(dslr, spends_its_time_in_an_atomic_and_retries) {
  LATCHLAB_NEEDS_EXPLORER("asks for every way through");
  const std::set<std::string> seen = phases_of(crowd("dslr"));
  EXPECT_THAT(seen, IsSupersetOf({"acquire IA", "acquire IA RT", "acquire IA RT IA", "release IA",
                                  "release IA RT"}));
  // Repeated, for a client that finds no tickets.
  EXPECT_THAT(seen, Each(MatchesRegex("acquire IA( RT IA)*( RT)?|release IA( RT)?")));
}

bool queued(const Words& entry, std::uint32_t count) {
  const dslr::Tickets tickets = dslr::TicketWord(16, false, false).unpack(entry);
  return tickets.max_x + tickets.max_s >= count;
}
TEST(fifo, dslr_serves_writers_in_order_of_arrival) {
  expect_order_of_arrival("dslr", queued);
}
TEST(fifo, dslr_serves_writers_before_readers_that_came_later) {
  expect_order_of_arrival("dslr", queued, 3);
}

}  // namespace
}  // namespace latchlab::testing

// What searches show of RMA-RW.

#include <gmock/gmock.h>

#include "tests/explore/locks.h"
#include "tests/modes.h"

namespace latchlab::explore {
namespace {

// Their first effect is a store to their own word, not the swap.
TEST(rma_rw, claims_no_bound_for_writers_that_announce_themselves_by_words) {
  EXPECT_EQ(lock("rma_rw", {"notes=words"})->bypass_bound(kX, kX, ~0ULL), std::nullopt);
}

TEST(rma_rw, lets_no_writer_bypass_another_writer) {
  expect_claim_kept(about("rma_rw", 2, 2));
  expect_claim_kept(about("rma_rw", 3, 1));
  expect_claim_kept(with_sets(about("rma_rw", 3, 1), {"successor_known=at_grant"}));
}

// Requests to the failed server end. A client that waits for a word of another client waits
// forever.
TEST(rma_rw, ends_every_request_to_a_failed_server) {
  Campaign campaign = about("rma_rw", 2, 2);
  campaign.placement = Placement::spread;
  campaign.base.servers = 2;
  campaign.base.colocated = true;
  campaign.base.crashes = 1;
  campaign.base.crash_unit = CrashUnit::node;
  campaign.budget = 100'000;
  const Verdict verdict = run(campaign);
  EXPECT_EQ(kinds(verdict), std::set<Violation>{Violation::deadlock});
  for (const char* path : {"a reader that arrives", "a reader that waits",
                           "a writer that queues up", "the first writer", "a release"})
    EXPECT_THAT(verdict.unreached, ::testing::Not(::testing::Contains("rma_rw: the server fails " +
                                                                      std::string(path))));
}

TEST(rma_rw, needs_departures_that_are_reset_by_one_reader) {
  expect_needed_and_enough({.protocol = "rma_rw",
                            .repair = "reader_reset=subtracted",
                            .violation = Violation::deadlock,
                            .moves = 25,
                            .states = 20'000,
                            .modes = {"SS", "SS"}});
}

// A reader that was turned away in writers' mode does not look while the other client acquires and
// releases twice. ARRIVE is T_R then, and every client that could reset it waits for a lower value.
TEST(rma_rw, needs_a_barrier_that_opens_at_the_threshold) {
  expect_needed_and_enough({.protocol = "rma_rw",
                            .repair = "reader_barrier=below",
                            .violation = Violation::deadlock,
                            .moves = 17,
                            .states = 5'000,
                            .modes = {"XSS", "SXX"}});
}

}  // namespace
}  // namespace latchlab::explore

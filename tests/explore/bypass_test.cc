// Bounds on bypassing: a search detects a lock that breaks the bound that it claims. The tests of
// each lock check that it keeps its bound.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>

#include "tests/explore/fixture.h"
#include "tests/modes.h"
#include "tools/explore/case_run.h"

namespace latchlab::explore {
namespace {

using ::testing::Contains;
using ::testing::Not;

constexpr LockMode kU = LockMode::update;

// ---- BypassCheck alone ----

// Claims that a waiting client is bypassed by at most two writers, and never by readers unless it
// is a reader as well.
class Claimant final : public Protocol {
 public:
  Layout layout(const Shape& /*shape*/) const override { return {}; }
  std::unique_ptr<LockClient> make_client(const ClientEnv&) const override { return nullptr; }
  std::string decode(std::span<const std::uint64_t>) const override { return {}; }
  std::optional<std::uint32_t> bypass_bound(LockMode waiter, LockMode winner,
                                            std::uint64_t acquisitions) const override {
    if (acquisitions > 100 || (waiter == kS && winner == kS)) return std::nullopt;
    return winner == kX ? 2 : 0;
  }
};

class Bookkeeping : public ::testing::Test {
 protected:
  void wants(std::uint32_t client, LockMode mode) {
    check.requested(ClientId{client}, mode);
    EXPECT_TRUE(check.expected(ClientId{client}));
    check.came(ClientId{client});
    EXPECT_FALSE(check.expected(ClientId{client}));
  }
  void gets(std::uint32_t client) { check.granted(ClientId{client}); }

  Claimant protocol;
  BypassCheck check{protocol, 3, 100};
};

TEST_F(Bookkeeping, in_first_come_first_served_order_no_client_is_bypassed) {
  for (int turn = 0; turn < 5; ++turn) {
    wants(0, kX);
    wants(1, kS);
    wants(2, kX);
    gets(0);
    gets(1);
    gets(2);
  }
  EXPECT_FALSE(check.broken());
}

TEST_F(Bookkeeping, a_wait_at_the_bound_is_allowed_and_one_more_bypass_is_not) {
  wants(0, kS);
  for (int turn = 0; turn < 2; ++turn) {
    wants(1, kX);
    gets(1);
    EXPECT_FALSE(check.broken());
  }
  wants(2, kX);
  gets(2);
  EXPECT_TRUE(check.broken());
  EXPECT_EQ(check.describe(),
            "client 2 got the lock before client 0, whose first verb had taken effect earlier: "
            "bypass 3 of that client, and the lock claims 2 at most");
}

TEST_F(Bookkeeping, winners_count_by_their_own_mode) {
  wants(0, kX);
  wants(1, kS);
  gets(1);
  EXPECT_TRUE(check.broken());
}

TEST_F(Bookkeeping, readers_do_not_bypass_readers) {
  wants(0, kS);
  for (int turn = 0; turn < 5; ++turn) {
    wants(1, kS);
    gets(1);
  }
  EXPECT_FALSE(check.broken());
}

// Claims another bound for each pair of the three modes: no two pairs share a bound or a count.
class ClaimsEachPair final : public Protocol {
 public:
  std::unique_ptr<LockClient> make_client(const ClientEnv&) const override { return nullptr; }
  std::string decode(std::span<const std::uint64_t>) const override { return {}; }
  std::optional<std::uint32_t> bypass_bound(LockMode waiter, LockMode winner,
                                            std::uint64_t) const override {
    return 1 + kLockModes * static_cast<std::uint32_t>(waiter) + static_cast<std::uint32_t>(winner);
  }
};

TEST(ThreeModes, have_a_bound_and_a_count_for_each_pair) {
  const ClaimsEachPair protocol;
  for (const LockMode waiter : {kX, kS, kU}) {
    for (const LockMode winner : {kX, kS, kU}) {
      BypassCheck check(protocol, 2, 100);
      check.requested(ClientId{0}, waiter);
      check.came(ClientId{0});
      std::uint32_t times = 0;
      while (!check.broken()) {
        check.requested(ClientId{1}, winner);
        check.came(ClientId{1});
        check.granted(ClientId{1});
        ASSERT_LE(++times, 20U);
      }
      EXPECT_EQ(times, *protocol.bypass_bound(waiter, winner, 100) + 1)
          << name_of(waiter) << " bypassed by " << name_of(winner);
    }
  }
}

TEST_F(Bookkeeping, a_client_is_not_bypassed_before_its_first_verb) {
  check.requested(ClientId{0}, kX);
  wants(1, kS);
  gets(1);
  EXPECT_FALSE(check.broken());
}

TEST_F(Bookkeeping, a_client_that_acquires_without_a_verb_counts_as_the_last_to_come) {
  wants(0, kX);
  check.requested(ClientId{1}, kS);
  gets(1);
  EXPECT_TRUE(check.broken());
}

TEST_F(Bookkeeping, an_abandoned_acquisition_no_longer_counts) {
  for (int turn = 0; turn < 3; ++turn) {
    wants(0, kS);
    wants(1, kX);
    gets(1);
    check.withdrawn(ClientId{0});
  }
  EXPECT_FALSE(check.broken());
}

TEST_F(Bookkeeping, the_check_is_off_if_the_lock_claims_no_bound) {
  EXPECT_TRUE(check.on());
  EXPECT_FALSE(BypassCheck().on());
  EXPECT_FALSE(BypassCheck(protocol, 3, 101).on());
}

// ---- searches ----

Campaign spread(Campaign campaign) {
  campaign.placement = Placement::spread;
  return campaign;
}

// The printed limit lets one more writer follow than the text says.
TEST(Bypassed, a_reader_by_one_writer_too_many_is_found_and_can_be_replayed) {
  const Campaign campaign = spread(with_sets(about("shiftlock", 3, 1), {"chain_limit=handovers"}));
  const Verdict verdict = run(campaign);
  EXPECT_TRUE(verdict.exhausted) << verdict.cut;
  ASSERT_EQ(kinds(verdict), std::set<Violation>{Violation::bypassed});
  const Trace& trace = verdict.counterexamples.front();
  EXPECT_EQ(describe(trace.setup), "X X S, a node each");
  std::printf("%s\n", trace.counterexample.text.c_str());
  const Result<Trace> read = parse_trace(trace_json(trace), "trace.json");
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read.value().counterexample.violation, Violation::bypassed);
  const Played played = replay(read.value());
  EXPECT_TRUE(played.fits);
  EXPECT_THAT(played.text, ::testing::HasSubstr("\nbypassed: "));
  Trace repaired = trace;
  repaired.setup.sets.clear();
  EXPECT_FALSE(replay(repaired).fits);
}

TEST(Bypassed, a_reader_is_found_by_a_random_walk_too) {
  Campaign campaign = spread(with_sets(about("shiftlock", 3, 1), {"chain_limit=handovers"}));
  campaign.readers = 1;
  campaign.method = Method::random;
  campaign.budget = 500;
  EXPECT_THAT(kinds(run(campaign)), Contains(Violation::bypassed));
}

TEST(Bypassed, is_not_checked_with_crashes) {
  Campaign campaign = spread(with_sets(about("shiftlock", 3, 1), {"chain_limit=handovers"}));
  campaign.base.modes = {"X", "X", "S"};
  EXPECT_THAT(kinds(run(campaign)), Contains(Violation::bypassed));
  EXPECT_THAT(kinds(run(with_crash(campaign))), Not(Contains(Violation::bypassed)));
}

// Updates are served in the order of their tickets, and become exclusive without a new ticket.
TEST(Bypassed, is_not_reported_for_a_ticket_lock_with_updates) {
  Campaign campaign = spread(with_sets(about("dslr", 3, 2), {"counters=six", "ticket_bits=4"}));
  campaign.base.modes = {"PP", "SS", "PX"};
  const Verdict verdict = run(campaign);
  EXPECT_TRUE(verdict.exhausted) << verdict.cut;
  EXPECT_EQ(kinds(verdict), std::set<Violation>{});
}

// As printed, ShiftLock is unfair on many paths, and deadlocks at the end of few.
TEST(Bypassed, does_not_hide_a_deadlock) {
  Campaign campaign = printed_shiftlock();
  campaign.method = Method::random;
  EXPECT_EQ(kinds(run(campaign)), std::set<Violation>{Violation::deadlock});
}

}  // namespace
}  // namespace latchlab::explore

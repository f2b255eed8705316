// Timed searches: what can happen when, on which clock, and the consequences for leases.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "backends/explorer/actor.h"
#include "tests/explore/fixture.h"
#include "tools/explore/choosers.h"

namespace latchlab::explore {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsSubsetOf;
using ::testing::Not;

Campaign timed_campaign(Campaign campaign, std::vector<Duration> latencies, Duration hold) {
  CaseTime& time = campaign.base.time;
  time.latencies = std::move(latencies);
  time.hold = hold;
  time.horizon = milliseconds(3);
  campaign.placement = Placement::spread;
  return campaign;
}

Campaign drifting(Campaign campaign, std::int64_t ppm) {
  campaign.drift_ppm = ppm;
  return campaign;
}

// ---- one client, one latency: every event has one time ----

Case alone(std::int64_t drift_ppm, Duration hold) {
  Case setup;
  setup.protocol = "cas";
  setup.client_nodes = 1;
  setup.time.latencies = {microseconds(1)};
  setup.time.drift_ppm = {drift_ppm};
  setup.time.hold = hold;
  setup.time.horizon = milliseconds(1);
  return setup;
}

std::vector<std::int64_t> dates_of(const Case& setup) {
  const std::unique_ptr<Protocol> protocol = make_protocol(setup);
  explorer::SearchSupport support;
  SearchModel model(setup, *protocol, support);
  std::vector<std::int64_t> dates;
  for (;;) {
    const std::vector<Choice> choices = model.choices();
    if (choices.empty()) return dates;
    EXPECT_EQ(choices.size(), 1U);
    const double date = (choices.front().date - Time{}).nanoseconds();
    dates.push_back(std::llround(date));  // clocks are exact to 1 ps
    Odometer inner;
    inner.restart();
    model.make(choices.front(), inner);
  }
}

// One way takes 1 us, and so does the way back; the client holds the lock in between.
TEST(Dates, follow_from_the_latencies) {
  EXPECT_THAT(dates_of(alone(0, microseconds(10))),
              ElementsAre(1'000, 2'000, 12'000, 13'000, 14'000));
}
TEST(Dates, of_a_fast_clock_are_early) {
  EXPECT_THAT(dates_of(alone(100'000, microseconds(11))),
              ElementsAre(1'000, 2'000, 12'000, 13'000, 14'000));
}
TEST(Dates, of_a_slow_clock_are_late) {
  EXPECT_THAT(dates_of(alone(-100'000, microseconds(9))),
              ElementsAre(1'000, 2'000, 12'000, 13'000, 14'000));
}

// A leg takes one of the latencies, not the rest of one after another event has happened.
TEST(Dates, that_have_passed_are_not_offered) {
  Case setup = alone(0, microseconds(10));
  setup.client_nodes = 2;
  setup.symmetry = false;  // client 1 may begin first
  setup.time.latencies = {microseconds(1), microseconds(4)};
  const std::unique_ptr<Protocol> protocol = make_protocol(setup);
  explorer::SearchSupport support;
  SearchModel model(setup, *protocol, support);
  const auto dates_of_client = [&](std::uint32_t client) {
    std::vector<std::int64_t> dates;
    for (const Choice& choice : model.choices())
      if (choice.step.actor->client() == ClientId{client})
        dates.push_back((choice.date - Time{}).ps / nanoseconds(1).ps);
    return dates;
  };
  const auto make_first_of_client_0 = [&] {
    Odometer inner;
    inner.restart();
    const std::vector<Choice> choices = model.choices();
    ASSERT_EQ(choices.front().step.actor->client(), ClientId{0});
    model.make(choices.front(), inner);
  };
  EXPECT_THAT(dates_of_client(0), ElementsAre(1'000, 4'000));
  EXPECT_THAT(dates_of_client(1), ElementsAre(1'000, 4'000));
  make_first_of_client_0();
  // Not 5 us: the other event must have happened by then.
  EXPECT_THAT(dates_of_client(0), ElementsAre(2'000));
  EXPECT_THAT(dates_of_client(1), ElementsAre(1'000, 4'000));
  make_first_of_client_0();
  EXPECT_THAT(dates_of_client(1), ElementsAre(4'000));
}

// ---- small cases ----

class Timed : public ::testing::TestWithParam<const char*> {};

TEST_P(Timed, two_clients_are_exhausted_and_sound) {
  const Campaign campaign = drifting(
      timed_campaign(about(GetParam(), 2, 1), {microseconds(1), microseconds(3)}, microseconds(2)),
      1'000);
  const Verdict verdict = run(campaign);
  EXPECT_TRUE(verdict.exhausted) << verdict.cut;
  EXPECT_TRUE(verdict.counterexamples.empty())
      << verdict.counterexamples.front().counterexample.text;
  EXPECT_GT(verdict.states, 1'000U);
}

// Each order that a timed search allows is also one of an untimed search.
TEST_P(Timed, no_end_is_new_against_an_untimed_search) {
  const auto terminals = [](const Campaign& campaign) {
    std::set<std::string> all;
    for (const Case& setup : cases_of(campaign)) all.merge(search(setup, {}).terminal);
    return all;
  };
  Campaign untimed = about(GetParam(), 2, 1);
  untimed.placement = Placement::spread;
  const std::set<std::string> possible = terminals(untimed);
  EXPECT_THAT(
      terminals(timed_campaign(untimed, {microseconds(1), microseconds(4)}, microseconds(2))),
      IsSubsetOf(possible));
}

TEST_P(Timed, merged_steps_hide_no_end) {
  Campaign campaign =
      timed_campaign(about(GetParam(), 2, 1), {microseconds(1), microseconds(2)}, microseconds(1));
  const Verdict merged = run(campaign);
  campaign.base.reduce = false;
  const Verdict apart = run(campaign);
  EXPECT_TRUE(apart.exhausted) << apart.cut;
  EXPECT_EQ(kinds(merged), kinds(apart));
  EXPECT_EQ(merged.unreached, apart.unreached);
  EXPECT_LE(merged.states, apart.states);
}

INSTANTIATE_TEST_SUITE_P(all, Timed, ::testing::Values("cas", "mcs", "dslr", "shiftlock"),
                         [](const auto& made) { return std::string(made.param); });

// ---- leases ----

// The reply with the first client's ticket is so late that, by the time its release lands, the
// other client has waited for two leases and repaired the lock. The first client's lease begins
// with that reply, as printed.
Campaign slow_answer(Duration longest) {
  Campaign campaign =
      timed_campaign(with_sets(about("dslr", 2, 1), {"lease=10us", "validity=from_grant"}),
                     {microseconds(1), longest}, microseconds(1));
  campaign.base.modes = {"X", "S"};
  return campaign;
}

TEST(Leases, outlast_latencies_that_are_shorter) {
  const Verdict verdict = run(slow_answer(microseconds(9)));
  EXPECT_TRUE(verdict.exhausted) << verdict.cut;
  EXPECT_TRUE(verdict.counterexamples.empty())
      << verdict.counterexamples.front().counterexample.text;
  EXPECT_THAT(verdict.unreached, Contains("a repair sends everyone back"));
}
TEST(Leases, expire_under_latencies_that_are_longer) {
  const Verdict verdict = run(slow_answer(microseconds(15)));
  EXPECT_THAT(kinds(verdict), ElementsAre(Violation::not_free));
  EXPECT_THAT(verdict.unreached, Not(Contains("a repair sends everyone back")));
}
TEST(Leases, of_crashed_clients_expire) {
  Campaign campaign = timed_campaign(about("dslr", 2, 1), {microseconds(1)}, microseconds(2));
  campaign.base.crashes = 1;
  const Verdict verdict = run(campaign);
  EXPECT_TRUE(verdict.exhausted) << verdict.cut;
  EXPECT_TRUE(verdict.counterexamples.empty())
      << verdict.counterexamples.front().counterexample.text;
  EXPECT_THAT(verdict.unreached, Not(Contains("no ticket is served for two leases")));
  EXPECT_THAT(verdict.unreached, Contains("a late release is suppressed"));
}

TEST(Horizon, cuts_everything_after_it) {
  Campaign campaign = timed_campaign(about("cas", 2, 1), {microseconds(1)}, microseconds(2));
  campaign.base.time.horizon = microseconds(5);
  const Verdict verdict = run(campaign);
  EXPECT_FALSE(verdict.exhausted);
  EXPECT_EQ(verdict.cut, "the horizon was reached");
  EXPECT_TRUE(verdict.counterexamples.empty());
}

// ---- what an untimed search cannot decide ----

std::string refusal_of(const Campaign& campaign) {
  const Status known = check_campaign(campaign);
  return known ? "" : known.error().message;
}

TEST(Untimed, locks_with_expiring_keys_are_refused_with_crashes_or_pauses) {
  Campaign campaign = about("redlock_model", 2, 1);
  EXPECT_EQ(refusal_of(campaign), "");
  EXPECT_THAT(refusal_of(with_crash(campaign)), HasSubstr("give --latencies"));
  campaign.base.pauses = 1;
  EXPECT_THAT(refusal_of(campaign), HasSubstr("give --latencies"));
}

TEST(Untimed, locks_that_exclude_clients_by_waiting_are_refused) {
  const Campaign campaign = about("citron", 2, 1);
  EXPECT_THAT(refusal_of(campaign), HasSubstr("give --latencies"));
  EXPECT_THAT(refusal_of(with_crash(campaign)), HasSubstr("give --latencies"));
}

TEST(Untimed, locks_that_are_refused_can_be_searched_in_timed_mode) {
  for (const char* name : {"redlock_model", "citron"}) {
    const Campaign campaign =
        timed_campaign(with_crash(about(name, 2, 1)), {microseconds(1)}, microseconds(2));
    EXPECT_EQ(refusal_of(campaign), "");
  }
}

TEST(Untimed, locks_whose_leases_are_waits_with_a_deadline_are_accepted) {
  for (const char* name : {"dslr", "shiftlock", "cql", "drtm", "static_segments"})
    EXPECT_EQ(refusal_of(with_crash(about(name, 2, 1))), "") << name;
}

// ---- deadlines ----

// The lock is released 13 us after both clients began. The other client looks 1 us later, or gives
// up before.
constexpr const char* kGivesUp = "a client gives up at its deadline";

Campaign patient(Duration patience, std::int64_t ppm) {
  Campaign campaign =
      drifting(timed_campaign(about("cas", 2, 1), {microseconds(1)}, microseconds(10)), ppm);
  campaign.base.time.patience = patience;
  return campaign;
}

TEST(Patience, ends_if_it_is_short) {
  EXPECT_THAT(run(patient(microseconds(12), 0)).unreached, Not(Contains(kGivesUp)));
  EXPECT_THAT(run(patient(microseconds(30), 0)).unreached, Contains(kGivesUp));
}
TEST(Patience, ends_earlier_on_a_fast_clock) {
  EXPECT_THAT(run(patient(nanoseconds(14'500), 0)).unreached, Contains(kGivesUp));
  EXPECT_THAT(run(patient(nanoseconds(14'500), 100'000)).unreached, Not(Contains(kGivesUp)));
}

// ---- traces ----

Campaign drifting_alike(Campaign campaign) {
  campaign.base.time.drift_ppm = {50, 50};
  return campaign;
}

TEST(TimedTraces, are_read_as_they_were_written_and_end_as_recorded) {
  const Verdict verdict = run(drifting_alike(slow_answer(microseconds(15))));
  ASSERT_FALSE(verdict.counterexamples.empty());
  const Trace& trace = verdict.counterexamples.front();
  const Result<Trace> read = parse_trace(trace_json(trace), "a trace");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(trace_json(read.value()), trace_json(trace));
  const Played played = replay(read.value());
  EXPECT_TRUE(played.fits);
  EXPECT_THAT(played.text, ::testing::HasSubstr("each leg of a verb takes 1us 15us; the lock is "
                                                "held for 1us; clocks (ppm):"));
}

}  // namespace
}  // namespace latchlab::explore

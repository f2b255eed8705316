// Paths between nodes that are down for longer than a lease, or than RC retries.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "core/base/random.h"
#include "tests/explore/fixture.h"
#include "tests/explore/verdicts.h"
#include "tools/explore/choosers.h"
#include "tools/explore/search_model.h"

namespace latchlab::explore {
namespace {

Campaign cut(const std::string& protocol, std::uint32_t clients, std::uint32_t operations) {
  Campaign campaign = about(protocol, clients, operations);
  campaign.placement = Placement::spread;
  campaign.base.cuts = 1;
  return campaign;
}

// Whether some order of events leads to a message that has arrived and may still fail at its
// sender.
bool offers_cut_of_an_arrived_message(const Case& setup) {
  const std::unique_ptr<Protocol> protocol = make_protocol(setup);
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Rng rng(seed, 0, StreamPurpose::schedule);
    explorer::SearchSupport support;
    SearchModel model(setup, *protocol, support);
    for (std::vector<Choice> choices = model.choices(); !choices.empty();
         choices = model.choices()) {
      std::vector<Choice> steps;
      for (const Choice& choice : choices) {
        const bool cuts = choice.kind == Choice::Kind::cut;
        if (!cuts) steps.push_back(choice);
        if (cuts && choice.step.op->kind == OpKind::send && choice.step.op->effected) return true;
      }
      if (steps.empty()) break;
      Odometer inner;
      inner.restart();
      model.make(steps[rng.below(steps.size())], inner);
    }
  }
  return false;
}

// A client of cas cannot know whether a CAS that failed has taken effect, and gives the lock up.
TEST(Cuts, make_a_verb_fail_before_or_after_its_effect) {
  const Verdict verdict = run(cut("cas", 2, 1));
  EXPECT_EQ(kinds(verdict), std::set<Violation>{Violation::deadlock});
  expect_replayable(verdict, "FAILS, the path is down, after it took effect");
}

TEST(Cuts, do_not_occur_without_a_budget) {
  Campaign campaign = cut("cas", 2, 1);
  campaign.base.cuts = 0;
  expect_sound(run(campaign));
}

// A release that outlasts the lease of its holder takes effect after the lock was repaired, which
// dslr does not claim to survive.
TEST(Cuts, let_a_verb_outlast_leases_if_there_are_delays) {
  Campaign campaign = cut("dslr", 2, 2);
  campaign.base.timeouts = 8;
  const Verdict short_ones = run(campaign);
  EXPECT_TRUE(short_ones.exhausted) << short_ones.cut;
  EXPECT_EQ(kinds(short_ones).count(Violation::mutual_exclusion), 0U);
  campaign.base.delays = 1;
  const Verdict verdict = run(campaign);
  EXPECT_EQ(kinds(verdict).count(Violation::mutual_exclusion), 1U);
  expect_replayable(verdict, "after a timeout");
}

// The SEND of a handover fails although it has arrived.
TEST(Cuts, make_a_message_fail_after_it_arrived) {
  Campaign campaign = cut("mcs", 2, 1);
  const Verdict verdict = run(campaign);
  EXPECT_TRUE(verdict.exhausted) << verdict.cut;
  for (const Trace& trace : verdict.counterexamples)
    EXPECT_NE(trace.counterexample.violation, Violation::mutual_exclusion);
  EXPECT_TRUE(offers_cut_of_an_arrived_message(cases_of(campaign).front()));
}

TEST(Cuts, are_refused_in_timed_searches) {
  Case setup = cut("cas", 2, 1).base;
  EXPECT_TRUE(check_case(setup).ok());
  setup.time.latencies = {microseconds(1)};
  setup.time.horizon = microseconds(100);
  EXPECT_FALSE(check_case(setup).ok());
}

}  // namespace
}  // namespace latchlab::explore

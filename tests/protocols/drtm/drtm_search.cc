// What searches show of the drtm lock.

#include "core/base/random.h"
#include "tests/explore/locks.h"
#include "tools/explore/choosers.h"

namespace latchlab::explore {
namespace {

// The ShiftLock artifact's encoding: no lease end that is read back is later than now.
TEST(drtm, needs_lease_ends_that_fit_the_word) {
  expect_needed_and_enough({.protocol = "drtm",
                            .repair = "epoch=unix_truncated",
                            .violation = Violation::mutual_exclusion,
                            .moves = 5,
                            .states = 500,
                            .modes = {"X", "S"}});
}

Campaign drtm_campaign(std::vector<std::string> sets, Duration leg, Duration hold) {
  Campaign campaign = with_sets(about("drtm", 2, 1), std::move(sets));
  campaign.base.time = {{leg}, {}, hold, {}, milliseconds(1)};
  campaign.base.modes = {"X", "S"};
  campaign.placement = Placement::spread;
  return campaign;
}

void expect_broken_if_timed(const Campaign& campaign, bool broken) {
  const Verdict verdict = run(campaign);
  EXPECT_EQ(kinds(verdict), broken ? std::set{Violation::mutual_exclusion} : std::set<Violation>{});
  EXPECT_TRUE(broken || verdict.exhausted) << verdict.cut;
  for (const Trace& trace : verdict.counterexamples) EXPECT_TRUE(replay(trace).fits);
}

TEST(drtm, needs_lease_ends_that_fit_the_word_in_timed_searches) {
  const Duration leg = microseconds(1);
  expect_broken_if_timed(drtm_campaign({"epoch=unix_truncated"}, leg, leg * 2), true);
  expect_broken_if_timed(drtm_campaign({}, leg, leg * 2), false);
}

// DrTM's own code: a lease that is no longer valid need not have expired on every clock.
TEST(drtm, needs_writers_that_wait_until_a_lease_has_expired) {
  std::vector<std::string> sets = {"lease=600ns", "delta=150ns", "reserve=0ns"};
  expect_broken_if_timed(drtm_campaign(sets, nanoseconds(40), nanoseconds(600)), false);
  sets.emplace_back("takeover=not_valid");
  expect_broken_if_timed(drtm_campaign(sets, nanoseconds(40), nanoseconds(600)), true);
}

// The clock reports an error of up to 100 ns.
TEST(drtm, needs_no_delta_if_the_clock_reports_its_error) {
  expect_broken_if_timed(
      drtm_campaign({"lease=600ns", "delta=0ns", "reserve=0ns"}, nanoseconds(40), nanoseconds(600)),
      false);
}

// ---- labelled paths, over several campaigns ----

using Paths = std::set<std::string>;

// The paths of `paths` that `campaign` does not take.
Paths left_over(const Campaign& campaign, const Paths& paths) {
  const Verdict verdict = run(campaign);
  Paths left;
  for (const std::string& path : verdict.unreached)
    if (paths.count(path) > 0) left.insert(path);
  return left;
}

Campaign with_leases(std::vector<std::string> sets) {
  Campaign campaign = with_sets(about("drtm", 2, 2), std::move(sets));
  campaign.base.timeouts = 8;
  campaign.placement = Placement::spread;
  return campaign;
}

TEST(drtm, takes_every_path_of_leases) {
  Campaign late = with_leases({});
  late.base.pauses = 1;
  EXPECT_EQ(left_over(late, {"a lease has expired", "a reader replaces a lease",
                             "a writer takes over a lease"}),
            Paths{});
  EXPECT_EQ(left_over(with_leases({"reserve=19400ns"}), {"a reader extends a lease"}), Paths{});
  EXPECT_EQ(left_over(with_leases({"reserve=19400ns", "short_lease=wait", "release=write"}),
                      {"a reader waits for a lease", "a WRITE frees the word"}),
            Paths{});
}

// The reader's own clock has said that the lease has expired.
TEST(drtm, does_not_read_a_lease_again_after_waiting_for_its_end) {
  const Campaign campaign = drtm_campaign({}, microseconds(1), microseconds(2));
  EXPECT_EQ(left_over(campaign, {"the clock ends a wait", "a lease has expired"}),
            Paths{"a lease has expired"});
}

TEST(drtm, takes_the_paths_of_paused_clients) {
  Campaign campaign = with_leases({});
  campaign.base.pauses = 1;
  EXPECT_EQ(
      left_over(campaign, {"a reader leaves late", "a lease is over before its reader has it"}),
      Paths{});
}

TEST(drtm, takes_the_paths_of_clients_that_give_up) {
  Campaign campaign = with_leases({});
  campaign.base.modes = {"XX", "XX"};
  campaign.base.time = {
      {microseconds(1), microseconds(3)}, {}, microseconds(20), microseconds(5), milliseconds(1)};
  EXPECT_EQ(left_over(campaign, {"a client gives up at its deadline"}), Paths{});
  campaign.base.sets = {"timeout_tries=20"};
  EXPECT_EQ(left_over(campaign, {"a client gives up between two tries"}), Paths{});
}

TEST(drtm, ends_acquisitions_when_the_server_dies) {
  Campaign campaign = with_leases({});
  campaign.base.servers = 2;
  campaign.base.colocated = true;
  campaign.base.crashes = 1;
  campaign.base.crash_unit = CrashUnit::node;
  EXPECT_EQ(left_over(campaign, {"the server fails an acquire"}), Paths{});
}

// ---- a reader that crashes at any moment ----

class Dice final : public Chooser {
 public:
  explicit Dice(std::uint64_t seed) : rng_(seed, 0, StreamPurpose::protocol) {}
  std::size_t pick(std::span<const std::uint32_t> owners) override {
    return static_cast<std::size_t>(rng_.below(owners.size()));
  }

 private:
  Rng rng_;
};

// One order of events in which client 0, a reader, may crash. Returns whether it did, and how the
// run ended.
Violation walk(const Case& setup, const Protocol& protocol, std::uint64_t seed, bool& died) {
  explorer::SearchSupport support;
  SearchModel model(setup, protocol, support);
  Dice dice(seed);
  Rng moves(seed, 1, StreamPurpose::protocol);
  for (;;) {
    std::vector<Choice> choices = model.choices();
    std::erase_if(choices, [](const Choice& choice) {
      return choice.kind == Choice::Kind::crash && choice.victim != ClientId{0};
    });
    if (choices.empty()) return model.violation(true);
    const Choice& choice = choices[moves.below(choices.size())];
    died = died || choice.kind == Choice::Kind::crash;
    model.make(choice, dice);
    if (ends(model.violation(false))) return model.violation(false);
  }
}

TEST(drtm, survives_a_reader_that_crashes_at_any_moment) {
  Case setup;
  setup.protocol = "drtm";
  setup.client_nodes = 3;
  setup.operations = 2;
  setup.modes = {"SS", "XS", "SX"};
  setup.crashes = 1;
  setup.timeouts = 100;
  const std::unique_ptr<Protocol> protocol = make_protocol(setup);
  std::uint64_t deaths = 0;
  for (std::uint64_t seed = 1; seed <= 1'000; ++seed) {
    bool died = false;
    ASSERT_EQ(walk(setup, *protocol, seed, died), Violation::nothing) << "seed " << seed;
    deaths += died ? 1 : 0;
  }
  EXPECT_GT(deaths, 500U);
}

}  // namespace
}  // namespace latchlab::explore

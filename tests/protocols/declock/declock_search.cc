// What searches show of DecLock.

#include "tests/explore/locks.h"
#include "tests/explore/verdicts.h"

namespace latchlab::explore {
namespace {

// Nodes of two clients each, some of which do nothing.
Campaign nodes_of_two(std::vector<std::string> modes, std::vector<std::string> sets = {}) {
  const auto clients = static_cast<std::uint32_t>(modes.size());
  Campaign campaign = with_sets(about("declock", clients, 1), std::move(sets));
  campaign.base.modes = std::move(modes);
  campaign.nodes = clients / 2;
  return campaign;
}

Campaign walked(Campaign campaign, std::uint64_t budget) {
  campaign.method = Method::random;
  campaign.budget = budget;
  return campaign;
}

TEST(declock, is_sound_in_every_order_of_two_clients_whose_nodes_may_crash) {
  expect_sound(run(about("declock", 2, 1)));
  expect_sound(run(with_crash(about("declock", 2, 1))));
}

TEST(declock, is_sound_within_a_node) {
  for (const char* transfer : {"timestamp", "remote_prefer", "local_prefer", "local_bound"}) {
    Campaign campaign =
        with_sets(about("declock", 3, 1), {std::string("transfer=") + transfer, "local_bound=2"});
    campaign.placement = Placement::together;
    expect_sound(run(campaign));
  }
}

// Three clients of one node, so that a reader and a writer wait together and the fairness policy
// selects the next one, and one client of another node. Nodes may crash, with every policy.
TEST(declock, is_sound_with_several_clients_per_node_when_a_node_crashes) {
  for (const char* transfer : {"timestamp", "remote_prefer", "local_prefer", "local_bound"})
    for (const char* fairness : {"task_fair", "phase_fair"}) {
      Campaign campaign = with_crash(
          nodes_of_two({"XS", "SX", "XS", "SX", "--", "--"},
                       {std::string("transfer=") + transfer, std::string("fairness=") + fairness}));
      campaign.nodes = 2;
      campaign.base.operations = 2;
      const Verdict verdict = run(walked(campaign, 3'000));
      EXPECT_TRUE(verdict.counterexamples.empty())
          << verdict.counterexamples.front().counterexample.text;
    }
}

TEST(declock, is_sound_when_versions_run_out_and_nodes_crash) {
  Campaign campaign = with_crash(
      nodes_of_two({"SX", "XS", "XS", "SX"}, {"version_bits=1", "capacity=2", "overflow=version"}));
  campaign.base.operations = 2;
  const Verdict verdict = run(walked(campaign, 10'000));
  EXPECT_TRUE(verdict.counterexamples.empty())
      << verdict.counterexamples.front().counterexample.text;
}

}  // namespace
}  // namespace latchlab::explore

// What a search promises: every order of events, each state once, and the shortest way to what is
// wrong.

#include <gtest/gtest.h>

#include "tools/explore/campaign.h"

namespace latchlab::explore {
namespace {

Campaign about(const char* protocol, std::uint32_t clients, std::uint32_t operations) {
  Campaign campaign;
  campaign.base.protocol = protocol;
  campaign.base.operations = operations;
  campaign.clients = clients;
  return campaign;
}

class Small : public ::testing::TestWithParam<const char*> {};

TEST_P(Small, two_clients_with_two_operations_are_exhausted_and_sound) {
  const Verdict verdict = run(about(GetParam(), 2, 2));
  EXPECT_TRUE(verdict.exhausted) << verdict.cut;
  EXPECT_TRUE(verdict.findings.empty()) << verdict.findings.front().finding.text;
  EXPECT_GT(verdict.states, 100U);
}

TEST_P(Small, three_clients_are_exhausted_and_sound) {
  const Verdict verdict = run(about(GetParam(), 3, 1));
  EXPECT_TRUE(verdict.exhausted) << verdict.cut;
  EXPECT_TRUE(verdict.findings.empty()) << verdict.findings.front().finding.text;
}

INSTANTIATE_TEST_SUITE_P(all, Small, ::testing::Values("cas", "mcs", "dslr", "shiftlock"),
                         [](const auto& made) { return std::string(made.param); });

}  // namespace
}  // namespace latchlab::explore

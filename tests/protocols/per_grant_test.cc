// What a client part keeps for each grant, by the grant's number.

#include "core/protocols/common/per_grant.h"

#include <gtest/gtest.h>

#include <vector>

namespace latchlab {
namespace {

TEST(PerGrant, keeps_any_amount_of_state_for_each_grant) {
  PerGrant<std::vector<int>> states;
  states[GrantId{0}] = {1, 2, 3, 4, 5, 6};
  states[GrantId{3}] = {7};
  EXPECT_EQ(states[GrantId{0}].size(), 6U);
  EXPECT_TRUE(states[GrantId{1}].empty());
  EXPECT_EQ(states[GrantId{3}], std::vector<int>{7});
}

TEST(PerGrant, gives_references_that_stay_valid_when_grants_end) {
  PerGrant<int> states;
  int& first = states[GrantId{0}];
  first = 5;
  states[GrantId{100}] = 6;
  EXPECT_EQ(&states[GrantId{0}], &first);
  EXPECT_EQ(first, 5);
}

}  // namespace
}  // namespace latchlab

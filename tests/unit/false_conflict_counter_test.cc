#include "core/checks/false_conflict_counter.h"

#include <gtest/gtest.h>

namespace latchlab {
namespace {

constexpr ClientId kOne{0}, kTwo{1}, kThree{2};
constexpr LockId kLock{7}, kOther{8};

Want want_of(std::uint64_t first, std::uint64_t count, LockMode mode = LockMode::exclusive,
             LockId lock = kLock, std::uint32_t id = 0) {
  return Want{LockRef{lock, {}}, mode, {first, count}, GrantId{id}};
}

class Contacts : public ::testing::Test {
 protected:
  bool met(ClientId client, std::uint32_t id = 0, LockId lock = kLock) const {
    return contacts_.met_any_client(client, lock, GrantId{id});
  }
  FalseConflictCounter contacts_;
};

TEST_F(Contacts, are_between_clients_that_want_common_units) {
  contacts_.wants(kOne, want_of(0, 4));
  EXPECT_FALSE(met(kOne));
  contacts_.wants(kTwo, want_of(4, 4));
  EXPECT_FALSE(met(kTwo));
  contacts_.wants(kThree, want_of(3, 1));
  EXPECT_TRUE(met(kThree));
  EXPECT_TRUE(met(kOne));  // may still have to wait
  EXPECT_FALSE(met(kTwo));
}

TEST_F(Contacts, need_modes_that_exclude_each_other_and_one_object) {
  contacts_.wants(kOne, want_of(0, 4, LockMode::shared));
  contacts_.wants(kTwo, want_of(0, 4, LockMode::shared));
  contacts_.wants(kThree, want_of(0, 4, LockMode::exclusive, kOther));
  EXPECT_FALSE(met(kOne) || met(kTwo) || met(kThree, 0, kOther));
}

TEST_F(Contacts, do_not_exist_with_clients_that_have_released) {
  contacts_.wants(kOne, want_of(0, 4));
  contacts_.leaves(kOne, kLock, GrantId{0});
  contacts_.leaves(kOne, kLock, GrantId{0});
  contacts_.leaves(kOne, kOther, GrantId{0});
  contacts_.wants(kTwo, want_of(0, 4));
  EXPECT_FALSE(met(kTwo));
  EXPECT_FALSE(met(kOne));
}

TEST_F(Contacts, are_never_with_oneself_and_each_grant_has_its_own) {
  contacts_.wants(kOne, want_of(0, 4, LockMode::exclusive, kLock, 0));
  contacts_.wants(kOne, want_of(0, 8, LockMode::exclusive, kLock, 1));
  EXPECT_FALSE(met(kOne, 0) || met(kOne, 1));
  contacts_.wants(kTwo, want_of(6, 1));
  EXPECT_FALSE(met(kOne, 0));
  EXPECT_TRUE(met(kOne, 1));
  contacts_.leaves(kOne, kLock, GrantId{1});
  contacts_.wants(kThree, want_of(5, 1));
  EXPECT_FALSE(met(kThree));
}

}  // namespace
}  // namespace latchlab

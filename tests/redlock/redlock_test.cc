// The algorithm over fake servers that a test controls.

#include "tools/redlock/redlock.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <optional>
#include <set>

namespace latchlab::bank {
namespace {

using ::testing::ElementsAre;

class FakePlace final : public ClientIo {
 public:
  Time now() const override { return now_; }
  Task<void> sleep(Duration length) override {
    pass(length);
    co_return;
  }
  Task<bool> ready(int /*socket*/, bool /*to_read*/, Time /*until*/) override { co_return true; }
  void pass(Duration length) { now_ = now_ + length; }

 private:
  Time now_ = Time{} + seconds(1);
};

class FakeRedis final : public Instance {
 public:
  explicit FakeRedis(FakePlace& place) : place_(place) {}
  Task<Answer> set_if_missing(std::string key, std::string value, Duration lifetime,
                              Time /*deadline*/) override {
    values.insert(value);
    if (says) co_return *says;
    expire(key);
    const Time expires = place_.now() + lifetime;
    const bool set = keys.emplace(key, Kept{value, expires}).second;
    place_.pass(std::exchange(slow_once, {}));
    co_return set ? Answer::yes : Answer::no;
  }
  Task<Answer> delete_if_equal(std::string key, std::string value, Time /*deadline*/) override {
    ++deletions;
    if (says) co_return *says;
    expire(key);
    const auto found = keys.find(key);
    if (found == keys.end() || found->second.value != value) co_return Answer::no;
    keys.erase(found);
    co_return Answer::yes;
  }

  struct Kept {
    std::string value;
    Time expires;
  };
  std::map<std::string, Kept> keys;
  std::set<std::string> values;  // values that clients asked to set
  std::optional<Answer> says;    // to every request
  Duration slow_once;            // delay of the reply to the next SET
  int deletions = 0;

 private:
  void expire(const std::string& key) {
    const auto found = keys.find(key);
    if (found != keys.end() && found->second.expires <= place_.now()) keys.erase(found);
  }
  FakePlace& place_;
};

class RedLocks : public ::testing::Test {
 protected:
  RedLocks() {
    options_.ttl = milliseconds(100);
    options_.tries = 3;
    options_.retry_delay = milliseconds(1);
    for (int i = 0; i < 3; ++i) servers_.push_back(std::make_unique<FakeRedis>(place_));
  }
  std::unique_ptr<RedLock> client(std::size_t servers = 3) {
    std::vector<Instance*> masters;
    for (std::size_t i = 0; i < servers; ++i) masters.push_back(servers_[i].get());
    const auto key = [](LockId lock) { return std::to_string(lock.value); };
    return std::make_unique<RedLock>(options_, masters, key, place_, ++seed_);
  }
  static AcquireResult acquire(RedLock& lock) {
    return run_here(lock.acquire(Want(LockRef{LockId{7}, {}}), {}));
  }
  static Grant granted(RedLock& lock) { return std::get<Grant>(acquire(lock)); }
  static AbortReason aborted(RedLock& lock) { return std::get<Aborted>(acquire(lock)).reason; }
  std::vector<std::size_t> keys_kept() const {
    std::vector<std::size_t> counts;
    for (const auto& server : servers_) counts.push_back(server->keys.size());
    return counts;
  }

  FakePlace place_;
  redlock::Options options_;
  std::vector<std::unique_ptr<FakeRedis>> servers_;
  std::uint64_t seed_ = 0;
};

TEST_F(RedLocks, a_grant_ends_before_the_key_by_the_possible_clock_drift) {
  const Time begun = place_.now();
  // 1 % and 2 ms of 100 ms
  EXPECT_EQ((granted(*client()).valid_until - begun).ps, milliseconds(97).ps);
}

TEST_F(RedLocks, keys_that_were_set_too_late_grant_no_lock) {
  options_.tries = 1;
  servers_[2]->slow_once = milliseconds(98);
  const auto lock = client();
  EXPECT_EQ(aborted(*lock), AbortReason::too_many);
  EXPECT_THAT(keys_kept(), ElementsAre(0, 0, 0));
  EXPECT_LT(granted(*lock).valid_until, kNever);  // fast enough
}

TEST_F(RedLocks, grants_whose_validity_is_ignored_never_end) {
  options_.validity = redlock::Validity::ignored;
  servers_[0]->slow_once = seconds(5);
  EXPECT_EQ(granted(*client(1)).valid_until, kNever);
}

TEST_F(RedLocks, one_of_two_clients_acquires_the_lock_and_the_other_gives_up) {
  const auto first = client();
  const auto second = client();
  const Grant held = granted(*first);
  EXPECT_EQ(aborted(*second), AbortReason::too_many);
  EXPECT_THAT(keys_kept(), ElementsAre(1, 1, 1));  // of the first client
  EXPECT_EQ(run_here(first->release(held)), ReleaseResult::released);
  EXPECT_THAT(keys_kept(), ElementsAre(0, 0, 0));
  granted(*second);
}

TEST_F(RedLocks, a_key_that_another_client_holds_by_now_is_not_deleted) {
  const auto slow = client();
  const auto next = client();
  const Grant expired = granted(*slow);
  place_.pass(options_.ttl);
  granted(*next);
  EXPECT_EQ(run_here(slow->release(expired)), ReleaseResult::suppressed);
  EXPECT_THAT(keys_kept(), ElementsAre(1, 1, 1));
}

TEST_F(RedLocks, a_minority_of_keys_is_released) {
  options_.tries = 1;
  servers_[1]->keys["7"] = {"another's", kNever};
  servers_[2]->keys["7"] = {"another's", kNever};
  EXPECT_EQ(aborted(*client()), AbortReason::too_many);
  EXPECT_THAT(keys_kept(), ElementsAre(0, 1, 1));
  EXPECT_EQ(servers_[2]->deletions, 1);  // a server that has refused gets a DEL, too
}

TEST_F(RedLocks, a_majority_is_sufficient_and_less_is_not) {
  servers_[0]->says = Answer::failed;
  granted(*client());
  servers_[1]->says = Answer::failed;
  EXPECT_EQ(aborted(*client()), AbortReason::server_failed);
}

TEST_F(RedLocks, late_replies_lead_to_another_attempt) {
  options_.tries = 0;
  servers_[0]->says = servers_[1]->says = Answer::late;
  EXPECT_EQ(aborted(*client()), AbortReason::server_failed);
  EXPECT_EQ(servers_[0]->values.size(), 10U);
}

TEST_F(RedLocks, each_attempt_has_a_value_of_its_own_unless_configured_otherwise) {
  servers_[0]->keys["7"] = {"another's", kNever};
  aborted(*client(1));
  EXPECT_EQ(servers_[0]->values.size(), 3U);
  EXPECT_EQ(servers_[0]->values.begin()->size(), 20U);
  servers_[0]->values.clear();
  options_.value = redlock::Value::per_lock;
  aborted(*client(1));
  EXPECT_EQ(servers_[0]->values.size(), 1U);
}

}  // namespace
}  // namespace latchlab::bank

// Conflicts by mode, extent and grant; bypasses, compared with a plain count.

#include "core/checks/safety_monitor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <vector>

#include "core/base/random.h"

namespace latchlab {
namespace {

constexpr LockMode kExclusive = LockMode::exclusive;
constexpr LockMode kShared = LockMode::shared;
constexpr LockMode kUpdate = LockMode::update;
constexpr ClientId kOne{0}, kTwo{1};
constexpr Extent kWhole{};

class OneClock final : public SafetyMonitor::Clocks {
 public:
  Time local_now(ClientId) const override { return now; }
  Time now;
};

Grant grant_of(LockMode mode, const Extent& extent = kWhole, std::uint32_t id = 0,
               std::uint64_t lock = 0) {
  Grant grant(Want{LockRef{LockId{lock}, {}}, mode, extent, GrantId{id}}, mode);
  grant.extent = extent;
  return grant;
}

class Monitored : public ::testing::Test {
 protected:
  bool stand_together(const Grant& first, const Grant& second, ClientId who = kTwo) {
    SafetyMonitor fresh(2, clock_);
    EXPECT_TRUE(fresh.granted(kOne, first));
    const bool safe = fresh.granted(who, second);
    EXPECT_EQ(fresh.counts().violations, safe ? 0U : 1U);
    return safe;
  }
  OneClock clock_;
  SafetyMonitor monitor_{2, clock_};
};

TEST_F(Monitored, modes_that_share_are_reader_with_reader_and_reader_with_updater) {
  for (const LockMode a : {kExclusive, kShared, kUpdate}) {
    for (const LockMode b : {kExclusive, kShared, kUpdate}) {
      const bool may = (a == kShared && b != kExclusive) || (b == kShared && a != kExclusive);
      EXPECT_EQ(stand_together(grant_of(a), grant_of(b)), may) << name_of(a) << name_of(b);
    }
  }
}

TEST_F(Monitored, extents_conflict_where_they_overlap_and_the_whole_overlaps_with_all) {
  const Extent low{0, 10}, middle{9, 2}, high{10, 5};
  EXPECT_TRUE(stand_together(grant_of(kExclusive, low), grant_of(kExclusive, high)));
  EXPECT_FALSE(stand_together(grant_of(kExclusive, low), grant_of(kExclusive, middle)));
  EXPECT_FALSE(stand_together(grant_of(kExclusive, high), grant_of(kExclusive, middle)));
  EXPECT_TRUE(stand_together(grant_of(kShared, low), grant_of(kUpdate, middle)));
  for (const Extent& part : {low, middle, high}) {
    EXPECT_FALSE(stand_together(grant_of(kExclusive), grant_of(kShared, part)));
    EXPECT_FALSE(stand_together(grant_of(kShared, part), grant_of(kExclusive)));
  }
}

TEST_F(Monitored, a_client_holds_several_grants_that_conflict_like_those_of_two) {
  const Grant low = grant_of(kExclusive, {0, 10}, 0);
  EXPECT_TRUE(stand_together(low, grant_of(kExclusive, {10, 10}, 1), kOne));
  EXPECT_TRUE(stand_together(low, grant_of(kExclusive, {0, 10}, 1, /*lock=*/1), kOne));
  EXPECT_FALSE(stand_together(low, grant_of(kExclusive, {0, 10}, 1), kOne));
}

TEST_F(Monitored, each_grant_is_released_separately) {
  const Grant low = grant_of(kExclusive, {0, 10}, 0), high = grant_of(kExclusive, {10, 10}, 1);
  monitor_.granted(kOne, low);
  monitor_.granted(kOne, high);
  EXPECT_EQ(monitor_.holders(LockId{0}), 2U);
  monitor_.releasing(kOne, low);
  monitor_.released(kOne, low, ReleaseResult::released);
  EXPECT_EQ(monitor_.holders(LockId{0}), 1U);
  EXPECT_TRUE(monitor_.granted(kTwo, low));
  EXPECT_FALSE(monitor_.granted(kTwo, grant_of(kShared, {19, 1}, 1)));
}

TEST_F(Monitored, the_crash_of_a_client_ends_all_its_grants_and_its_request) {
  for (std::uint32_t i = 0; i < 3; ++i) monitor_.granted(kOne, grant_of(kExclusive, kWhole, i, i));
  const Want want{LockRef{LockId{7}, {}}};
  monitor_.requested(kOne, want);
  monitor_.first_effect(kOne);
  monitor_.crashed(kOne);
  for (std::uint32_t i = 0; i < 3; ++i)
    EXPECT_TRUE(monitor_.granted(kTwo, grant_of(kExclusive, kWhole, i, i)));
  EXPECT_TRUE(monitor_.granted(kTwo, grant_of(kExclusive, kWhole, 7, 7)));
  EXPECT_EQ(monitor_.max_bypassed(), 0U);
}

TEST_F(Monitored, an_upgrade_conflicts_with_all_but_its_own_hold) {
  monitor_.granted(kOne, grant_of(kUpdate));
  EXPECT_TRUE(monitor_.upgraded(kOne, grant_of(kExclusive)));
  EXPECT_FALSE(monitor_.granted(kTwo, grant_of(kShared)));
}

TEST_F(Monitored, an_upgrade_beside_a_reader_is_a_violation) {
  monitor_.granted(kOne, grant_of(kUpdate));
  EXPECT_TRUE(monitor_.granted(kTwo, grant_of(kShared)));
  EXPECT_FALSE(monitor_.upgraded(kOne, grant_of(kExclusive)));
  EXPECT_EQ(monitor_.describe_violation(),
            "client 0 was granted lock 0 (exclusive) while client 1 holds it (shared)");
}

TEST_F(Monitored, an_upgrade_beside_readers_of_other_units_is_no_violation) {
  monitor_.granted(kOne, grant_of(kUpdate, {0, 4}));
  monitor_.granted(kTwo, grant_of(kShared, {4, 4}));
  EXPECT_TRUE(monitor_.upgraded(kOne, grant_of(kExclusive, {0, 4})));
}

Grant until(Time date, Grant grant) {
  grant.valid_until = date;
  return grant;
}

TEST_F(Monitored, an_extended_grant_holds_until_its_new_end) {
  monitor_.granted(kOne, until(Time{10}, grant_of(kExclusive)));
  EXPECT_TRUE(monitor_.extended(kOne, until(Time{20}, grant_of(kExclusive))));
  clock_.now = Time{15};
  EXPECT_FALSE(monitor_.granted(kTwo, grant_of(kExclusive)));
}

TEST_F(Monitored, a_grant_that_was_lost_is_not_extended_any_more) {
  monitor_.granted(kOne, until(Time{10}, grant_of(kExclusive)));
  clock_.now = Time{15};
  EXPECT_TRUE(monitor_.granted(kTwo, grant_of(kExclusive))) << "an expired hold";
  EXPECT_FALSE(monitor_.extended(kOne, until(Time{20}, grant_of(kExclusive))));
  EXPECT_EQ(monitor_.counts().late_effects, 1U);
}

// Two grants of one client expire; another client is granted what the first one was for.
TEST_F(Monitored, late_effects_are_those_of_the_grant_that_was_lost) {
  const Grant lost = until(Time{10}, grant_of(kExclusive, kWhole, 0, 0));
  const Grant kept = until(Time{10}, grant_of(kExclusive, kWhole, 1, 1));
  monitor_.granted(kOne, lost);
  monitor_.granted(kOne, kept);
  clock_.now = Time{15};
  EXPECT_TRUE(monitor_.granted(kTwo, grant_of(kExclusive)));
  EXPECT_EQ(monitor_.counts().expired_holds, 1U);
  monitor_.releasing(kOne, kept);
  monitor_.released(kOne, kept, ReleaseResult::released);
  EXPECT_EQ(monitor_.counts().late_effects, 0U);
  monitor_.releasing(kOne, lost);
  monitor_.released(kOne, lost, ReleaseResult::released);
  EXPECT_EQ(monitor_.counts().late_effects, 1U);
}

TEST_F(Monitored, a_suppressed_release_has_no_late_effect) {
  const Grant lost = until(Time{10}, grant_of(kExclusive));
  monitor_.granted(kOne, lost);
  clock_.now = Time{15};
  monitor_.granted(kTwo, grant_of(kExclusive));
  monitor_.releasing(kOne, lost);
  monitor_.released(kOne, lost, ReleaseResult::suppressed);
  EXPECT_EQ(monitor_.counts().late_effects, 0U);
}

TEST_F(Monitored, a_request_whose_verb_has_not_taken_effect_is_not_bypassed) {
  const Want want{LockRef{LockId{0}, {}}};
  monitor_.requested(kOne, want);
  monitor_.granted(kTwo, grant_of(kExclusive));
  EXPECT_EQ(monitor_.max_bypassed(), 0U);
  monitor_.first_effect(kOne);
  monitor_.releasing(kTwo, grant_of(kExclusive));
  monitor_.granted(kTwo, grant_of(kExclusive));
  EXPECT_EQ(monitor_.max_bypassed(), 1U);
}

TEST_F(Monitored, a_request_for_units_without_numbers_ends_the_run) {
  const Want want{LockRef{LockId{0}, {}}, kShared, {~0ULL, 2}};
  EXPECT_DEATH(monitor_.requested(kOne, want), "more than have numbers");
}

// ---- bypasses, against a list of all waiters that is walked at each grant ----

struct Request {
  Want want;
  std::optional<std::uint64_t> order;
  std::uint64_t bypassed = 0;
  bool between_tries = false;
};

class Crowd {
 public:
  explicit Crowd(std::uint64_t seed) : rng_(seed, 0, StreamPurpose::keys) {}

  void step() {
    const ClientId client{static_cast<std::uint32_t>(rng_.below(kClients))};
    const auto found = waiting_.find(client.value);
    if (found == waiting_.end()) {
      ask(client);
    } else if (found->second.between_tries) {
      found->second.between_tries = false;
      monitor_.requested(client, found->second.want);
    } else if (rng_.below(4) == 0) {
      found->second.between_tries = true;
      ++aborted_;
      monitor_.aborted(client);
    } else if (!found->second.order && rng_.below(4) != 0) {
      found->second.order = effects_++;
      monitor_.first_effect(client);
    } else if (rng_.below(5) == 0) {
      monitor_.withdrawn(client);
      waiting_.erase(found);
    } else {
      serve(client);
    }
    ASSERT_EQ(monitor_.max_bypassed(), most_);
  }
  std::uint64_t most() const { return most_; }
  std::uint64_t aborted() const { return aborted_; }

 private:
  static constexpr std::uint32_t kClients = 12;
  void ask(ClientId client) {
    Request& request = waiting_[client.value];
    request.want.lock.id = LockId{rng_.below(3)};
    request.want.mode = static_cast<LockMode>(rng_.below(kLockModes));
    if (rng_.below(2) == 0) request.want.extent = {rng_.below(8), 1 + rng_.below(4)};
    monitor_.requested(client, request.want);
  }
  void serve(ClientId client) {
    const Request winner = waiting_.at(client.value);
    waiting_.erase(client.value);
    const Grant grant =
        grant_of(winner.want.mode, winner.want.extent, 0, winner.want.lock.id.value);
    for (auto& [other, request] : waiting_) {
      const bool earlier = request.order && (!winner.order || *request.order < *winner.order);
      const bool in_the_way =
          request.want.lock.id == grant.lock.id && conflict(request.want, grant);
      if (earlier && in_the_way) most_ = std::max(most_, ++request.bypassed);
    }
    monitor_.granted(client, grant);
    monitor_.releasing(client, grant);
    monitor_.released(client, grant, ReleaseResult::released);
  }

  Rng rng_;
  OneClock clock_;
  SafetyMonitor monitor_{kClients, clock_};
  std::map<std::uint32_t, Request> waiting_;  // its elements stay where they are
  std::uint64_t effects_ = 0;
  std::uint64_t most_ = 0;
  std::uint64_t aborted_ = 0;  // tries, after which their acquisition goes on
};

TEST(Bypasses, match_a_count_over_all_waiters) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Crowd crowd(seed);
    for (int i = 0; i < 2'000; ++i) crowd.step();
    EXPECT_TRUE(crowd.most() > 3U && crowd.aborted() > 100U);
  }
}

// A request that is refused and repeated has waited since its first try.
TEST(Bypasses, are_counted_over_all_tries_of_an_acquisition) {
  OneClock clock;
  SafetyMonitor monitor(2, clock);
  const Want mine{LockRef{LockId{0}, {}}}, other{LockRef{LockId{0}, {}}};
  for (std::uint64_t round = 1; round <= 3; ++round) {
    monitor.requested(kOne, mine);
    monitor.first_effect(kOne);
    monitor.requested(kTwo, other);
    monitor.first_effect(kTwo);
    monitor.granted(kTwo, grant_of(kExclusive));
    monitor.releasing(kTwo, grant_of(kExclusive));
    EXPECT_EQ(monitor.max_bypassed(), round);
    monitor.aborted(kOne);
  }
  monitor.withdrawn(kOne);  // it gives up: the next acquisition counts anew
  monitor.requested(kOne, mine);
  monitor.first_effect(kOne);
  monitor.granted(kTwo, grant_of(kExclusive));
  EXPECT_EQ(monitor.max_bypassed(), 3U);
}

TEST(Bypasses, a_client_that_still_waits_for_a_lock_cannot_ask_for_another_one) {
  OneClock clock;
  SafetyMonitor monitor(1, clock);
  const Want mine{LockRef{LockId{0}, {}}}, other{LockRef{LockId{1}, {}}};
  monitor.requested(kOne, mine);
  monitor.first_effect(kOne);
  EXPECT_DEATH(monitor.requested(kOne, mine), "one lock at a time");
  monitor.aborted(kOne);
  EXPECT_DEATH(monitor.requested(kOne, other), "one lock at a time");
}

}  // namespace
}  // namespace latchlab

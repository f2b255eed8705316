// What a client of redlock_model does when masters fail and when masters do not answer.

#include "tests/protocols/redlock_model/votes.h"

namespace latchlab::testing {
namespace {

// ---- which masters it asks ----

TEST(redlock_model_votes, asks_all_masters_starting_with_the_lock_s_own) {
  Redlock redlock;
  redlock.run([](Redlock& me) -> Task<void> {
    const std::string second = co_await me.acquire(1);
    EXPECT_EQ(second, "granted");
    const std::uint16_t own = me.lock(1).entry.node.value;
    EXPECT_NE(own, me.lock(0).entry.node.value);
    std::vector<int> asked;
    for (const MasterCall& call : me.calls) asked.push_back(call.master.value);
    EXPECT_THAT(asked, ::testing::ElementsAre(own, own % 3 + 1, (own + 1) % 3 + 1));
  });
}

// ---- masters that fail ----

TEST(redlock_model_votes, acquires_the_lock_although_a_minority_fails) {
  Redlock redlock;
  redlock.fault = from_node(3, VerbStatus::peer_failed);
  redlock.run([](Redlock& me) -> Task<void> {
    const std::string ended = co_await me.acquire();
    EXPECT_EQ(ended, "granted");
    EXPECT_EQ(me.calls.size(), 3U);
  });
}

TEST(redlock_model_votes, reports_at_once_that_a_majority_has_failed_and_leaves_no_key) {
  Redlock redlock;
  redlock.fault = from_node(2, VerbStatus::peer_failed);
  paths::forget();
  paths::record(true);
  redlock.run([](Redlock& me) -> Task<void> {
    const std::string ended = co_await me.acquire();
    EXPECT_EQ(ended, "failed");
    EXPECT_EQ(me.calls.size(), 6U);
    co_await me.others_take(3);
  });
  paths::record(false);
  EXPECT_TRUE(reached_path("too many masters fail"));
  EXPECT_TRUE(reached_path("masters are divided"));
}

TEST(redlock_model_votes, reports_that_a_majority_has_failed_when_it_deletes_its_keys) {
  Redlock redlock;
  redlock.run([](Redlock& me) -> Task<void> {
    co_await me.others_take(3);
    me.fault = [](const MasterCall& call) {
      const bool fails = call.type == served::kRelease && call.master.value >= 2;
      return fails ? Fault(VerbStatus::peer_failed) : Fault();
    };
    const std::string ended = co_await me.acquire();
    EXPECT_EQ(ended, "failed");
    EXPECT_EQ(me.calls.size(), 6U);
  });
}

TEST(redlock_model_votes, deletes_its_keys_when_no_client_has_a_majority) {
  Redlock redlock({{"tries", number(1)}});
  redlock.fault = from_node(3, VerbStatus::peer_failed);
  paths::forget();
  paths::record(true);
  redlock.run([](Redlock& me) -> Task<void> {
    co_await me.others_take(1);
    const std::string ended = co_await me.acquire();
    EXPECT_EQ(ended, "too many");
    const bool left = co_await me.ask(NodeId{2}, served::kAcquire);
    EXPECT_TRUE(left);
    const bool still = co_await me.ask(NodeId{1}, served::kRelease);
    EXPECT_TRUE(still);
  });
  paths::record(false);
  EXPECT_TRUE(reached_path("masters are divided"));
  EXPECT_FALSE(reached_path("too many masters fail"));
}

TEST(redlock_model_votes, a_refusal_by_all_masters_is_not_a_split_vote) {
  Redlock redlock({{"tries", number(1)}});
  paths::forget();
  paths::record(true);
  redlock.run([](Redlock& me) -> Task<void> {
    co_await me.others_take(3);
    const std::string ended = co_await me.acquire();
    EXPECT_EQ(ended, "too many");
  });
  paths::record(false);
  EXPECT_FALSE(reached_path("masters are divided"));
}

// ---- masters that do not answer ----

TEST(redlock_model_votes, gives_up_a_silent_majority_after_ten_tries) {
  Redlock redlock;
  redlock.fault = from_node(2, VerbStatus::timed_out);
  redlock.run([](Redlock& me) -> Task<void> {
    const std::string ended = co_await me.acquire();
    EXPECT_EQ(ended, "failed");
    EXPECT_EQ(me.calls.size(), 60U);
  });
}

TEST(redlock_model_votes, counts_a_failed_master_as_silent) {
  Redlock redlock;
  redlock.fault = [](const MasterCall& call) {
    if (call.master.value == 1) return Fault();
    return Fault(call.master.value == 2 ? VerbStatus::timed_out : VerbStatus::peer_failed);
  };
  redlock.run([](Redlock& me) -> Task<void> {
    const std::string ended = co_await me.acquire();
    EXPECT_EQ(ended, "failed");
    EXPECT_EQ(me.calls.size(), 60U);
  });
}

// Nine silent tries, one in which a majority answers that another client holds the lock, and nine
// more.
TEST(redlock_model_votes, counts_silent_tries_in_a_row) {
  Redlock redlock({{"tries", number(20)}});
  redlock.run([](Redlock& me) -> Task<void> {
    co_await me.others_take(3);
    me.fault = [](const MasterCall& call) {
      const std::uint64_t nth = call.number / 6;  // try
      const bool silent = nth != 9 && nth < 19 && call.master.value >= 2;
      return silent ? Fault(VerbStatus::timed_out) : Fault();
    };
    const std::string ended = co_await me.acquire();
    EXPECT_EQ(ended, "too many");
    EXPECT_EQ(me.calls.size(), 120U);
  });
}

}  // namespace
}  // namespace latchlab::testing

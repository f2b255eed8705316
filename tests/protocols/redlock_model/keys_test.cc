// The values of redlock_model's keys, their deletion and their extension.

#include "tests/protocols/redlock_model/votes.h"

namespace latchlab::testing {
namespace {

// ---- values ----

std::vector<std::uint32_t> values_of_tries(const Redlock& redlock) {
  std::vector<std::uint32_t> values;
  for (const MasterCall& call : redlock.calls)
    if (call.type == served::kAcquire) values.push_back(call.value);
  return values;
}

// Another client holds the lock. The second try's deletion gets no answer.
std::vector<std::uint32_t> four_tries(const char* value) {
  Redlock redlock({{"tries", number(4)}, {"value", text(value)}}, 1);
  redlock.fault = [](const MasterCall& call) {
    return call.number == 3 ? Fault(VerbStatus::timed_out) : Fault();
  };
  redlock.run([](Redlock& me) -> Task<void> {
    co_await me.others_take(1);
    const std::string ended = co_await me.acquire();
    EXPECT_EQ(ended, "too many");
  });
  return values_of_tries(redlock);
}
TEST(redlock_model_keys, takes_a_new_value_when_the_last_one_may_be_in_use) {
  EXPECT_THAT(four_tries("per_try"), ::testing::ElementsAre(1, 1, 2, 2));
}
TEST(redlock_model_keys, keeps_its_value_after_every_try_as_implemented) {
  EXPECT_THAT(four_tries("per_lock"), ::testing::ElementsAre(1, 1, 1, 1));
}

// The key of a forgotten grant stays until it expires, although its owner asks again.
TEST(redlock_model_keys, does_not_take_back_the_key_of_an_earlier_grant) {
  Redlock redlock({{"tries", number(1)}}, 1);
  redlock.run([](Redlock& me) -> Task<void> {
    const std::string first = co_await me.acquire();
    EXPECT_EQ(first, "granted");
    const std::string again = co_await me.acquire();
    EXPECT_EQ(again, "too many");
    const bool taken = co_await me.ask(me.lock().entry.node, served::kAcquire);
    EXPECT_FALSE(taken);
  });
}

// ---- releases and extensions ----

Task<void> release(Redlock& me, bool late) {
  const std::string ended = co_await me.acquire();
  EXPECT_EQ(ended, "granted");
  if (late) me.grant.valid_until = me.verbs().now();
  const ReleaseResult result = co_await me.client().release(me.grant);
  EXPECT_EQ(result, late ? ReleaseResult::suppressed : ReleaseResult::released);
  co_await me.others_take(3);
}
TEST(redlock_model_keys, deletes_all_keys_in_a_release_in_time) {
  Redlock redlock;
  redlock.run([](Redlock& me) { return release(me, false); });
}
TEST(redlock_model_keys, deletes_all_keys_in_a_late_release_and_counts_it_as_suppressed) {
  Redlock redlock;
  redlock.run([](Redlock& me) { return release(me, true); });
}

Task<void> take(Redlock& me) {
  const std::string ended = co_await me.acquire();
  EXPECT_EQ(ended, "granted");
  me.calls.clear();
}

TEST(redlock_model_keys, extends_with_a_majority) {
  Redlock redlock;
  redlock.run([](Redlock& me) -> Task<void> {
    co_await take(me);
    const Time before = me.grant.valid_until;
    me.fault = from_node(3, VerbStatus::peer_failed);
    const std::string ended = co_await me.extend(seconds(30));
    EXPECT_EQ(ended, "granted");
    EXPECT_GE(me.grant.valid_until, before + seconds(30));
    EXPECT_EQ(me.calls.size(), 3U);
  });
}
TEST(redlock_model_keys, says_that_an_extension_failed_with_most_masters) {
  Redlock redlock;
  redlock.run([](Redlock& me) -> Task<void> {
    co_await take(me);
    me.fault = from_node(2, VerbStatus::peer_failed);
    const std::string ended = co_await me.extend(seconds(1));
    EXPECT_EQ(ended, "failed");
  });
}
// The keys of the grant are deleted on so many masters.
Task<void> lose(Redlock& me, std::uint16_t masters) {
  const served::Asker own{ClientId{0}, static_cast<std::uint32_t>(me.grant.words[0])};
  for (std::uint16_t node = 1; node <= masters; ++node) {
    const bool gone = co_await me.ask(NodeId{node}, served::kRelease, own);
    EXPECT_TRUE(gone);
  }
}
Task<void> leave_after_losing(Redlock& me, std::uint16_t masters) {
  co_await take(me);
  co_await lose(me, masters);
  const ReleaseResult result = co_await me.client().release(me.grant);
  EXPECT_EQ(result, ReleaseResult::released);
}
TEST(redlock_model_keys, says_that_an_extension_found_the_keys_gone) {
  Redlock redlock;
  redlock.run([](Redlock& me) -> Task<void> {
    co_await take(me);
    co_await lose(me, 2);
    const std::string ended = co_await me.extend(seconds(1));
    EXPECT_EQ(ended, "lost");
  });
}
TEST(redlock_model_keys, distinguishes_a_holder_that_lost_its_key_from_one_that_releases_in_time) {
  for (const std::uint16_t lost : {0, 3}) {
    Redlock redlock;
    paths::forget();
    paths::record(true);
    redlock.run([lost](Redlock& me) { return leave_after_losing(me, lost); });
    paths::record(false);
    EXPECT_EQ(reached_path("a holder leaves in time"), lost == 0);
    EXPECT_EQ(reached_path("a holder has lost its key"), lost == 3);
  }
}
TEST(redlock_model_keys, asks_for_no_extension_of_an_expired_grant) {
  Redlock redlock;
  redlock.run([](Redlock& me) -> Task<void> {
    co_await take(me);
    me.grant.valid_until = me.verbs().now();
    const std::string ended = co_await me.extend(seconds(1));
    EXPECT_EQ(ended, "over");
    EXPECT_TRUE(me.calls.empty());
  });
}
TEST(redlock_model_keys, ignores_an_extension_that_is_reported_after_the_grant_expired) {
  LATCHLAB_NEEDS_EXPLORER("a grant of two steps");
  Redlock redlock;
  redlock.run([](Redlock& me) -> Task<void> {
    co_await take(me);
    me.grant.valid_until = me.verbs().now() + nanoseconds(2);
    const std::string ended = co_await me.extend(seconds(1));
    EXPECT_EQ(ended, "over");
    EXPECT_EQ(me.calls.size(), 3U);
  });
}

}  // namespace
}  // namespace latchlab::testing

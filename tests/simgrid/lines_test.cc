// What CPU accesses to registered memory cost by the cache that holds the line.

#include "tests/simgrid/fixture.h"

namespace latchlab::simtest {
namespace {

constexpr RemoteAddr kOwn{kHere, 1024};
constexpr Time kLater = kStart + microseconds(50);
constexpr Time kAtLast = kStart + microseconds(100);

Task<void> access(Verbs& verbs, Backend& backend, RemoteAddr word, bool writes, Duration& took) {
  const Time before = backend.true_now();
  if (writes)
    co_await verbs.exchange(word, 1);
  else
    co_await verbs.load(word);
  took = backend.true_now() - before;
}

class Lines : public SimWorld {
 protected:
  Lines() { nic().line_transfer = nanoseconds(70); }
  Duration held() { return nic().cpu_access; }
  Duration moved() { return nic().cpu_access + nic().line_transfer; }
  // How long the access takes; known when the world has run.
  Duration& change(Verbs& client, Time at, RemoteAddr word = kOwn) {
    return add(client, at, word, true);
  }
  Duration& look(Verbs& client, Time at) { return add(client, at, kOwn, false); }

 private:
  Duration& add(Verbs& client, Time at, RemoteAddr word, bool writes) {
    Duration& took = took_.emplace_back();
    spawn(client, access(client, world(), word, writes, took), at);
    return took;
  }
  std::deque<Duration> took_;
};

TEST_F(Lines, a_core_keeps_a_line_until_another_changes_it) {
  options().cores = 2;
  Verbs& one = add_client();
  Verbs& another = add_client();
  const Duration& first = change(one, kStart);
  const Duration& other = change(another, kLater);
  const Duration& back = look(add_client(), kAtLast);  // on the first one's core
  EXPECT_EQ(run(), RunEnd::finished);
  EXPECT_EQ(first, moved());
  EXPECT_EQ(other, moved());
  EXPECT_EQ(back, moved());
}

Task<void> wait_for_one(Verbs& verbs, Backend& backend, Time& seen) {
  WordWait wait;
  wait.word = kOwn;
  wait.until = [](std::uint64_t value) { return value == 1; };
  co_await verbs.await_local(wait);
  seen = backend.true_now();
}

TEST_F(Lines, a_wait_for_a_word_ends_when_the_line_has_come) {
  Time seen;
  Verbs& waiting = add_client();
  spawn(waiting, wait_for_one(waiting, world(), seen));
  const Duration& changed = change(add_client(), kLater);
  EXPECT_EQ(run(), RunEnd::finished);
  EXPECT_EQ(changed, moved());
  EXPECT_EQ(seen, kLater + changed + moved());
}

Task<void> twice(Verbs& verbs, Backend& backend, Duration& first, Duration& second) {
  co_await access(verbs, backend, kOwn, true, first);
  co_await access(verbs, backend, kOwn + 8, true, second);
}

TEST_F(Lines, further_accesses_to_its_words_are_cheap) {
  Verbs& one = add_client();
  Duration first, second;
  spawn(one, twice(one, world(), first, second));
  EXPECT_EQ(run(), RunEnd::finished);
  EXPECT_EQ(first, moved());
  EXPECT_EQ(second, held());
}

TEST_F(Lines, loads_leave_the_line_with_others) {
  options().cores = 2;
  Verbs& one = add_client();
  Verbs& another = add_client();
  change(one, kStart);
  const Duration& loaded = look(another, kLater);
  Verbs& on_the_first = add_client();
  const Duration& still_there = look(on_the_first, kAtLast);
  EXPECT_EQ(run(), RunEnd::finished);
  EXPECT_EQ(loaded, moved());
  EXPECT_EQ(still_there, held());
}

TEST_F(Lines, cores_that_ask_for_one_line_at_once_get_it_one_after_the_other) {
  const Duration& one = change(add_client(), kStart);
  const Duration& two = change(add_client(), kStart);
  const Duration& three = change(add_client(), kStart, kOwn + 8);
  const Duration& elsewhere = change(add_client(), kStart, kOwn + 64);
  EXPECT_EQ(run(), RunEnd::finished);
  EXPECT_EQ(one, moved());
  EXPECT_EQ(two, moved() + nic().line_transfer);
  EXPECT_EQ(three, moved() + nic().line_transfer * 2);
  EXPECT_EQ(elsewhere, moved());
}

TEST_F(Lines, an_rnic_that_writes_takes_the_line_from_all_caches) {
  options().cores = 1;
  change(add_client(), kStart);
  shoot(write_verb(kOwn, 5), kStart + microseconds(20), kThere);
  const Duration& after = look(add_client(), kLater);
  EXPECT_EQ(run(), RunEnd::finished);
  EXPECT_EQ(after, moved());
}

TEST_F(Lines, hardware_threads_of_a_core_share_its_cache) {
  options().cores = 1;
  options().core_sharing = CoreSharing::threads;
  change(add_client(), kStart);
  const Duration& other_thread = change(add_client(), kLater);
  EXPECT_EQ(run(), RunEnd::finished);
  EXPECT_EQ(other_thread, held());
}

}  // namespace
}  // namespace latchlab::simtest

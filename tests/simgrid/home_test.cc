// Clocks, sleeps and deadlines, the state of nodes, membership, eviction, the event queue.

#include "backends/simgrid/event_queue.h"
#include "tests/simgrid/fixture.h"

namespace latchlab::simtest {
namespace {

class AtHome : public SimWorld {};

Task<void> sleep_for(Verbs& verbs, Duration length) {
  co_await verbs.sleep(length);
}

TEST_F(AtHome, clocks_differ_by_an_offset_and_a_rate_within_their_bounds) {
  options().clocks.drift_ppb = 100'000;
  options().clocks.offset = microseconds(10);
  Verbs& client = add_client();
  std::vector<Duration> offsets;
  for (const NodeId node : {kServer, kHere, kThere, kElsewhere}) {
    offsets.push_back(world().local_now(node) - kStart);
    EXPECT_GE(offsets.back(), Duration{});
    EXPECT_LE(offsets.back(), microseconds(10));
  }
  EXPECT_NE(offsets[0], offsets[1]);
  spawn(client, sleep_for(client, milliseconds(90)));
  EXPECT_EQ(run(kStart + milliseconds(50)), RunEnd::reached);
  std::vector<Duration> drifts;
  for (std::size_t i = 0; i < 4; ++i) {
    const NodeId node{static_cast<std::uint16_t>(i + 1)};
    const Duration gained = world().local_now(node) - (kStart + milliseconds(50)) - offsets[i];
    EXPECT_LE(gained, microseconds(5));  // 100 ppm of 50 ms
    EXPECT_GE(gained, microseconds(-5));
    drifts.push_back(gained);
  }
  EXPECT_NE(drifts[0], drifts[1]);
  EXPECT_NE(drifts[1], drifts[2]);
}

TEST_F(AtHome, sleep_on_a_drifting_clock_ends_at_the_first_picosecond_at_which_it_shows_the_time) {
  options().clocks.drift_ppb = 100'000;
  options().clocks.offset = microseconds(10);
  for (const NodeId node : {kHere, kThere, kElsewhere}) {
    Verbs& client = add_client(node);
    spawn(client, [](Verbs& verbs) -> Task<void> {
      for (std::int64_t ps = 1; ps < 30'000'000'000; ps = ps * 7 + 3) {
        const Time due = verbs.now() + picoseconds(ps);
        co_await verbs.sleep(picoseconds(ps));
        EXPECT_GE(verbs.now(), due);
        EXPECT_LE(verbs.now(), due + picoseconds(1));
      }
    }(client));
  }
  EXPECT_EQ(run(), RunEnd::finished);
}

TEST_F(AtHome, deadline_is_a_time_on_the_clients_own_clock) {
  options().clocks.drift_ppb = 100'000;
  options().clocks.offset = microseconds(10);
  for (const NodeId node : {kHere, kThere, kElsewhere}) {
    Verbs& client = add_client(node);
    spawn(client, [](Verbs& verbs) -> Task<void> {
      const EndpointAddr inbox = verbs.open_endpoint(1);
      // A short wait after a long one uses the same slot: its own timer must fire, and the timer of
      // the long one must not end it.
      for (const std::int64_t us : {300, 7, 2000, 1, 400}) {
        const Time due = verbs.now() + microseconds(us);
        const WaitOutcome outcome = co_await verbs.receive(inbox, {}, due);
        EXPECT_EQ(outcome.by, Woke::deadline);
        EXPECT_GE(verbs.now(), due);
        EXPECT_LE(verbs.now(), due + picoseconds(1));
      }
    }(client));
  }
  EXPECT_EQ(run(), RunEnd::finished);
}

TEST_F(AtHome, timer_of_a_wait_that_ended_early_does_not_end_the_next_one) {
  Verbs& sender = add_client();
  Verbs& receiver = add_client(kThere);
  const EndpointAddr inbox = receiver.open_endpoint(2);
  spawn(sender, [](Verbs& verbs, EndpointAddr to) -> Task<void> {
    const Message message = numbered(1);
    co_await verbs.send(to, message);
  }(sender, inbox));
  spawn(receiver, [](Verbs& verbs, EndpointAddr own) -> Task<void> {
    const WaitOutcome first = co_await verbs.receive(own, {}, kStart + microseconds(50));
    EXPECT_EQ(first.by, Woke::message);
    const WaitOutcome second = co_await verbs.receive(own, {}, kStart + microseconds(90));
    EXPECT_EQ(second.by, Woke::deadline);
    EXPECT_EQ(verbs.now(), kStart + microseconds(90));
  }(receiver, inbox));
  EXPECT_EQ(run(), RunEnd::finished);
}

TEST_F(AtHome, synchronised_clock_uses_its_whole_error_bound_and_no_more) {
  options().synchronisation_error = microseconds(2);
  Verbs& client = add_client();
  run_alone(client, [](Verbs& verbs, Backend& backend) -> Task<void> {
    Duration least = kForever;
    Duration most;
    for (int i = 0; i < 300; ++i) {
      co_await verbs.sleep(microseconds(10));
      const SynchronisedTime shown = co_await verbs.synchronised_now();
      EXPECT_EQ(shown.error, microseconds(2));
      const Duration off = shown.date - backend.true_now();
      least = std::min(least, off);
      most = std::max(most, off);
    }
    EXPECT_GE(least, microseconds(-2));
    EXPECT_LT(least, microseconds(-1));
    EXPECT_LE(most, microseconds(2));
    EXPECT_GT(most, microseconds(1));
  }(client, world()));
}

TEST_F(AtHome, accesses_to_the_state_of_a_node_take_turns_and_other_nodes_do_not_wait) {
  std::vector<Time> visits;
  for (const NodeId node : {kHere, kHere, kHere, kThere}) {
    Verbs& client = add_client(node);
    spawn(client, [](Verbs& verbs, Backend& backend, std::vector<Time>& dates) -> Task<void> {
      co_await verbs.on_node([at = &backend, to = &dates] { to->push_back(at->true_now()); });
    }(client, world(), visits));
  }
  EXPECT_EQ(run(), RunEnd::finished);
  const Duration one = nic().on_node;
  EXPECT_EQ(visits,
            (std::vector<Time>{kStart + one, kStart + one, kStart + one * 2, kStart + one * 3}));
}

TEST_F(AtHome, accesses_about_different_locks_do_not_wait_for_each_other) {
  std::vector<Time> visits;
  for (const std::uint32_t lock : {1U, 2U, 1U}) {
    Verbs& client = add_client();
    spawn(client,
          [](Verbs& verbs, LockId about, Backend& backend, std::vector<Time>& dates) -> Task<void> {
            co_await verbs.on_node(about,
                                   [at = &backend, to = &dates] { to->push_back(at->true_now()); });
          }(client, LockId{lock}, world(), visits));
  }
  EXPECT_EQ(run(), RunEnd::finished);
  const Duration one = nic().on_node;
  EXPECT_EQ(visits, (std::vector<Time>{kStart + one, kStart + one, kStart + one * 2}));
}

// Several clients wait for one word, whose first change concerns one of them.
TEST_F(AtHome, a_word_wakes_exactly_the_clients_whose_condition_holds) {
  constexpr RemoteAddr kFirst{kHere, 512};
  constexpr RemoteAddr kSecond{kHere, 520};
  std::vector<std::uint64_t> woken;
  const auto until = [](RemoteAddr word, std::uint64_t value) {
    WordWait wait;
    wait.word = word;
    wait.until = [value](std::uint64_t now) { return now == value; };
    return wait;
  };
  const auto wait_twice = [](Verbs& verbs, WaitSet one, WaitSet two, auto* all) -> Task<void> {
    for (const WaitSet& set : {one, two}) {
      const WaitOutcome outcome = co_await verbs.first_of(set);
      all->push_back(10 * verbs.client().value + outcome.value);
    }
  };
  for (const std::uint64_t value : {1, 2, 2}) {
    WaitSet one;
    one.add(until(kFirst, value));
    one.add(until(kSecond, 7));
    WaitSet two;
    two.add(until(kSecond, value));
    Verbs& waiter = add_client();
    spawn(waiter, wait_twice(waiter, one, two, &woken));
  }
  Verbs& writer = add_client(kThere);
  spawn(writer, [](Verbs& verbs, RemoteAddr first, RemoteAddr second) -> Task<void> {
    for (const std::uint64_t value : {1, 2}) co_await verbs.write(first, value);
    for (const std::uint64_t value : {2, 1}) co_await verbs.write(second, value);
  }(writer, kFirst, kSecond));
  EXPECT_EQ(run(), RunEnd::finished);
  EXPECT_EQ(woken, (std::vector<std::uint64_t>{1, 12, 22, 12, 22, 1}));
}

TEST_F(AtHome, each_crash_shows_in_the_membership_after_its_own_delay) {
  options().detection_delay = milliseconds(10);
  Verbs& watcher = add_client();
  add_client(kThere);
  add_client(kThere);
  Backend& backend = world();
  backend.at(kStart + milliseconds(1), [&] { backend.crash(ClientId{1}, CrashKind::client); });
  backend.at(kStart + milliseconds(9), [&] { backend.crash(ClientId{2}, CrashKind::client); });
  run_alone(watcher, [](Verbs& verbs) -> Task<void> {
    for (const std::uint32_t victim : {1U, 2U}) {
      WaitSet set;
      set.membership_after = verbs.membership().version;
      const WaitOutcome outcome = co_await verbs.first_of(set);
      EXPECT_EQ(outcome.by, Woke::membership);
      EXPECT_EQ(verbs.now(), kStart + milliseconds(victim == 1 ? 11 : 19));
      EXPECT_FALSE(verbs.membership().is_alive(ClientId{victim}));
      EXPECT_EQ(verbs.membership().is_alive(ClientId{2}), victim == 1);
      EXPECT_TRUE(verbs.membership().is_alive(ClientId{0}));
    }
  }(watcher));
}

TEST_F(AtHome, eviction_during_an_atomic_leaves_no_effect) {
  Verbs& judge = add_client();
  Verbs& victim = add_client(kThere);
  const EndpointAddr inbox = judge.open_endpoint(4);
  // The eviction takes effect at 4300 ns, during the hold from 4120 to 4620 ns.
  spawn(
      judge, [](Verbs& verbs) -> Task<void> { co_await verbs.evict(ClientId{1}); }(judge),
      kStart + nanoseconds(200));
  spawn(
      victim,
      [](Verbs& verbs, EndpointAddr to) -> Task<void> {
        for (int i = 0; i < 3; ++i) verbs.post(faa_verb(kWord, 1));
        const VerbStatus status = co_await verbs.flush();
        EXPECT_EQ(status, VerbStatus::flushed);
        const Completion later = co_await verbs.write(kWord, 7);
        EXPECT_EQ(later.status, VerbStatus::flushed);
        const Message message = numbered(1);
        const VerbStatus sent = co_await verbs.send(to, message);
        EXPECT_EQ(sent, VerbStatus::flushed);
      }(victim, inbox),
      kStart + nanoseconds(3000));
  const Shot& other = shoot(faa_verb(kWord, 1), kStart + microseconds(4), kElsewhere);
  EXPECT_EQ(run(), RunEnd::finished);
  EXPECT_TRUE(other.completion.ok());
  EXPECT_EQ(world().peek(kWord), 1U);
  expect_conservation();
}

TEST(Events, at_one_time_are_ordered_by_actor_and_then_by_sequence) {
  sim::EventQueue queue;
  int subjects[6] = {};
  queue.push(20, 1, sim::Gate::local, &subjects[5]);
  queue.push(10, 3, sim::Gate::local, &subjects[4]);
  queue.push(10, 2, sim::Gate::local, &subjects[2]);
  queue.push(10, 2, sim::Gate::local, &subjects[3]);
  queue.push(10, 0, sim::Gate::action, &subjects[1]);
  queue.push(5, 9, sim::Gate::local, &subjects[0]);
  for (int& subject : subjects) EXPECT_EQ(queue.pop().subject, &subject);
  EXPECT_TRUE(queue.empty());
}

TEST(Events, come_out_in_order_for_any_order_of_pushes) {
  sim::EventQueue queue;
  Rng rng(5);
  std::int64_t now = 0;
  std::size_t waiting = 0;
  for (int step = 0; step < 20'000; ++step) {
    if (waiting == 0 || rng.below(5) < 3) {
      queue.push(now + static_cast<std::int64_t>(rng.below(50)),
                 static_cast<std::uint32_t>(rng.below(4)), sim::Gate::local, nullptr);
      ++waiting;
    } else {
      const sim::Event event = queue.pop();
      --waiting;
      ASSERT_GE(event.time_ps, now);
      now = event.time_ps;
      if (waiting > 0) {
        ASSERT_TRUE(event.before(queue.next()));
      }
    }
  }
}

}  // namespace
}  // namespace latchlab::simtest

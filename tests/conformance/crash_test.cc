// Crashes at every kind of suspension, conservation of resources, deadlocks.

#include "tests/conformance/conformance.h"

namespace latchlab::conformance {
namespace {

constexpr Duration kUntilDeath = nanoseconds(3'137);

class Crashes : public Conformance {
 protected:
  void SetUp() override { LATCHLAB_NEEDS(Capability::client_crash); }

  // `body` runs as client 0 and crashes on the way; client 1 then finishes undisturbed.
  void crash_in(Task<void> body, CrashKind kind);
  // Verbs of the survivor: far more than the crashing client can post.
  int long_work() { return lasting(kUntilDeath) > kUntilDeath ? 300 : 3000; }
  // The crashing client and the survivor, on different nodes.
  void add_both() {
    victim_ = &add_client(kThere);
    survivor_ = &add_client();
    inbox_ = survivor_->open_endpoint(4);
  }
  Verbs* victim_ = nullptr;
  Verbs* survivor_ = nullptr;
  EndpointAddr inbox_;
};
LATCHLAB_EVERY_BACKEND(Crashes);

// Counts coroutine frames; its destructor shows when a frame is destroyed.
struct Witness {
  explicit Witness(int& count) : count_(count) { ++count_; }
  Witness(const Witness&) = delete;
  Witness& operator=(const Witness&) = delete;
  ~Witness() { --count_; }
  int& count_;
};

Task<void> work_for_long(Verbs& verbs, int verbs_to_do) {
  for (int i = 0; i < verbs_to_do; ++i) {
    const Completion added = co_await verbs.fetch_add(kWord + 64, 1);
    EXPECT_TRUE(added.ok());
  }
}

void Crashes::crash_in(Task<void> body, CrashKind kind) {
  spawn(*victim_, std::move(body));
  spawn(*survivor_, work_for_long(*survivor_, long_work()));
  Backend& backend = world();
  backend.at(Time{} + lasting(kUntilDeath), [&backend, kind] { backend.crash(ClientId{0}, kind); });
  EXPECT_EQ(run(), RunEnd::finished);
  EXPECT_EQ(world().peek(kWord + 64), static_cast<std::uint64_t>(long_work()));
  const VerbCensus census = world().census();
  EXPECT_EQ(census.posted, census.executed + census.failed + census.in_flight);
}

TEST_P(Crashes, client_that_crashes_during_verbs_does_not_affect_other_clients) {
  add_both();
  int frames = 0;
  crash_in(
      [](Verbs& verbs, int& count) -> Task<void> {
        const Witness witness(count);
        for (;;) co_await verbs.fetch_add(kWord, 1);
      }(*victim_, frames),
      CrashKind::client);
  EXPECT_EQ(frames, 0);
}

TEST_P(Crashes, client_that_crashes_in_a_batch_frees_everything) {
  add_both();
  int frames = 0;
  crash_in(
      [](Verbs& verbs, int& count) -> Task<void> {
        const Witness witness(count);
        for (;;) {
          Batch open(verbs);
          open.add(read_verb(kWord));
          Batch batch(verbs);
          batch.add(faa_verb(kWord, 1));
          batch.add(read_verb(kWord + 8));
          batch.add(write_verb(kWord + 16, 1));
          co_await batch.run();
          EXPECT_TRUE(batch.result(2).ok());
        }
      }(*victim_, frames),
      CrashKind::client);
  EXPECT_EQ(frames, 0);
}

TEST_P(Crashes, detached_verbs_of_a_crashed_client_do_no_harm) {
  add_both();
  crash_in(
      [](Verbs& verbs) -> Task<void> {
        for (;;) {
          for (int i = 0; i < 4; ++i) verbs.post(faa_verb(kWord, 1));
          co_await verbs.flush();
        }
      }(*victim_),
      CrashKind::client);
}

TEST_P(Crashes, client_that_crashes_while_it_sends_frees_everything) {
  add_both();
  crash_in(
      [](Verbs& verbs, EndpointAddr target) -> Task<void> {
        const Message message;
        for (;;) co_await verbs.send(target, message);
      }(*victim_, inbox_),
      CrashKind::client);
}

TEST_P(Crashes, detached_messages_of_a_crashed_client_do_no_harm) {
  add_both();
  crash_in(
      [](Verbs& verbs, EndpointAddr target) -> Task<void> {
        for (;;) {
          {
            Batch batch(verbs);
            for (int i = 0; i < 4; ++i) batch.add(target, Message{});
            batch.post();
          }
          co_await verbs.flush();
        }
      }(*victim_, inbox_),
      CrashKind::client);
}

Task<void> inner_wait(Verbs& verbs, int& count) {
  const Witness witness(count);
  WaitSet set;
  set.add(MessageWait{verbs.open_endpoint(1), {}});
  co_await verbs.first_of(set);
  ADD_FAILURE() << "a dead client went on";
}

TEST_P(Crashes, client_that_crashes_in_a_wait_destroys_its_whole_chain_of_coroutines) {
  add_both();
  int frames = 0;
  crash_in(
      [](Verbs& verbs, int& count) -> Task<void> {
        const Witness witness(count);
        Task<void> inner = inner_wait(verbs, count);
        co_await inner;
      }(*victim_, frames),
      CrashKind::client);
  EXPECT_EQ(frames, 0);
}

TEST_P(Crashes, client_that_crashes_in_a_remote_wait_frees_everything) {
  add_both();
  crash_in(
      [](Verbs& verbs) -> Task<void> {
        RemoteWait wait;
        wait.add(read_verb(kWord));
        wait.classify = [](const ProbeValues&) { return Verdict::pending; };
        wait.pacing = [](const ProbeValues&, std::uint64_t) { return microseconds(1); };
        auto waiting = verbs.await_remote(wait);
        co_await waiting;
      }(*victim_),
      CrashKind::client);
}

TEST_P(Crashes, client_can_be_crashed_on_request_of_its_own_coroutine) {
  add_both();
  int frames = 0;
  crash_in(
      [](Verbs& verbs, int& count, Backend& backend) -> Task<void> {
        const Witness witness(count);
        co_await verbs.read(kWord);
        backend.at(backend.true_now(),
                   [&backend] { backend.crash(ClientId{0}, CrashKind::client); });
        for (;;) co_await verbs.read(kWord);
      }(*victim_, frames, world()),
      CrashKind::client);
  EXPECT_EQ(frames, 0);
}

TEST_P(Crashes, dead_node_answers_no_verb) {
  add_both();
  spawn(*victim_, [](Verbs& verbs) -> Task<void> {
    for (;;) co_await verbs.sleep(microseconds(1));
  }(*victim_));
  world().crash(ClientId{0}, CrashKind::node);
  spawn(*survivor_, [](Verbs& verbs) -> Task<void> {
    const Completion seen = co_await verbs.read({kThere, 0});
    EXPECT_EQ(seen.status, VerbStatus::peer_failed);
    const Completion fine = co_await verbs.read(on_server(0));
    EXPECT_TRUE(fine.ok());
  }(*survivor_));
  EXPECT_EQ(run(), RunEnd::finished);
}

TEST_P(Crashes, verb_posted_before_the_crash_lands_once_or_never) {
  add_both();
  spawn(*victim_, [](Verbs& verbs) -> Task<void> {
    co_await verbs.fetch_add(kWord, 1);
    co_await verbs.receive(verbs.open_endpoint(1), {});
  }(*victim_));
  spawn(*survivor_, work_for_long(*survivor_, long_work()));
  Backend& backend = world();
  backend.at(Time{} + nanoseconds(2),
             [&backend] { backend.crash(ClientId{0}, CrashKind::client); });
  EXPECT_EQ(run(), RunEnd::finished);
  EXPECT_LE(world().peek(kWord), 1U);
}

class Runs : public Conformance {};
LATCHLAB_EVERY_BACKEND(Runs);

TEST_P(Runs, lost_wake_up_is_a_deadlock_that_the_run_reports) {
  Verbs& client = add_client();
  spawn(client, [](Verbs& verbs) -> Task<void> {
    co_await verbs.receive(verbs.open_endpoint(1), {});
  }(client));
  EXPECT_EQ(run(), RunEnd::stuck);
}

TEST_P(Runs, client_that_sleeps_for_ever_is_stuck) {
  Verbs& client = add_client();
  spawn(client, [](Verbs& verbs) -> Task<void> { co_await verbs.sleep(kForever); }(client));
  EXPECT_EQ(run(), RunEnd::stuck);
}

TEST_P(Runs, background_work_does_not_keep_a_run_going) {
  Verbs& client = add_client();
  Verbs& background = world().add_actor(ActorKind::node, kHere, ClientId{});
  spawn(background, [](Verbs& verbs) -> Task<void> {
    for (;;) co_await verbs.sleep(microseconds(1));
  }(background));
  spawn(client, [](Verbs& verbs) -> Task<void> { co_await verbs.read(kWord); }(client));
  EXPECT_EQ(run(), RunEnd::finished);
}

TEST_P(Runs, request_to_stop_ends_the_run_at_once) {
  Verbs& client = add_client();
  int rounds = 0;
  spawn(client, [](Verbs& verbs, Backend& backend, int& count) -> Task<void> {
    for (;;) {
      co_await verbs.read(kWord);
      if (++count == 5) backend.request_stop();
    }
  }(client, world(), rounds));
  EXPECT_EQ(run(), RunEnd::stopped);
  EXPECT_EQ(rounds, 5);
}

TEST_P(Runs, run_stops_at_a_given_time_and_can_continue) {
  Verbs& client = add_client();
  int rounds = 0;
  spawn(client, [](Verbs& verbs, int& count) -> Task<void> {
    for (; count < 500; ++count) co_await verbs.read(kWord);
  }(client, rounds));
  const Time date = Time{} + nanoseconds(800);
  EXPECT_EQ(world().run_until(date), RunEnd::reached);
  EXPECT_GE(world().true_now(), date);
  EXPECT_LT(rounds, 500);
  EXPECT_EQ(run(), RunEnd::finished);
  EXPECT_EQ(rounds, 500);
}

TEST_P(Runs, each_posted_verb_was_executed_failed_or_is_in_flight) {
  Verbs& client = add_client();
  run_alone(client, [](Verbs& verbs) -> Task<void> {
    for (int i = 0; i < 10; ++i) co_await verbs.fetch_add(kWord, 1);
    co_await verbs.read(on_server(kBytes));
    verbs.post(write_verb(kWord, 1));
  }(client));
  const VerbCensus census = world().census();
  EXPECT_EQ(census.posted, 12U);
  EXPECT_GE(census.executed, 10U);
  EXPECT_EQ(census.failed, 1U);
  EXPECT_EQ(census.posted, census.executed + census.failed + census.in_flight);
}

TEST_P(Runs, first_effects_are_counted_in_the_order_in_which_they_happened) {
  if (!world().sees_all_effects()) GTEST_SKIP() << "needs a backend that sees all effects";
  Verbs& one = add_client();
  Verbs& two = add_client(kThere);
  one.first_effect() = {true, 0};
  two.first_effect() = {true, 0};
  spawn(one, [](Verbs& verbs) -> Task<void> {
    const Completion mine = co_await verbs.fetch_add(kWord, 1);
    co_await verbs.write(kWord + 8, mine.value.lo);
    co_await verbs.fetch_add(kWord, 1);
  }(one));
  spawn(two, [](Verbs& verbs) -> Task<void> {
    const Completion mine = co_await verbs.fetch_add(kWord, 1);
    co_await verbs.write(kWord + 16, mine.value.lo);
  }(two));
  EXPECT_EQ(run(), RunEnd::finished);
  EXPECT_FALSE(one.first_effect().armed);
  const bool one_was_first = world().peek(kWord + 8) < world().peek(kWord + 16);
  EXPECT_EQ(one.first_effect().order < two.first_effect().order, one_was_first);
}

}  // namespace
}  // namespace latchlab::conformance

// Counts messages in each case of writers and readers that N-CoSED treats separately.

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "core/protocols/n_cosed/word.h"
#include "tests/modes.h"
#include "tests/protocols/harness.h"
#include "tests/protocols/marks.h"
#include "tests/protocols/served.h"
#include "tests/protocols/timed.h"

namespace latchlab::testing {
namespace {

using n_cosed::Word;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Not;
using Order = std::vector<std::uint32_t>;

// A few clients, each with one acquisition that begins and ends when N-CoSED's word has a given
// value, so that the order of events does not decide which clients meet.
struct OneTurn {
  LockMode mode = LockMode::exclusive;
  n_cosed::Word asks_at;    // asks when the word has this value
  n_cosed::Word leaves_at;  // releases when the word has this value
};

struct SceneEnd {
  RunEnd end = RunEnd::stuck;
  std::vector<std::uint32_t> order;  // in which clients acquired the lock
  std::vector<LockMode> modes;       // as granted, in that order
  std::uint64_t atomics = 0;         // of all clients
  std::uint64_t sends = 0;
  std::uint64_t calls = 0;
  std::string entry;
};

class Scene {
 public:
  // One client for each turn, on a node of its own.
  Scene(std::vector<OneTurn> turns, std::uint64_t seed, const ParamValues& params = {})
      : turns_(std::move(turns)) {
    const ProtocolEntry& entry = *find_protocol("n_cosed");
    ParamSet values = entry.info.resolve("reconstructed");
    for (const auto& [name, value] : params) values.set(name, value);
    protocol_ = entry.make(values);
    WorldShape shape;
    shape.client_nodes = static_cast<std::uint32_t>(turns_.size());
    shape.seed = seed;
    world_ = std::make_unique<World>(*protocol_, shape);
    ExplorerOptions options;
    options.seed = seed;
    options.max_steps = 20'000;
    backend_ = make_world(world_->plan(), *protocol_, options);
    world_->attach(*backend_);
  }

  void poke(n_cosed::Word word) { backend_->poke(entry(), word.packed()); }

  SceneEnd play() {
    for (std::uint32_t i = 0; i < turns_.size(); ++i)
      backend_->spawn(world_->verbs(ClientId{i}), one_turn(ClientId{i}), Time{});
    seen_.end = backend_->run_until(end_of_run(kNever));
    for (std::uint32_t i = 0; i < turns_.size(); ++i) {
      const ActorTally& tally = world_->verbs(ClientId{i}).tally();
      seen_.atomics += tally.atomics();
      seen_.sends += tally.sends;
      seen_.calls += tally.calls;
    }
    const std::uint64_t word = backend_->peek(entry());
    seen_.entry = protocol_->decode({&word, 1});
    return seen_;
  }

 private:
  RemoteAddr entry() const { return world_->lock(LockId{0}).entry; }

  Task<void> until(ClientId me, n_cosed::Word word) {
    RemoteWait wait;
    wait.add(read_verb(entry()));
    wait.classify = [word](const ProbeValues& seen) {
      return n_cosed::Word::unpack(seen[0].lo) == word ? Verdict::done : Verdict::pending;
    };
    co_await world_->verbs(me).await_remote(wait);
  }

  Task<void> one_turn(ClientId me) {
    const OneTurn turn = turns_[me.value];
    co_await until(me, turn.asks_at);
    const Want want{world_->lock(LockId{0}), turn.mode};
    const AcquireResult got = co_await world_->client(me).acquire(want, {});
    const Grant grant = std::get<Grant>(got);
    seen_.order.push_back(me.value);
    seen_.modes.push_back(grant.mode);
    co_await until(me, turn.leaves_at);
    co_await world_->client(me).release(grant);
  }

  std::vector<OneTurn> turns_;
  std::unique_ptr<Protocol> protocol_;
  std::unique_ptr<World> world_;
  std::unique_ptr<Backend> backend_;
  SceneEnd seen_;
};

void expect_played(const SceneEnd& end, std::uint64_t seed) {
  ASSERT_EQ(end.end, RunEnd::finished) << "seed " << seed << ": " << end.entry;
  EXPECT_EQ(end.entry, "free") << "seed " << seed;
}

TEST(n_cosed, hands_over_from_writer_to_writer_by_two_messages) {
  const std::vector<OneTurn> turns = {{kX, Word{0, 0}, Word{2, 0}}, {kX, Word{1, 0}, Word{2, 0}}};
  for (std::uint64_t seed = 1; seed <= seeds(100); ++seed) {
    const SceneEnd end = Scene(turns, seed).play();
    expect_played(end, seed);
    EXPECT_EQ(end.order, (Order{0, 1}));
    EXPECT_EQ(end.sends, 2U) << "a request and a Grant";
    EXPECT_EQ(end.calls, 0U);
    // One CAS of the first writer, two of the second, its release, and perhaps a release that
    // fails.
    EXPECT_GE(end.atomics, 4U);
    EXPECT_LE(end.atomics, 5U);
  }
}

TEST(n_cosed, leaves_readers_with_no_writer_behind_them_to_the_home_node) {
  const std::vector<OneTurn> turns = {
      {kX, Word{0, 0}, Word{1, 2}}, {kS, Word{1, 0}, Word{0, 2}}, {kS, Word{1, 1}, Word{0, 2}}};
  for (std::uint64_t seed = 1; seed <= seeds(100); ++seed) {
    const SceneEnd end = Scene(turns, seed).play();
    expect_played(end, seed);
    EXPECT_EQ(end.order.front(), 0U);
    EXPECT_EQ(end.sends, 4U) << "a request and a Grant for each";
    EXPECT_EQ(end.calls, 2U) << "each tells the home";
    EXPECT_EQ(end.atomics, 5U) << "CAS, two FAA, a CAS (1, 0) that fails, CAS (1, 2)";
  }
}

TEST(n_cosed, makes_the_readers_between_two_writers_notify_the_second_writer) {
  const std::vector<OneTurn> turns = {{kX, Word{0, 0}, Word{4, 0}},
                                      {kS, Word{1, 0}, Word{4, 0}},
                                      {kS, Word{1, 1}, Word{4, 0}},
                                      {kX, Word{1, 2}, Word{4, 0}}};
  for (std::uint64_t seed = 1; seed <= seeds(100); ++seed) {
    const SceneEnd end = Scene(turns, seed).play();
    expect_played(end, seed);
    EXPECT_EQ(end.order.front(), 0U);
    EXPECT_EQ(end.order.back(), 3U);
    EXPECT_EQ(end.sends, 8U) << "three requests, three Grants, two Releases";
    EXPECT_EQ(end.calls, 0U);
  }
}

TEST(n_cosed, makes_a_writer_wait_at_the_home_node_for_the_readers_before_it) {
  const std::vector<OneTurn> turns = {
      {kS, Word{0, 0}, Word{3, 0}}, {kS, Word{0, 1}, Word{3, 0}}, {kX, Word{0, 2}, Word{3, 0}}};
  for (std::uint64_t seed = 1; seed <= seeds(100); ++seed) {
    const SceneEnd end = Scene(turns, seed).play();
    expect_played(end, seed);
    EXPECT_EQ(end.order.back(), 2U);
    EXPECT_EQ(end.sends, 0U);
    EXPECT_EQ(end.calls, 3U) << "two releases, and one that waits for both";
    EXPECT_EQ(end.atomics, 5U) << "two FAA, CAS that fails, CAS, release";
  }
}

// The third reader finds two readers before it: it acquires the lock like a writer, after they have
// released.
TEST(n_cosed, treats_a_reader_beyond_the_limit_as_a_writer) {
  const std::vector<OneTurn> turns = {
      {kS, Word{0, 0}, Word{3, 0}}, {kS, Word{0, 1}, Word{3, 0}}, {kS, Word{0, 2}, Word{3, 0}}};
  const ParamValues narrow = {{"shared_limit", number(2)}};
  for (std::uint64_t seed = 1; seed <= seeds(100); ++seed) {
    const SceneEnd end = Scene(turns, seed, narrow).play();
    expect_played(end, seed);
    EXPECT_EQ(end.order.back(), 2U);
    EXPECT_EQ(end.modes.back(), kX);
    EXPECT_EQ(end.calls, 4U) << "its share is given back before it asks again";
  }
}

// As printed, the count carries into the tail, and a writer asks a client that does not use the
// lock.
TEST(n_cosed, loses_the_lock_when_the_count_of_readers_overflows) {
  LATCHLAB_NEEDS_EXPLORER("a run that is stuck");
  const Word full{0, ~0U};
  const std::vector<OneTurn> turns = {{kS, full, Word{1, 0}}, {kX, Word{1, 0}, Word{2, 0}}};
  Scene scene(turns, 1, {{"shared_limit", number(0)}});
  scene.poke(full);
  const SceneEnd end = scene.play();
  EXPECT_EQ(end.end, RunEnd::stuck);
  EXPECT_EQ(end.entry, "tail=client 1") << "the writer has queued up behind client 0";
  EXPECT_EQ(end.order, (Order{0}));
}

// ---- single clients ----

// One client that takes the lock in one mode after the other.
RunSetup one_client(std::vector<LockMode> modes) {
  RunSetup setup = crowd("n_cosed", "reconstructed");
  setup.client_nodes = 1;
  setup.section = [modes](ClientId, std::uint64_t count, const World& world, Section& section) {
    if (count >= modes.size()) return false;
    section.wants.push_back(Want{world.lock(LockId{0}), modes[count]});
    return true;
  };
  return setup;
}

TEST(n_cosed, does_not_wait_at_the_home_node_for_readers_that_have_released) {
  RunSetup setup = one_client({kS, kX});
  setup.params = {{"home_reset", false}};
  Outcome outcome;
  const Labels taken = reached_in(setup, 1, outcome);
  EXPECT_THAT(taken, Contains("a writer asks the home"));
  EXPECT_THAT(taken, Not(Contains("a writer waits at home")));
}

#if LATCHLAB_WITH_SIMGRID

struct Failure {
  std::vector<AbortReason> reasons;
  std::uint64_t verbs = 0;
};

// The word counts as many readers as are allowed. The server crashes when the client has made so
// many calls.
Failure when_the_server_dies(LockMode mode, std::uint32_t calls) {
  Failure seen;
  RunSetup setup = one_client({mode});
  setup.params = {{"shared_limit", number(1)}};
  setup.make = plain_simulation;
  setup.wrap = [&seen](LockClient& inner) {
    return std::make_unique<Resigned>(inner, seen.reasons);
  };
  CaseRun run(setup, 1);
  const RemoteAddr entry = run.world().lock(LockId{0}).entry;
  run.backend().poke(entry, n_cosed::Word{0, 1}.packed());
  bool dead = false;
  for (int i = 0; i < 100; ++i) {
    run.backend().at(Time{} + nanoseconds(100) * i, [&] {
      if (dead || run.world().verbs(ClientId{0}).tally().calls < calls) return;
      run.backend().hardware_faults()->crash_node(entry.node);
      dead = true;
    });
  }
  const Outcome outcome = run.go();
  EXPECT_TRUE(dead);
  EXPECT_EQ(outcome.end, RunEnd::finished);
  EXPECT_EQ(outcome.acquired, 0U);
  seen.verbs = outcome.tally.one_sided();
  return seen;
}

void expect_told(LockMode mode, std::uint32_t calls, std::uint64_t verbs, const char* which) {
  const Failure failure = when_the_server_dies(mode, calls);
  EXPECT_THAT(failure.reasons, ElementsAre(AbortReason::server_failed));
  EXPECT_EQ(failure.verbs, verbs) << which;
}
TEST(timed, n_cosed_readers_report_a_failed_server) {
  expect_told(kS, 0, 1, "an FAA");
}
TEST(timed, n_cosed_writers_report_a_failed_server) {
  expect_told(kX, 0, 1, "a CAS");
}
TEST(timed, n_cosed_readers_beyond_the_limit_send_a_failed_server_no_further_request) {
  expect_told(kS, 1, 1, "an FAA");
}
TEST(timed, n_cosed_writers_that_wait_at_the_home_node_report_a_failed_server) {
  expect_told(kX, 1, 2, "a CAS that finds the reader, and one over it");
}
#endif

}  // namespace
}  // namespace latchlab::testing

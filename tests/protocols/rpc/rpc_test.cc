// The rpc lock in the explorer and in the simulator.

#include "tests/non_empty.h"
#include "tests/protocols/marks.h"
#include "tests/protocols/meeting.h"
#include "tests/protocols/served.h"
#include "tests/protocols/timed.h"

namespace latchlab::testing {
namespace {

using ::testing::Contains;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::MatchesRegex;
using ::testing::Not;
using ::testing::UnorderedElementsAre;

TEST(rpc, keeps_writers_alone_and_all_clients_finish) {
  expect_sound(mixed("rpc"), 200);
  expect_sound_unseen("rpc");
}

TEST(rpc, admits_several_readers) {
  RunSetup setup = mixed("rpc");
  setup.shared_percent = 100;
  if (on_hardware()) setup.hold = milliseconds(2);
  std::uint64_t most = 0;
  for (std::uint64_t seed = 1; seed <= seeds(50); ++seed)
    most = std::max(most, run(setup, seed).most_inside);
  EXPECT_GT(most, 1U);
}

TEST(rpc, takes_two_calls_and_no_verb_for_a_free_pair) {
  expect_two_calls_when_free("rpc");
}

TEST(rpc, calls_again_for_each_refusal) {
  RunSetup setup = mixed("rpc");
  if (on_hardware()) setup.hold = milliseconds(2);
  std::uint64_t more = 0;
  for (std::uint64_t seed = 1; seed <= seeds(50); ++seed) {
    const Outcome outcome = run(setup, seed);
    ASSERT_GE(outcome.tally.calls, 2 * outcome.acquired);
    more += outcome.tally.calls - 2 * outcome.acquired;
    EXPECT_EQ(outcome.tally.one_sided() + outcome.tally.sends, 0U);
  }
  EXPECT_GT(more, 0U);
}

TEST(rpc, pauses_after_a_refusal_if_configured) {
  RunSetup setup = crowd("rpc");
  setup.params = {{"retry_pause", microseconds(1)}};
  expect_reached(setup, {"a refused client pauses"});
  expect_sound(setup, 50);
}

TEST(rpc, gives_up_at_the_deadline_without_the_lock) {
  expect_deadlines_kept(mixed("rpc"), {.to_give_up = 1});
}

// ---- the artifact's guards ----

RunSetup artifact(std::int64_t threads) {
  RunSetup setup = mixed("rpc");
  setup.params = {{"guards", text("per_thread")}, {"threads", number(threads)}};
  return setup;
}

TEST(rpc, grants_a_writer_beside_a_reader_with_a_guard_per_thread) {
  LATCHLAB_NEEDS_EXPLORER("searches for an order");
  const auto wrong = [](const Outcome& outcome) { return outcome.safety.violations > 0; };
  EXPECT_NE(first_seed(artifact(1), 50, wrong), 0U);
}

TEST(rpc, is_sound_with_a_guard_per_thread_and_a_thread_for_each_client) {
  expect_sound(artifact(4), 200);
}

// Each client reads first and then writes. Returns whether both are writers at once: what each
// `takes` and `leaves` second is its section as a writer.
bool two_writers_inside(const Outcome& outcome) {
  std::size_t taken[2] = {};
  std::size_t inside = 0;
  for (const std::string& line : outcome.log) {
    const std::size_t client = line.front() == '0' ? 0 : 1;
    if (line.find("takes") != std::string::npos && ++taken[client] == 2 && ++inside == 2)
      return true;
    if (line.find("leaves") != std::string::npos && taken[client] == 2) --inside;
  }
  return false;
}

TEST(rpc, grants_two_writers_with_a_guard_per_thread) {
  LATCHLAB_NEEDS_EXPLORER("searches for an order");
  RunSetup setup = artifact(1);
  setup.clients_per_node = 1;
  setup.section = [](ClientId, std::uint64_t count, const World& world, Section& section) {
    if (count >= 2) return false;
    const LockMode mode = count == 0 ? LockMode::shared : LockMode::exclusive;
    section.wants.push_back(Want{world.lock(LockId{0}), mode});
    section.work.hold = nanoseconds(20);
    return true;
  };
  EXPECT_NE(first_seed(setup, 500, two_writers_inside), 0U);
  setup.params = {};
  EXPECT_EQ(first_seed(setup, 500, two_writers_inside), 0U);
}

// The profile has more threads than these worlds have clients.
TEST(rpc, is_sound_as_ported_with_few_clients) {
  RunSetup setup = mixed("rpc");
  setup.profile = "shiftlock_artifact";
  expect_sound(setup, 100);
  setup.client_nodes = setup.clients_per_node = 1;
  const Outcome outcome = run(setup, 1);
  EXPECT_EQ(outcome.tally.calls, 2 * outcome.acquired);
}

TEST(rpc, breaks_as_ported_when_a_thread_has_two_clients) {
  LATCHLAB_NEEDS_EXPLORER("searches for an order");
  RunSetup setup = mixed("rpc");
  setup.profile = "shiftlock_artifact";
  setup.client_nodes = 48;
  setup.clients_per_node = 1;
  setup.section = [](ClientId client, std::uint64_t count, const World& world, Section& section) {
    if (count >= 3 || client.value % 47 != 0) return false;
    const LockMode mode = count == 1 ? LockMode::exclusive : LockMode::shared;
    section.wants.push_back(Want{world.lock(LockId{0}), mode});
    section.work.hold = nanoseconds(20);
    return true;
  };
  const auto wrong = [](const Outcome& outcome) { return outcome.safety.violations > 0; };
  EXPECT_NE(first_seed(setup, 200, wrong), 0U) << "clients 0 and 47";
  setup.params = {{"guards", text("per_acquisition")}};
  EXPECT_EQ(first_seed(setup, 200, wrong), 0U);
}

// ---- what every lock is tested for ----

TEST(rpc, stays_held_after_its_holder_crashes) {
  expect_taken_by_the_dead("rpc");
}

TEST(rpc, takes_ordinary_paths_under_contention) {
  expect_paths(crowd("rpc"),
               {"a reader is let in", "a writer is let in", "a reader is refused",
                "a writer is refused", "a refused client asks again at once",
                "a reader leaves other readers holding", "a release frees the lock"},
               {"a client gives up at its deadline", "a refused client pauses",
                "a reader's guard replaces that of another", "a release finds no guard",
                "the server fails an acquire", "the server fails a release"});
}

#if LATCHLAB_WITH_SIMGRID
TEST(timed, rpc_is_sound) {
  expect_sound_run(timed("rpc", "paper"));
}
TEST(timed, rpc_is_sound_with_pauses_and_decodes_its_holders) {
  RunSetup setup = timed("rpc", "paper");
  setup.params = {{"retry_pause", microseconds(2)}, {"show", true}};
  expect_sound_run(setup);
}
TEST(timed, rpc_reports_a_failed_server) {
  expect_failure_of_the_server_told("rpc");
}
#endif

RunSetup alone(std::uint32_t shared_percent) {
  RunSetup setup = crowd("rpc");
  setup.client_nodes = 1;
  setup.shared_percent = shared_percent;
  return setup;
}

TEST(rpc, reports_waits_for_readers_and_for_writers_apart) {
  Outcome outcome;
  EXPECT_THAT(reached_in(alone(100), 1, outcome),
              UnorderedElementsAre("a reader is let in", "a release frees the lock"));
  EXPECT_THAT(reached_in(alone(0), 1, outcome),
              UnorderedElementsAre("a writer is let in", "a release frees the lock"));
  RunSetup writers = crowd("rpc");
  writers.shared_percent = 0;
  EXPECT_THAT(reached_by_crowd(writers), Not(Contains("a reader is refused")));
}

TEST(rpc, reports_replaced_and_missed_guards_with_a_guard_per_thread) {
  RunSetup setup = crowd("rpc");
  setup.params = {{"guards", text("per_thread")}, {"threads", number(1)}};
  expect_reached(setup, {"a reader's guard replaces that of another", "a release finds no guard"});
}

TEST(rpc, counts_pauses_among_retries) {
  LATCHLAB_NEEDS_EXPLORER("asks for every way through");
  EXPECT_THAT(phases_of(alone(50)), ElementsAre("acquire IA", "release IA"));
  RunSetup setup = crowd("rpc");
  setup.params = {{"retry_pause", microseconds(1)}};
  EXPECT_THAT(non_empty(phases_of(setup)), Each(MatchesRegex("acquire IA( RT RT)*|release IA")));
}

TEST(rpc, decodes_the_holders_from_the_first_word_alone) {
  const ProtocolEntry& entry = *find_protocol("rpc");
  const auto protocol = entry.make(entry.small_params());
  const std::uint64_t held_and_next[] = {1, 0};
  const std::uint64_t free_and_next[] = {0, 1};
  EXPECT_EQ(protocol->decode({held_and_next, 1}), "writers=1 readers=0 waiting=0");
  EXPECT_EQ(protocol->decode({free_and_next, 1}), "free");
}

// One client acquires in shared mode twice and releases once: the lock is still held by a reader.
Task<void> read_twice(World& world, std::vector<std::string>* seen) {
  LockClient& client = world.client(ClientId{0});
  Verbs& verbs = world.verbs(ClientId{0});
  const LockRef lock = world.lock(LockId{0});
  std::vector<Grant> grants;
  const auto look = [&](std::uint64_t word) {
    seen->push_back(world.protocol().decode({&word, 1}));
  };
  for (const std::uint32_t id : {0U, 1U}) {
    const AcquireResult result =
        co_await client.acquire(Want{lock, LockMode::shared, {}, GrantId{id}}, {});
    grants.push_back(std::get<Grant>(result));
  }
  const Completion both = co_await verbs.read(lock.entry);
  look(both.value.lo);
  for (const Grant& grant : grants) {
    co_await client.release(grant);
    const Completion left = co_await verbs.read(lock.entry);
    look(left.value.lo);
  }
}

TEST(rpc, distinguishes_two_grants_of_one_client) {
  const ProtocolEntry& entry = *find_protocol("rpc");
  const auto protocol = entry.make(entry.small_params());
  World world(*protocol, {});
  const auto backend = make_world(world.plan(), *protocol, {});
  world.attach(*backend);
  std::vector<std::string> seen;
  backend->spawn(world.verbs(ClientId{0}), read_twice(world, &seen), Time{});
  EXPECT_EQ(backend->run_until(end_of_run(kNever)), RunEnd::finished);
  EXPECT_THAT(
      seen, ElementsAre("writers=0 readers=2 waiting=0", "writers=0 readers=1 waiting=0", "free"));
}

#if LATCHLAB_WITH_SIMGRID
// The pause ends with the deadline.
TEST(timed, rpc_does_not_ask_again_at_its_deadline) {
  Meeting meeting;
  meeting.leaves = false;
  meeting.patience = microseconds(100);
  meet("rpc", {{"retry_pause", milliseconds(1)}}, 1, meeting, plain_simulation);
  EXPECT_FALSE(meeting.entered);
  EXPECT_EQ(meeting.took, microseconds(100));
}
#endif

}  // namespace
}  // namespace latchlab::testing

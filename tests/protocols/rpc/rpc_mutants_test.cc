// Tests that catch small faults in the rpc lock which no other test detects.

#include "tests/non_empty.h"
#include "tests/protocols/marks.h"
#include "tests/protocols/meeting.h"
#include "tests/protocols/timed.h"

namespace latchlab::testing {
namespace {

using ::testing::Contains;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::MatchesRegex;
using ::testing::Not;
using ::testing::UnorderedElementsAre;

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

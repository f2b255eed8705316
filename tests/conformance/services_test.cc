// Clocks, random numbers, shared state of the node, allocation, eviction.

#include "tests/conformance/broken.h"

namespace latchlab::conformance {
namespace {

class Services : public Conformance {};
LATCHLAB_EVERY_BACKEND(Services);

TEST_P(Services, clock_never_runs_backwards) {
  Verbs& client = add_client();
  run_alone(client, [](Verbs& verbs) -> Task<void> {
    Time last = verbs.now();
    for (int i = 0; i < 20; ++i) {
      if (i % 2 == 0) co_await verbs.read(on_server(0));
      if (i % 2 == 1) co_await verbs.sleep(nanoseconds(10));
      EXPECT_GE(verbs.now(), last);
      last = verbs.now();
    }
  }(client));
}

TEST_P(Services, sleep_lasts_at_least_its_length_on_the_clients_own_clock) {
  LATCHLAB_NEEDS(Capability::timing);
  for (const NodeId node : {kHere, kThere}) {
    Verbs& client = add_client(node);
    spawn(client, [](Verbs& verbs) -> Task<void> {
      for (std::int64_t ns = 1; ns < 10'000'000; ns *= 7) {
        const Time begin = verbs.now();
        co_await verbs.sleep(nanoseconds(ns));
        EXPECT_GE(verbs.now() - begin, nanoseconds(ns));
      }
      const Time begin = verbs.now();
      co_await verbs.compute(microseconds(3));
      EXPECT_GT(verbs.now(), begin);
    }(client));
  }
  EXPECT_EQ(run(), RunEnd::finished);
}

TEST_P(Services, empty_sleep_ends) {
  Verbs& client = add_client();
  run_alone(client, [](Verbs& verbs) -> Task<void> {
    co_await verbs.sleep(Duration{});
    co_await verbs.compute(Duration{});
  }(client));
}

TEST_P(Services, synchronised_clock_is_right_within_its_error) {
  LATCHLAB_NEEDS(Capability::synchronised_clock);
  Verbs& client = add_client();
  run_alone(client, [](Verbs& verbs, Backend& backend) -> Task<void> {
    for (int i = 0; i < 20; ++i) {
      const Time begin = backend.true_now();
      const SynchronisedTime shown = co_await verbs.synchronised_now();
      EXPECT_GE(shown.date + shown.error, begin);
      EXPECT_LE(shown.date - shown.error, backend.true_now());
    }
  }(client, world()));
}

TEST_P(Services, random_numbers_stay_below_their_bound_and_differ_between_clients) {
  Verbs& one = add_client();
  Verbs& two = add_client();
  int equal = 0;
  for (int i = 0; i < 64; ++i) {
    const std::uint64_t mine = one.random(1000);
    const std::uint64_t theirs = two.random(1000);
    EXPECT_LT(mine, 1000U);
    EXPECT_LT(theirs, 1000U);
    equal += mine == theirs ? 1 : 0;
  }
  EXPECT_LT(equal, 16);
}

// The stream belongs to (seed, client): in every backend client 0 of seed 7 gets the same numbers.
TEST_P(Services, random_stream_depends_on_seed_and_client_alone) {
  Verbs& client = add_client();
  Rng expected(7, 0, StreamPurpose::protocol);
  for (int i = 0; i < 10; ++i) EXPECT_EQ(client.random(1U << 30), expected.below(1U << 30));
}

TEST_P(Services, accesses_to_the_state_of_a_node_exclude_each_other) {
  LATCHLAB_NEEDS(Capability::node_state);
  int count = 0;
  for (int i = 0; i < 4; ++i) {
    Verbs& client = add_client();
    spawn(client, [](Verbs& verbs, int& shared) -> Task<void> {
      for (int round = 0; round < 10; ++round) {
        co_await verbs.on_node([counter = &shared] { ++*counter; });
      }
    }(client, count));
  }
  EXPECT_EQ(run(), RunEnd::finished);
  EXPECT_EQ(count, 40);
}

TEST_P(Services, allocated_memory_is_zeroed_aligned_and_disjoint) {
  LATCHLAB_NEEDS(Capability::allocate);
  set_image([](NodeId, std::uint64_t, std::span<std::uint64_t> words) {
    for (std::uint64_t& word : words) word = 1;
  });
  Verbs& client = add_client();
  run_alone(client, [](Verbs& verbs) -> Task<void> {
    const Allocation first = co_await verbs.allocate(kServer, 24);
    const Allocation second = co_await verbs.allocate(kServer, 8192);
    EXPECT_EQ(first.status, VerbStatus::ok);
    EXPECT_EQ(first.addr.offset % 64, 0U);
    EXPECT_EQ(second.addr.offset % 64, 0U);
    EXPECT_GE(first.addr.offset, kBytes);
    EXPECT_GE(second.addr.offset, first.addr.offset + 24);
    const Completion fresh = co_await verbs.read(second.addr + 8184);
    EXPECT_EQ(fresh.value.lo, 0U);
    const Completion written = co_await verbs.write(first.addr, 5);
    EXPECT_TRUE(written.ok());
    const Completion untouched = co_await verbs.read(second.addr);
    EXPECT_EQ(untouched.value.lo, 0U);
  }(client));
}

// Memory that one client allocates during the run is accessible to the client that gets its
// address.
Task<void> allocate_for_others(Verbs& verbs, EndpointAddr other) {
  for (std::uint64_t i = 1; i <= 4; ++i) {
    const Allocation made = co_await verbs.allocate(i % 2 == 0 ? kServer : kThere, 4096);
    EXPECT_EQ(made.status, VerbStatus::ok);
    for (const std::uint64_t at : {0, 2048, 4088}) co_await verbs.write(made.addr + at, i);
    Message message;
    message.words = {made.addr.packed(), i, 0};
    const VerbStatus sent = co_await verbs.send(other, message);
    EXPECT_EQ(sent, VerbStatus::ok);
  }
}
Task<void> read_allocated(Verbs& verbs, EndpointAddr own) {
  std::vector<Message> told;
  for (int i = 0; i < 4; ++i) {
    const WaitOutcome got = co_await verbs.receive(own, {});
    told.push_back(got.message);
  }
  for (const Message& message : told) {
    const ReadWords seen = co_await verbs.read_words(RemoteAddr::unpack(message.words[0]), 4096);
    EXPECT_TRUE(seen.ok());
    if (!seen.ok()) continue;
    EXPECT_EQ(seen[0], message.words[1]);
    EXPECT_EQ(seen[256], message.words[1]);
    EXPECT_EQ(seen[511], message.words[1]);
  }
}
void others_use_what_is_allocated(Bench& bench) {
  Verbs& maker = bench.add_client();
  Verbs& user = bench.add_client(kThere);
  const EndpointAddr inbox = user.open_endpoint(4);
  bench.spawn(maker, allocate_for_others(maker, inbox));
  bench.spawn(user, read_allocated(user, inbox));
  EXPECT_EQ(bench.run(), RunEnd::finished);
}
TEST_P(Services, allocated_memory_is_accessible_to_other_clients) {
  LATCHLAB_NEEDS(Capability::allocate);
  LATCHLAB_NEEDS(Capability::reliable_messages);
  others_use_what_is_allocated(*this);
}
TEST(BrokenServices, allocations_that_overlap_are_detected) {
  Fault small;
  small.posting = [](Operation& first, Verbs&) {
    if (first.kind == OpKind::allocate) first.length.ps = 1024;
  };
  EXPECT_EQ(worlds_noticed(small, others_use_what_is_allocated), static_cast<int>(kExplorerSeeds));
}

TEST_P(Services, nothing_of_an_evicted_client_lands_afterwards) {
  LATCHLAB_NEEDS(Capability::evict);
  Verbs& victim = add_client(kThere);
  Verbs& judge = add_client();
  bool over = false;
  spawn(victim, [](Verbs& verbs, const bool& done) -> Task<void> {
    bool refused = false;
    while (!done) {
      const Completion result = co_await verbs.fetch_add(on_server(8), 1);
      refused = !result.ok();
      if (refused) co_await verbs.sleep(microseconds(1));
    }
    EXPECT_TRUE(refused);
  }(victim, over));
  spawn(judge, [](Verbs& verbs, bool& done) -> Task<void> {
    co_await verbs.sleep(microseconds(20));
    co_await verbs.evict(ClientId{0});
    const Completion then = co_await verbs.read(on_server(8));
    for (int i = 0; i < 30; ++i) co_await verbs.read(on_server(0));
    const Completion later = co_await verbs.read(on_server(8));
    EXPECT_EQ(then.value.lo, later.value.lo);
    co_await verbs.sleep(microseconds(20));
    done = true;
  }(judge, over));
  EXPECT_EQ(run(), RunEnd::finished);
}

}  // namespace
}  // namespace latchlab::conformance

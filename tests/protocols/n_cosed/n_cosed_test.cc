// The N-CoSED lock in the explorer and in the simulator.

#include "core/protocols/n_cosed/word.h"
#include "tests/modes.h"
#include "tests/non_empty.h"
#include "tests/protocols/marks.h"
#include "tests/protocols/meeting.h"
#include "tests/protocols/promises.h"
#include "tests/protocols/served.h"
#include "tests/protocols/timed.h"

namespace latchlab::testing {
namespace {

using ::testing::AnyOf;
using ::testing::Contains;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

RunSetup n_cosed_case() {
  RunSetup setup;
  setup.protocol = "n_cosed";
  setup.profile = "reconstructed";
  setup.client_nodes = 3;
  setup.operations = 4;
  setup.shared_percent = 50;
  return setup;
}

TEST(n_cosed, excludes_by_mode_and_all_clients_finish) {
  for (const std::uint32_t shared : {0, 20, 50, 80, 100}) {
    RunSetup setup = n_cosed_case();
    setup.shared_percent = shared;
    expect_sound(setup, 150);
  }
}

TEST(n_cosed, is_sound_if_the_home_node_does_not_reset_the_count) {
  RunSetup setup = n_cosed_case();
  setup.params = {{"home_reset", false}};
  expect_sound(setup, 200);
}

TEST(n_cosed, is_sound_when_readers_run_into_the_limit) {
  for (const std::int64_t limit : {1, 2}) {
    RunSetup setup = n_cosed_case();
    setup.params = {{"shared_limit", number(limit)}};
    setup.shared_percent = 90;
    expect_sound(setup, 200);
  }
}

TEST(n_cosed, admits_readers_together) {
  LATCHLAB_NEEDS_EXPLORER("searches for an order");
  RunSetup setup = n_cosed_case();
  setup.shared_percent = 100;
  EXPECT_GT(first_seed(setup, 100, [](const Outcome& o) { return o.most_inside >= 4; }), 0U);
}

TEST(n_cosed, takes_two_atomics_and_no_message_for_a_free_pair_of_a_writer) {
  RunSetup setup = n_cosed_case();
  setup.client_nodes = setup.clients_per_node = 1;
  setup.shared_percent = 0;
  const Outcome outcome = run(setup, 1);
  EXPECT_EQ(outcome.end, RunEnd::finished);
  EXPECT_EQ(outcome.tally.of(VerbKind::cas), 2 * outcome.acquired);
  EXPECT_EQ(outcome.tally.one_sided(), 2 * outcome.acquired);
  EXPECT_EQ(outcome.tally.sends + outcome.tally.calls, 0U);
}

TEST(n_cosed, takes_an_atomic_and_a_call_for_a_free_pair_of_a_reader) {
  RunSetup setup = n_cosed_case();
  setup.client_nodes = setup.clients_per_node = 1;
  setup.shared_percent = 100;
  const Outcome outcome = run(setup, 1);
  EXPECT_EQ(outcome.end, RunEnd::finished);
  EXPECT_EQ(outcome.tally.of(VerbKind::faa), outcome.acquired);
  EXPECT_EQ(outcome.tally.one_sided(), outcome.acquired);
  EXPECT_EQ(outcome.tally.calls, outcome.acquired);
  EXPECT_EQ(outcome.tally.sends, 0U);
}

// A reader, then a writer, without contention.
TEST(n_cosed, asks_the_home_node_about_released_readers_unless_it_has_freed_the_word) {
  for (const bool frees : {true, false}) {
    RunSetup setup = n_cosed_case();
    setup.client_nodes = setup.clients_per_node = 1;
    setup.params = {{"home_reset", frees}};
    setup.section = [](ClientId, std::uint64_t count, const World& world, Section& section) {
      section.wants.resize(1);
      section.wants[0].lock = world.lock(LockId{0});
      section.wants[0].mode = count == 0 ? LockMode::shared : LockMode::exclusive;
      return count < 2;
    };
    const Outcome outcome = run(setup, 1);
    EXPECT_EQ(outcome.end, RunEnd::finished);
    EXPECT_EQ(outcome.acquired, 2U);
    EXPECT_EQ(outcome.tally.calls, frees ? 1U : 2U);
    EXPECT_EQ(outcome.entry, "free");
  }
}

// Both locks are held in one section, in either mode: no client accepts a message about the other
// lock, and the RECVs suffice for both.
TEST(n_cosed, keeps_messages_of_locks_held_together_apart) {
  RunSetup setup = n_cosed_case();
  setup.clients_per_node = 1;
  setup.locks = 2;
  setup.params = {{"max_held", number(2)}};
  setup.section = [](ClientId client, std::uint64_t count, const World& world, Section& section) {
    if (count >= 4) return false;
    section.wants.resize(2);
    for (std::uint64_t i = 0; i < 2; ++i) {
      section.wants[i].lock = world.lock(LockId{i});
      const bool reads = hash_of(client.value, count, i) % 2 == 0;
      section.wants[i].mode = reads ? LockMode::shared : LockMode::exclusive;
    }
    return true;
  };
  expect_sound(setup, 200);
}

// A writer notices a deadline that has passed while its CAS fails, and leaves nothing behind. A
// client that has joined the queue stays in it.
TEST(n_cosed, lets_a_writer_give_up_only_before_it_is_queued) {
  LATCHLAB_NEEDS_EXPLORER("counts over many orders");
  RunSetup setup = n_cosed_case();
  setup.impatient = true;
  std::uint64_t aborted = 0;
  std::uint64_t acquired = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    const Outcome outcome = run(setup, seed);
    ASSERT_TRUE(outcome.safe()) << "seed " << seed << ": " << outcome.violation;
    ASSERT_EQ(outcome.end, RunEnd::finished) << "seed " << seed;
    ASSERT_TRUE(outcome.free) << "seed " << seed << ": " << outcome.entry;
    aborted += outcome.aborted;
    acquired += outcome.acquired;
  }
  EXPECT_GT(aborted, 0U);
  EXPECT_GT(acquired, 0U);
  const auto protocol = find_protocol("n_cosed")->make(params_of(setup, *find_protocol("n_cosed")));
  EXPECT_FALSE(protocol->limits().abortable);
}

TEST(n_cosed, leaves_clients_behind_a_crashed_holder_waiting) {
  expect_taken_by_the_dead("n_cosed");
}

TEST(n_cosed, looks_free_after_all_clients_have_released) {
  expect_free_when_all_have_gone(crowd("n_cosed"));
}

TEST(n_cosed, distinguishes_a_free_word_from_one_in_use) {
  using n_cosed::Word;
  EXPECT_TRUE(is_free("n_cosed", {Word{0, 0}.packed()}));
  EXPECT_FALSE(is_free("n_cosed", {Word{0, 1}.packed()}));
  EXPECT_FALSE(is_free("n_cosed", {Word{1, 0}.packed()}));
}

TEST(n_cosed, decodes_its_word) {
  const ProtocolEntry& entry = *find_protocol("n_cosed");
  const auto protocol = entry.make(entry.info.resolve("reconstructed"));
  const auto text_of = [&](n_cosed::Word word) {
    const std::uint64_t packed = word.packed();
    return protocol->decode({&packed, 1});
  };
  EXPECT_EQ(text_of({0, 0}), "free");
  EXPECT_EQ(text_of({0, 2}), "tail=none readers=2");
  EXPECT_EQ(text_of({4, 0}), "tail=client 3");
  EXPECT_EQ(text_of({4, 2}), "tail=client 3 readers=2");
}

// The RECVs of a client hold all messages that other clients may have in flight to it.
TEST(n_cosed, posts_two_recvs_for_each_other_client_and_lock) {
  const ProtocolEntry& entry = *find_protocol("n_cosed");
  ParamSet params = entry.info.resolve("reconstructed");
  params.set("max_held", number(3));
  const auto protocol = entry.make(params);
  Shape shape;
  shape.clients = 8;
  EXPECT_EQ(protocol->layout(shape).client_endpoint.recvs, 2U * 7 * 3);
  EXPECT_EQ(protocol->limits().held_at_once, 3U);
}

TEST(n_cosed, takes_ordinary_paths_under_contention) {
  expect_paths(crowd("n_cosed"),
               {"a reader enters at once", "a reader asks the tail", "a writer finds the word free",
                "a writer asks the tail", "a writer asks the home",
                "a writer waits for the readers before it", "a writer's CAS finds something else",
                "a writer knows its successor", "a writer waits for a late successor",
                "a writer hands on to readers and the next writer",
                "a writer leaves its readers to the home", "a writer leaves the word free",
                "a reader tells the home", "a reader tells the writer after it",
                "the home frees the word", "a writer waits at home"},
               {"a request cannot be delivered", "a Grant cannot be delivered",
                "a Release cannot be delivered", "the server fails a reader",
                "the server fails a writer", "the server fails a release"});
}

// Writers queue behind each other: the tail tells which client came last. Two readers come after
// them.
TEST(fifo, n_cosed_serves_writers_in_order_of_arrival_and_before_later_readers) {
  constexpr std::uint32_t kWriters = 3;
  expect_order_of_arrival(
      "n_cosed",
      [](const Words& entry, std::uint32_t count) {
        const auto word = n_cosed::Word::unpack(entry.lo);
        if (count <= kWriters) return count == 0 || word.tail == count;
        return word == n_cosed::Word{kWriters, count - kWriters};
      },
      kWriters);
}

#if LATCHLAB_WITH_SIMGRID
TEST(timed, n_cosed_is_sound) {
  expect_sound_run(timed("n_cosed", "reconstructed"));
}
TEST(timed, n_cosed_is_sound_with_the_timeout_of_dslr) {
  expect_sound_run(timed("n_cosed", "dslr_paper"));
}
// The timeout is so short that no CAS follows one that fails.
TEST(timed, n_cosed_times_out_writers_that_are_not_queued) {
  RunSetup setup = timed("n_cosed", "dslr_paper");
  setup.params = {{"timeout", nanoseconds(1)}};
  const Outcome outcome = run(setup, 1);
  EXPECT_EQ(outcome.safety.violations, 0U) << outcome.violation;
  EXPECT_EQ(outcome.end, RunEnd::finished) << outcome.entry;
  EXPECT_GT(outcome.aborted, 0U);
  EXPECT_GT(outcome.acquired, 0U);
}
#endif

TEST(n_cosed, begins_each_acquisition_with_its_first_atomic) {
  LATCHLAB_NEEDS_EXPLORER("asks for every way through");
  EXPECT_THAT(non_empty(phases_of(crowd("n_cosed"))),
              Each(AnyOf(StartsWith("acquire IA"), StartsWith("release"))));
}

TEST(n_cosed, reports_no_waits_of_or_for_readers_among_writers) {
  LATCHLAB_NEEDS_EXPLORER("asks for every way through");
  RunSetup writers = crowd("n_cosed");
  writers.shared_percent = 0;
  EXPECT_THAT(non_empty(phases_of(writers)), Each(Not(HasSubstr("WW"))));
  const Labels taken = reached_by_crowd(writers);
  EXPECT_THAT(taken, Not(Contains("a writer waits at home")));
  EXPECT_THAT(taken, Not(Contains("a writer hands on to readers and the next writer")));
}

TEST(n_cosed, reports_the_wait_for_readers_at_the_home_node) {
  LATCHLAB_NEEDS_EXPLORER("asks for every way through");
  RunSetup setup = crowd("n_cosed");
  setup.client_nodes = 1;
  setup.params = {{"home_reset", false}};
  EXPECT_THAT(phases_of(setup), Contains("acquire IA RT WR"));
}

// The first CAS of the writer finds a reader.
TEST(n_cosed, lets_a_writer_give_up_at_its_deadline_and_not_before) {
  LATCHLAB_NEEDS_EXPLORER("counts steps, of a nanosecond each");
  const auto met = [](Duration patience) {
    Meeting meeting;
    meeting.holder = kS;
    meeting.patience = patience;
    meet("n_cosed", {}, 1, meeting);
    return meeting;
  };
  const Meeting at_once = met({});
  EXPECT_FALSE(at_once.entered);
  EXPECT_FALSE(met(at_once.took).entered);
  EXPECT_TRUE(met(at_once.took + nanoseconds(1)).entered);
}

TEST(n_cosed, needs_clocks_if_and_only_if_a_timeout_is_set) {
  expect_clocks_needed_for_a_timeout("n_cosed");
}

TEST(n_cosed, times_out_after_two_dslr_leases_as_in_the_dslr_paper) {
  const ProtocolInfo& info = find_protocol("n_cosed")->info;
  EXPECT_EQ(info.longest_timeout(info.resolve("dslr_paper")), milliseconds(20));
  EXPECT_EQ(info.longest_timeout(info.resolve("reconstructed")), Duration{});
}

// If all clients count once beyond the limit, the count must not carry into the tail.
TEST(n_cosed, refuses_more_clients_than_its_reader_count_can_hold) {
  const ProtocolEntry& entry = *find_protocol("n_cosed");
  const ParamSet params = entry.info.resolve("reconstructed");
  const auto limit = static_cast<std::uint64_t>(params.integer("shared_limit"));
  EXPECT_EQ(limit + entry.make(params)->limits().max_clients, ~0U);
}

}  // namespace
}  // namespace latchlab::testing

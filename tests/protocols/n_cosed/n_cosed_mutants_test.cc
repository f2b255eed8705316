// Tests that catch small faults in the n_cosed lock which no other test detects.

#include "core/protocols/n_cosed/word.h"
#include "tests/modes.h"
#include "tests/non_empty.h"
#include "tests/protocols/marks.h"
#include "tests/protocols/meeting.h"
#include "tests/protocols/served.h"

namespace latchlab::testing {
namespace {

using ::testing::AnyOf;
using ::testing::Contains;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

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

TEST(n_cosed, does_not_wait_at_the_home_node_for_readers_that_have_released) {
  RunSetup setup = one_client({kS, kX});
  setup.params = {{"home_reset", false}};
  Outcome outcome;
  const Labels taken = reached_in(setup, 1, outcome);
  EXPECT_THAT(taken, Contains("a writer asks the home"));
  EXPECT_THAT(taken, Not(Contains("a writer waits at home")));
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

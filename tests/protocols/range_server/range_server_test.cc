// The common part of locks whose ranges a server's CPU keeps: in the explorer, and in the
// simulator, where each step through a structure takes time.

#include "tests/protocols/range_server/range_server.h"

#include <fstream>

#include "tests/paths.h"
#include "tests/protocols/marks.h"

namespace latchlab::range_server_tests {
namespace {

using ::testing::Contains;

class RangeServer : public ::testing::TestWithParam<const char*> {
 protected:
  static bool has_ranges() { return find_protocol(GetParam())->info.ranges; }
};

INSTANTIATE_TEST_SUITE_P(all, RangeServer,
                         ::testing::Values("list_cpu", "interval_tree", "maple_tree",
                                           "inode_mutex"),
                         [](const auto& made) { return std::string(made.param); });

TEST_P(RangeServer, excludes_exactly_the_ranges_that_overlap) {
  std::uint64_t most = 0;
  for (std::uint64_t seed = 1; seed <= seeds(200); ++seed) {
    const Outcome outcome = run(stretches(GetParam(), 2), seed);
    ASSERT_EQ(outcome.end, RunEnd::finished) << "seed " << seed << ": " << outcome.entry;
    ASSERT_TRUE(outcome.safe()) << outcome.violation;
    ASSERT_EQ(outcome.entry, "free");
    ASSERT_EQ(outcome.acquired, 12U);
    most = std::max(most, outcome.most_inside);
  }
  if (!on_hardware()) {
    EXPECT_EQ(most, has_ranges() ? 2U : 1U);
  }
}

TEST_P(RangeServer, is_sound_if_clients_want_the_whole_object_in_any_mode) {
  expect_sound(mixed(GetParam()), 200);
  expect_sound_unseen(GetParam());
}

TEST_P(RangeServer, takes_two_calls_and_no_verb_for_a_free_pair) {
  expect_two_calls_when_free(GetParam());
}

TEST_P(RangeServer, takes_no_more_calls_under_contention) {
  for (std::uint64_t seed = 1; seed <= seeds(50); ++seed) {
    const Outcome outcome = run(stretches(GetParam(), 3), seed);
    EXPECT_EQ(outcome.tally.calls, 2 * outcome.acquired);
    EXPECT_EQ(outcome.tally.one_sided() + outcome.tally.sends, 0U);
  }
}

TEST_P(RangeServer, gives_up_at_the_deadline_without_the_lock) {
  expect_deadlines_kept(mixed(GetParam()), {.for_a_pair = {2, 3}, .to_give_up = 2});
}

// Some ranges block others.
TEST_P(RangeServer, leaves_nothing_behind_when_clients_give_up_ranges) {
  RunSetup setup = stretches(GetParam(), 2);
  const auto section = setup.section;
  setup.section = [section](ClientId client, std::uint64_t count, const World& world,
                            Section& each) {
    each.options.deadline = world.verbs(client).now();
    return section(client, count, world, each);
  };
  std::uint64_t given_up = 0;
  for (std::uint64_t seed = 1; seed <= seeds(200); ++seed) {
    const Outcome outcome = run(setup, seed);
    ASSERT_EQ(outcome.end, RunEnd::finished) << "seed " << seed;
    ASSERT_TRUE(outcome.safe()) << outcome.violation;
    ASSERT_EQ(outcome.entry, "free") << "seed " << seed;
    ASSERT_EQ(outcome.acquired + outcome.aborted, 12U);
    given_up += outcome.aborted;
  }
  EXPECT_GT(given_up, 0U);
}

TEST_P(RangeServer, stays_held_after_its_holder_crashes) {
  expect_taken_by_the_dead(GetParam());
}

TEST_P(RangeServer, looks_free_after_all_clients_have_released) {
  expect_free_when_all_have_gone(crowd(GetParam()));
}

TEST_P(RangeServer, takes_ordinary_paths_under_contention) {
  expect_paths(crowd(GetParam()),
               {"a range is granted at once", "a range has to wait",
                "a release grants to no client", "a release grants to waiting clients"},
               {"a client gives up at its deadline", "a client stops waiting",
                "a withdrawal crosses its grant", "a withdrawal overtakes its request",
                "a withdrawn request arrives", "the server fails a call"});
}

TEST_P(RangeServer, withdraws_before_and_after_its_turn) {
  RunSetup setup = crowd(GetParam());
  setup.impatient = true;
  expect_reached(setup, {"a client gives up at its deadline", "a client stops waiting",
                         "a withdrawal crosses its grant", "a withdrawal overtakes its request",
                         "a withdrawn request arrives"});
}

TEST_P(RangeServer, reports_that_a_client_waited_at_the_server) {
  LATCHLAB_NEEDS_EXPLORER("asks for every way through");
  EXPECT_THAT(phases_of(crowd(GetParam())), Contains("acquire IA WP"));
}

// Steps suspend the handler, and there are several objects at once.
TEST_P(RangeServer, is_sound_while_handlers_walk_the_structure) {
  RunSetup setup = mixed(GetParam());
  setup.locks = 2;
  setup.params = {{"step", nanoseconds(1)}, {"handler", nanoseconds(1)}};
  expect_sound(setup, 100);
  setup = stretches(GetParam(), 2);
  setup.params = {{"step", nanoseconds(1)}};
  expect_sound(setup, 100);
}

// The default is listed with its source among the constants.
TEST_P(RangeServer, takes_its_step_time_from_the_models) {
  std::ifstream in(LATCHLAB_SOURCE_DIR "/models/cpu/range-structures.yaml");
  std::string line, value;
  for (bool here = false; std::getline(in, line);) {
    if (!line.empty() && line[0] != ' ') here = line == std::string(GetParam()) + ":";
    const std::size_t at = line.find("value: ");
    if (here && at != std::string::npos) value = line.substr(at + 7);
  }
  const ParamSpec& step = *find_protocol(GetParam())->info.find_param("step");
  const Duration fallback = std::get<Duration>(step.fallback);
  EXPECT_EQ(value, std::to_string(fallback.ps / 1000) + "ns");
}

#if LATCHLAB_WITH_SIMGRID

constexpr Duration kCallService = nanoseconds(250);

class TimedRangeServer : public RangeServer {
 protected:
  // Client i asks for its range at its time and holds it for so long.
  struct Visit {
    Duration at;
    Extent extent;
    Duration hold;
  };
  static RunSetup visits(std::vector<Visit> all, Duration step, std::int32_t cores = 1) {
    RunSetup setup;
    setup.protocol = GetParam();
    setup.profile = "citron_baseline";
    setup.params = {{"step", step}};
    setup.client_nodes = static_cast<std::uint32_t>(all.size());
    setup.clients_per_node = 1;
    setup.section = [all](ClientId client, std::uint64_t count, const World& world,
                          Section& section) {
      const Visit& visit = all[client.value];
      want(world, section, 0, LockMode::exclusive, visit.extent);
      section.arrived = Time{} + visit.at;
      section.work.hold = visit.hold;
      return count == 0;
    };
    setup.make = [cores](const WorldPlan& plan) {
      SimgridOptions options = plain_options();
      options.clocks = {};
      options.nic.jitter = Duration{};
      options.nic.call_service = kCallService;
      options.nic.server_cores = cores;
      return make_simgrid(plan, options);
    };
    return setup;
  }
  // The same, but clients from this one on want an object each.
  static RunSetup apart(RunSetup setup, std::uint32_t from) {
    const auto section = setup.section;
    setup.locks = setup.client_nodes;
    setup.section = [section, from](ClientId client, std::uint64_t count, const World& world,
                                    Section& each) {
      const bool more = section(client, count, world, each);
      if (client.value >= from) each.wants[0].lock = world.lock(LockId{client.value});
      return more;
    };
    return setup;
  }
  // From the request to the grant.
  static Duration waited(const Outcome& outcome, std::uint32_t client) {
    std::optional<Time> asked;
    const std::string who = std::to_string(client);
    for (std::size_t i = 0; i < outcome.log.size(); ++i) {
      if (outcome.log[i].rfind(who + " asks for", 0) == 0) asked = outcome.when[i];
      if (outcome.log[i].rfind(who + " takes", 0) == 0) return outcome.when[i] - *asked;
    }
    ADD_FAILURE() << "client " << client << " never gets it";
    return {};
  }
};

INSTANTIATE_TEST_SUITE_P(all, TimedRangeServer,
                         ::testing::Values("list_cpu", "interval_tree", "maple_tree",
                                           "inode_mutex"),
                         [](const auto& made) { return std::string(made.param); });

class TimedRanges : public TimedRangeServer {};

INSTANTIATE_TEST_SUITE_P(all, TimedRanges,
                         ::testing::Values("list_cpu", "interval_tree", "maple_tree"),
                         [](const auto& made) { return std::string(made.param); });

TEST_P(TimedRangeServer, is_sound) {
  expect_sound_run(timed(GetParam(), "citron_baseline"));
}
TEST_P(TimedRangeServer, is_sound_and_decodes_its_holders) {
  RunSetup setup = timed(GetParam(), "citron_baseline");
  setup.params = {{"show", true}, {"handler", nanoseconds(100)}};
  expect_sound_run(setup);
}
TEST_P(TimedRangeServer, reports_a_failed_server) {
  expect_failure_of_the_server_told(GetParam());
}

// Disjoint ranges are held at once, and a client that wants units of two of them waits for the
// later one.
TEST_P(TimedRanges, grants_a_client_that_waits_for_two_when_the_last_one_releases) {
  const RunSetup setup = visits({{microseconds(10), {0, 4}, microseconds(100)},
                                 {microseconds(10), {4, 4}, microseconds(200)},
                                 {microseconds(50), {3, 2}, microseconds(1)},
                                 {microseconds(50), {8, 1}, microseconds(1)}},
                                nanoseconds(10));
  const Outcome outcome = run(setup, 1);
  EXPECT_TRUE(outcome.safe()) << outcome.violation;
  EXPECT_LT(waited(outcome, 0), microseconds(5));
  EXPECT_LT(waited(outcome, 1), microseconds(5));
  EXPECT_LT(waited(outcome, 3), microseconds(5));
  EXPECT_GT(waited(outcome, 2), microseconds(160));
  EXPECT_LT(waited(outcome, 2), microseconds(175));
}

// Two clients ask at once, each for an object of its own, at a server with one core.
TEST_P(TimedRangeServer, keeps_the_core_for_the_handler_and_for_each_step) {
  RunSetup setup = apart(
      visits({{microseconds(10), {0, 4}, {}}, {microseconds(10), {0, 4}, {}}}, nanoseconds(30)), 0);
  setup.params.emplace_back("handler", nanoseconds(100));
  const Outcome outcome = run(setup, 1);
  const Duration first = std::min(waited(outcome, 0), waited(outcome, 1));
  const Duration second = std::max(waited(outcome, 0), waited(outcome, 1));
  EXPECT_EQ(second - first, kCallService + nanoseconds(130)) << "one step with no client there";
}

// Eight ranges are held: a list is walked to its end, and trees down to their leaves. The last
// client finds an unused object.
TEST_P(TimedRanges, pays_for_the_walk_through_the_structure) {
  std::vector<TimedRangeServer::Visit> all;
  for (std::uint64_t i = 0; i < 8; ++i)
    all.push_back(
        {microseconds(50) * static_cast<std::int64_t>(i + 1), {2 * i, 1}, milliseconds(1)});
  all.push_back({microseconds(600), {100, 1}, {}});
  all.push_back({microseconds(700), {100, 1}, {}});
  const Outcome outcome = run(apart(visits(all, nanoseconds(100)), 9), 1);
  const Duration more = waited(outcome, 8) - waited(outcome, 9);
  const std::string name = GetParam();
  if (name == "list_cpu") {
    EXPECT_EQ(more, nanoseconds(800)) << "nine against one";
  } else if (name == "maple_tree") {
    EXPECT_EQ(more, nanoseconds(200)) << "the leaf, another leaf and a root, against a leaf";
  } else {
    EXPECT_EQ(more, nanoseconds(500)) << "the root, then four nodes and its own, against its own";
  }
}

// Four clients ask for disjoint ranges at once, at a server with four cores.
TEST_P(TimedRanges, walks_lists_on_all_cores_and_trees_on_one) {
  std::vector<TimedRangeServer::Visit> all;
  for (std::uint64_t i = 0; i < 4; ++i)
    all.push_back({microseconds(10), {4 * i, 1}, milliseconds(2)});
  const Outcome outcome = run(visits(all, microseconds(100), 4), 1);
  Duration longest;
  for (std::uint32_t i = 0; i < 4; ++i) longest = std::max(longest, waited(outcome, i));
  if (GetParam() == std::string("list_cpu")) {
    EXPECT_LT(longest, microseconds(410)) << "up to three others, and its own";
  } else {
    EXPECT_GT(longest, microseconds(400)) << "one after the other";
  }
}

// Requests for different objects do not wait for each other.
TEST_P(TimedRangeServer, handles_two_objects_at_once) {
  const RunSetup setup = visits({{microseconds(10), {0, 4}, {}}, {microseconds(10), {0, 4}, {}}},
                                microseconds(100), 2);
  const Outcome outcome = run(apart(setup, 0), 1);
  EXPECT_GT(waited(outcome, 0), microseconds(100));
  EXPECT_LT(waited(outcome, 0), microseconds(110));
  EXPECT_LT(waited(outcome, 1), microseconds(110));
}

#endif

}  // namespace
}  // namespace latchlab::range_server_tests

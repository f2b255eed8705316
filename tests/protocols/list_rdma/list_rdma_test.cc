// The list of ranges: exclusion, costs, and what remains in the list.

#include "tests/protocols/deadlines.h"
#include "tests/protocols/list_rdma/ranges.h"
#include "tests/protocols/promises.h"
#include "tests/protocols/sections.h"
#include "tests/protocols/timed.h"

namespace latchlab::list_rdma_tests {
namespace {

using namespace testing;
using ::testing::Contains;
using ::testing::Not;

constexpr Extent kWhole{};
constexpr Extent kLastUnit{~0ULL, 1};

// ---- exclusion ----

TEST(list_rdma, excludes_exactly_the_ranges_that_overlap) {
  expect_sound(ranges({{0, 4}, {2, 4}, {4, 4}, {7, 1}}), 300);
  EXPECT_GE(most_inside(ranges({{0, 4}, {2, 4}, {4, 4}})), on_hardware() ? 1U : 2U);
  EXPECT_EQ(most_inside(ranges({{0, 4}, {3, 1}, {2, 6}})), 1U);
}

TEST(list_rdma, grants_adjacent_ranges_together) {
  LATCHLAB_NEEDS_EXPLORER("counts who is inside at once");
  EXPECT_EQ(most_inside(ranges({{0, 4}, {4, 4}})), 2U);
  EXPECT_EQ(most_inside(ranges({{0, 4}, {3, 4}})), 1U);
}

TEST(list_rdma, locks_the_first_and_the_last_unit) {
  expect_sound(ranges({kWhole, kLastUnit, {0, 1}}), 200);
  expect_sound(ranges({{1, ~0ULL - 1}, kLastUnit, {~0ULL - 1, 2}}), 200);
  EXPECT_EQ(most_inside(ranges({kWhole, kLastUnit})), 1U);
  EXPECT_EQ(most_inside(ranges({{0, 1}, {1, ~0ULL - 1}})), on_hardware() ? 1U : 2U);
}

TEST(list_rdma, is_sound_with_many_ranges_in_any_order) {
  for (const char* first_look : {"read", "cas"})
    for (const bool fast_path : {true, false})
      for (const int nodes : {1, 2, 3}) {
        std::vector<Extent> some;
        for (std::uint64_t i = 0; i < 7; ++i) some.push_back({mix64(i) % 12, 1 + mix64(~i) % 4});
        RunSetup setup = ranges(some, 6);
        setup.params = {
            {"nodes", number(nodes)}, {"fast_path", fast_path}, {"first_look", text(first_look)}};
        expect_sound(setup, 100);
      }
}

TEST(list_rdma, treats_readers_as_writers) {
  RunSetup setup;
  setup.protocol = "list_rdma";
  setup.shared_percent = 100;
  EXPECT_EQ(most_inside(setup), 1U);
}

TEST(list_rdma, keeps_lists_and_their_nodes_apart) {
  RunSetup setup;
  setup.protocol = "list_rdma";
  setup.params = {{"nodes", number(1)}, {"fast_path", false}};
  setup.locks = 4;
  setup.servers = 2;
  setup.operations = 6;
  expect_sound(setup, 200);
}

// ---- cost ----

// One client, these ranges one after the other.
VerbTally verbs_for(std::vector<Extent> extents, ParamValues params = {}) {
  const std::uint64_t sections = extents.size();
  RunSetup setup = alone(ranges(std::move(extents), sections));
  setup.params = std::move(params);
  const Outcome outcome = run(setup, 1);
  EXPECT_EQ(outcome.end, RunEnd::finished);
  EXPECT_EQ(outcome.acquired, sections);
  EXPECT_TRUE(outcome.safe()) << outcome.violation;
  return outcome.tally;
}
struct Spent {
  std::uint64_t reads, writes, cas, faa;
  bool operator==(const Spent&) const = default;
};
std::ostream& operator<<(std::ostream& out, const Spent& spent) {
  return out << spent.reads << " READs, " << spent.writes << " WRITEs, " << spent.cas << " CAS, "
             << spent.faa << " FAA";
}
Spent spent_on(const std::vector<Extent>& extents, const ParamValues& params = {}) {
  const VerbTally tally = verbs_for(extents, params);
  return {tally.of(VerbKind::read), tally.of(VerbKind::write), tally.of(VerbKind::cas),
          tally.of(VerbKind::faa)};
}

TEST(list_rdma, takes_and_empties_an_empty_list_by_a_cas_each) {
  EXPECT_EQ(spent_on({{4, 2}}), (Spent{1, 2, 2, 0}));
  EXPECT_EQ(spent_on({{4, 2}, {0, 1}, kWhole}), (Spent{3, 6, 6, 0}));
}

TEST(list_rdma, saves_a_read_where_it_takes_the_list_for_empty) {
  EXPECT_EQ(spent_on({{4, 2}, {0, 1}}, {{"first_look", text("cas")}}), (Spent{0, 4, 4, 0}));
}

TEST(list_rdma, leaves_its_node_to_the_next_without_the_fast_path) {
  const ParamValues plain = {{"fast_path", false}};
  EXPECT_EQ(spent_on({{4, 2}}, plain), (Spent{1, 2, 1, 1}));
  // It looks at the node that was released and takes it out.
  EXPECT_EQ(spent_on({{4, 2}, {4, 2}}, plain), (Spent{3, 4, 3, 2}));
}

// A client unlinks the released nodes on its way; a node that is not behind its new range is out of
// the list.
TEST(list_rdma, finds_nodes_to_reuse) {
  std::vector<Extent> some;
  for (std::uint64_t i = 0; i < 9; ++i) some.push_back({mix64(i) % 9, 1});
  const ParamValues two = {{"fast_path", false}, {"nodes", number(2)}};
  EXPECT_EQ(spent_on(some, two), (Spent{9 + 8, 18, 9 + 8, 9}));
}

// Its only node is in the list of another lock: it READs the head and the node, and unlinks it.
TEST(list_rdma, walks_the_list_that_still_holds_its_node) {
  RunSetup setup;
  setup.protocol = "list_rdma";
  setup.params = {{"fast_path", false}, {"nodes", number(1)}};
  setup.locks = 3;
  setup.section = [](ClientId, std::uint64_t count, const World& world, Section& section) {
    if (count < 3) want(world, section, count, LockMode::exclusive, {4, 1});
    return count < 3;
  };
  const VerbTally tally = run(alone(setup), 1).tally;
  EXPECT_EQ(tally.of(VerbKind::read), 3U + 2 * 2);
  EXPECT_EQ(tally.of(VerbKind::cas), 3U + 2);
  EXPECT_EQ(tally.of(VerbKind::faa), 3U);
  setup.params.back().second = number(3);
  EXPECT_EQ(run(alone(setup), 1).tally.of(VerbKind::read), 3U);
}

// A client that holds several ranges at once, ascending or descending.
RunSetup several(std::uint64_t count, bool ascending) {
  RunSetup setup;
  setup.protocol = "list_rdma";
  setup.params = {{"nodes", number(16)}};
  setup.section = [=](ClientId, std::uint64_t done, const World& world, Section& section) {
    for (std::uint64_t i = 0; i < count; ++i)
      want(world, section, 0, LockMode::exclusive, {2 * (ascending ? i : count - i), 1});
    return done == 0;
  };
  return alone(setup);
}

// The n-th range, counted from 0, is behind n held ones, each of which costs a READ. The first
// range was alone at first, which costs a CAS of the next client and one of its release.
TEST(list_rdma, reads_each_node_ahead_of_its_range) {
  for (const std::uint64_t count : {1U, 2U, 5U, 16U}) {
    const VerbTally tally = run(several(count, true), 1).tally;
    EXPECT_EQ(tally.of(VerbKind::read), count + count * (count - 1) / 2) << count;
    EXPECT_EQ(tally.of(VerbKind::write), 2 * count);
    EXPECT_EQ(tally.of(VerbKind::cas), count == 1 ? 2U : count + 2U);
  }
}
TEST(list_rdma, reads_only_the_first_node_behind_its_range) {
  for (const std::uint64_t count : {2U, 5U, 16U})
    EXPECT_EQ(run(several(count, false), 1).tally.of(VerbKind::read), 2 * count - 1) << count;
}

// ---- what remains ----

TEST(list_rdma, leaves_only_released_nodes_in_the_list) {
  LATCHLAB_NEEDS_EXPLORER("reads the list");
  std::size_t left = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    CaseRun run(ranges({{0, 2}, {1, 2}, {4, 2}, {7, 1}}), seed);
    const Outcome outcome = run.go();
    ASSERT_EQ(outcome.end, RunEnd::finished);
    EXPECT_TRUE(outcome.free) << outcome.entry;
    const std::vector<InList> list = list_of(run);
    left += list.size();
    for (std::size_t i = 0; i < list.size(); ++i) {
      EXPECT_TRUE(list[i].marked) << "seed " << seed;
      if (i == 0) continue;
      EXPECT_LT(list[i - 1].range.last, list[i].range.first) << "seed " << seed;
    }
  }
  EXPECT_GT(left, 0U);
}

TEST(list_rdma, is_usable_after_deadlines) {
  expect_usable_after_deadlines([] {
    RunSetup setup;
    setup.protocol = "list_rdma";
    return setup;
  }());
}

TEST(list_rdma, leaves_clients_that_need_a_crashed_client_s_range_waiting) {
  LATCHLAB_NEEDS_EXPLORER("searches for an order");
  RunSetup setup = ranges({{0, 4}, {2, 4}});
  setup.dies = {0};
  EXPECT_GT(first_seed(setup, 50, [](const Outcome& o) { return o.end == RunEnd::stuck; }), 0U);
}
TEST(list_rdma, grants_ranges_beside_a_crashed_client_s_range) {
  RunSetup setup = ranges({{0, 4}, {4, 4}, {8, 4}, {12, 4}}, 1);
  setup.dies = {1};
  expect_sound(setup, 200);
}

// The head does not show whether the first node is held, unless that node is alone.
TEST(list_rdma, decodes_its_first_node) {
  const std::uint64_t alone = list_rdma::Link{true, {10, 3}, 0}.packed();
  const std::uint64_t first = list_rdma::Link{false, {16, 1}, 0}.packed();
  EXPECT_TRUE(is_free("list_rdma", {0}));
  EXPECT_TRUE(is_free("list_rdma", {first}));
  EXPECT_FALSE(is_free("list_rdma", {alone}));
  const ProtocolEntry& entry = *find_protocol("list_rdma");
  const auto made = entry.make(entry.info.resolve("repaired"));
  EXPECT_EQ(made->decode(std::vector<std::uint64_t>{0}), "empty");
  EXPECT_EQ(made->decode(std::vector{alone}), "alone: client 1 node 1 generation 3");
  EXPECT_EQ(made->decode(std::vector{first}), "first: client 1 node 7 generation 1");
}

TEST(list_rdma, has_room_for_the_nodes_of_all_clients) {
  const ProtocolEntry& entry = *find_protocol("list_rdma");
  ParamSet params = entry.info.resolve("repaired");
  Shape shape;
  shape.clients = 192;
  EXPECT_EQ(entry.make(params)->layout(shape).server_bytes, 192U * 8 * 32);
  EXPECT_EQ(entry.make(params)->limits().held_at_once, 8U);
  EXPECT_EQ(entry.make(params)->limits().max_clients, 65535U);
  params.set("nodes", std::int64_t{64});
  EXPECT_EQ(entry.make(params)->limits().max_clients, 8191U);
}

TEST(list_rdma, takes_ordinary_paths_under_contention) {
  RunSetup setup = ranges({{0, 4}, {2, 4}, {4, 4}, {8, 1}}, 6);
  setup.params = {{"nodes", number(2)}};
  expect_paths(
      setup,
      {"a range is linked in", "a walk passes a node", "a walk takes out a node that was released",
       "a client waits for a node in its way", "a client joins one that is alone",
       "a client that is alone leaves before another comes",
       "a client that is alone empties the list", "a client that was alone is so no more",
       "a node is marked as released", "another client changes a link before a range is linked in",
       "another client changes a link before a node is taken out",
       "a walk begins anew, as the node that it has reached was released",
       "a client walks along a list for its own nodes"},
      {"the server fails an acquire", "the server fails a release",
       "the server fails a client that needs a node", "a client takes the list for empty",
       "a client gives up at its deadline"});
}

#if LATCHLAB_WITH_SIMGRID
// CITRON's setup: 192 clients on 3 machines, an object of 2^28 units. Each client holds its range
// for about a millisecond, so that nearly all hold ranges at once: half of these are ahead of a new
// range.
RunSetup citrons_crowd() {
  RunSetup setup;
  setup.protocol = "list_rdma";
  setup.profile = "repaired";
  setup.client_nodes = 3;
  setup.clients_per_node = 64;
  setup.make = plain_simulation;
  setup.section = [](ClientId client, std::uint64_t count, const World& world, Section& section) {
    const std::uint64_t dice = hash_of(1, client.value, count);
    want(world, section, 0, LockMode::exclusive, {dice % (1ULL << 28U), 16});
    section.work.hold = nanoseconds(500'000 + static_cast<std::int64_t>(mix64(dice) % 1'000'000));
    return count < 10;
  };
  return setup;
}
TEST(timed, list_rdma_makes_many_clients_walk_past_its_holders) {
  const Outcome outcome = run(citrons_crowd(), 1);
  EXPECT_EQ(outcome.end, RunEnd::finished);
  EXPECT_TRUE(outcome.safe()) << outcome.violation;
  const auto per_range = [&](std::uint64_t verbs) {
    return static_cast<double>(verbs) / static_cast<double>(outcome.acquired);
  };
  EXPECT_GT(outcome.most_inside, 150U);
  EXPECT_GT(per_range(outcome.tally.of(VerbKind::read)), 50);
  EXPECT_LT(per_range(outcome.tally.of(VerbKind::read)), 110);
  EXPECT_GT(per_range(outcome.tally.of(VerbKind::cas)), 2);  // to link and to unlink
  EXPECT_LT(per_range(outcome.tally.of(VerbKind::cas)), 8);
}
TEST(timed, list_rdma_is_sound) {
  expect_sound_run(timed("list_rdma", "repaired"));
}
TEST(timed, list_rdma_is_sound_with_ranges) {
  RunSetup setup = ranges({{0, 4}, {2, 4}, {4, 4}, {8, 1}, {3, 9}}, 50);
  setup.make = plain_simulation;
  setup.profile = "repaired";
  expect_sound_run(setup);
}
#endif

}  // namespace
}  // namespace latchlab::list_rdma_tests

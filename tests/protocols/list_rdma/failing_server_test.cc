// What a client does when a server fails at any of its verbs.

#include "tests/protocols/faulty.h"
#include "tests/protocols/list_rdma/ranges.h"
#include "tests/protocols/promises.h"

namespace latchlab::list_rdma_tests {
namespace {

using namespace testing;

struct Calls {
  std::uint64_t failing = 0;  // the number of the verb that fails, from 1 on; earlier ones succeed
  std::uint64_t verbs = 0;
  std::vector<bool> acquired;
};

Task<void> take_twice(World& world, FaultyClient& client, Calls& calls) {
  for (const std::uint64_t first : {4, 2, 0}) {
    const Want want{world.lock(LockId{0}), LockMode::exclusive, {first, 1}, GrantId{}};
    const AcquireResult result = co_await client->acquire(want, {});
    calls.acquired.push_back(std::holds_alternative<Grant>(result));
    if (calls.acquired.back()) {
      const Grant grant = std::get<Grant>(result);
      co_await client->release(grant);
    } else {
      EXPECT_EQ(std::get<Aborted>(result).reason, AbortReason::server_failed);
    }
  }
}

// One verb fails, and later ones do not.
Calls with_failing(std::uint64_t verb, int nodes, bool fast_path) {
  const ProtocolEntry& entry = *find_protocol("list_rdma");
  ParamSet params = entry.info.resolve("repaired");
  params.set("nodes", std::int64_t{nodes});
  params.set("fast_path", fast_path);
  const auto protocol = entry.make(params);
  WorldShape shape;
  shape.client_nodes = 1;
  World world(*protocol, shape);
  const auto backend = make_world(world.plan(), *protocol, ExplorerOptions{});
  world.attach(*backend);
  Calls calls;
  calls.failing = verb;
  FaultyClient client(world, ClientId{0}, [&calls](const Operation& op) {
    if (op.kind != OpKind::verb || ++calls.verbs != calls.failing)
      return std::optional<VerbStatus>();
    return std::optional(VerbStatus::peer_failed);
  });
  backend->spawn(world.verbs(ClientId{0}), take_twice(world, client, calls), Time{});
  EXPECT_EQ(backend->run_until(end_of_run(kNever)), RunEnd::finished) << "verb " << verb;
  return calls;
}

TEST(list_rdma_failing_server, is_reported_at_every_verb) {
  LATCHLAB_NEEDS_EXPLORER("counts verbs");
  for (const bool fast_path : {true, false})
    for (const int nodes : {1, 8}) {
      const std::uint64_t all = with_failing(0, nodes, fast_path).verbs;
      std::uint64_t refused = 0;
      paths::forget();
      paths::record(true);
      for (std::uint64_t verb = 1; verb <= all; ++verb)
        for (const bool acquired : with_failing(verb, nodes, fast_path).acquired)
          if (!acquired) ++refused;
      paths::record(false);
      EXPECT_GE(refused, all - 3);  // except the three that release
      Labels told = {"the server fails an acquire", "the server fails a release"};
      if (nodes == 1) told.emplace_back("the server fails a client that needs a node");
      EXPECT_THAT(labels("list_rdma", true), ::testing::IsSupersetOf(told));
    }
}

// The CAS may have linked the node into the list, and then no client owns it: it must not be
// reused.
TEST(list_rdma_failing_server, does_not_reuse_a_node_that_may_be_in_the_list) {
  LATCHLAB_NEEDS_EXPLORER("counts verbs");
  const std::vector<bool> none = {false, false, false};
  EXPECT_EQ(with_failing(4, 1, true).acquired, none);
  const std::vector<bool> others = {false, true, true};
  EXPECT_EQ(with_failing(4, 2, true).acquired, others);
  EXPECT_EQ(with_failing(1, 1, true).acquired, others);  // a READ: it is in no list
}

// A READ of the head, one of the node, and the CAS that unlinks it: if any of them fails, the walk
// ends.
TEST(list_rdma_failing_server, ends_a_walk_that_looks_for_a_node_to_reuse) {
  LATCHLAB_NEEDS_EXPLORER("counts verbs");
  const std::uint64_t before = 4 + 1;  // to acquire and to release the first range
  const std::vector<bool> second = {true, false, true};
  for (std::uint64_t verb = before + 1; verb <= before + 3; ++verb) {
    EXPECT_EQ(with_failing(verb, 1, false).acquired, second) << "verb " << verb;
  }
}

}  // namespace
}  // namespace latchlab::list_rdma_tests

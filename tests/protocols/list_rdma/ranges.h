#pragma once
// Clients that want ranges of one object in turn, and the state of their list at the end.

#include <vector>

#include "core/protocols/list_rdma/client.h"
#include "tests/protocols/harness.h"

namespace latchlab::list_rdma_tests {

// In its n-th section client i wants range (i + n) of these, for so many sections.
inline testing::RunSetup ranges(std::vector<Extent> extents, std::uint64_t sections = 3) {
  testing::RunSetup setup;
  setup.protocol = "list_rdma";
  setup.section = [extents = std::move(extents), sections](ClientId client, std::uint64_t count,
                                                           const World& world, Section& section) {
    if (count >= sections) return false;
    const Extent& range = extents[(client.value + count) % extents.size()];
    section.wants.push_back(Want{world.lock(LockId{0}), LockMode::exclusive, range, GrantId{}});
    section.work.hold = nanoseconds(20);
    return true;
  };
  return setup;
}

struct InList {
  list_rdma::Range range;
  bool marked = false;
};

// The list of lock 0, from its first node on.
inline std::vector<InList> list_of(testing::CaseRun& run) {
  const RemoteAddr entry = run.world().lock(LockId{0}).entry;
  const RemoteAddr nodes = run.world().server_words(entry.node);
  std::vector<InList> found;
  list_rdma::Link link = list_rdma::Link::of(run.backend().peek(entry));
  while (!link.next.null()) {
    const RemoteAddr node = nodes + list_rdma::kNodeBytes * (link.next.index - 1);
    const list_rdma::NodeRef ref = link.next;
    link = list_rdma::Link::of(run.backend().peek(node + list_rdma::kNextAt));
    EXPECT_EQ(link.own, ref.generation);
    found.push_back({{run.backend().peek(node), run.backend().peek(node + 8)}, link.marked});
    if (found.size() > 1'000) return found;
  }
  return found;
}

}  // namespace latchlab::list_rdma_tests

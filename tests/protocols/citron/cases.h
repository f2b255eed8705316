#pragma once
// Timed searches of citron with one latency: a round trip takes 2 us.

#include <string>
#include <utility>
#include <vector>

#include "tools/explore/campaign.h"

namespace latchlab::citron_tests {

using Sets = std::vector<std::string>;
using Extents = std::vector<Extent>;

// Units [begin, end).
constexpr Extent from_to(std::uint64_t begin, std::uint64_t end) {
  return {begin, end - begin};
}

// The n-th range of client i is the extent i + n, taken cyclically.
inline explore::Campaign ranges(Extents extents, Duration hold, Sets sets = {},
                                std::uint32_t clients = 2, std::uint32_t operations = 1) {
  explore::Campaign campaign;
  campaign.base.protocol = "citron";
  campaign.base.extents = std::move(extents);
  campaign.base.sets = std::move(sets);
  campaign.base.operations = operations;
  campaign.base.modes.assign(clients, std::string(operations, 'X'));
  campaign.base.time = {{microseconds(1)}, {}, hold, {}, milliseconds(1)};
  campaign.clients = clients;
  campaign.placement = explore::Placement::spread;
  return campaign;
}
inline explore::Campaign with(explore::Campaign campaign, const Sets& sets) {
  campaign.base.sets.insert(campaign.base.sets.end(), sets.begin(), sets.end());
  return campaign;
}
inline explore::Campaign dying(explore::Campaign campaign) {
  campaign.base.crashes = 1;
  return with(campaign, {"t_wait=5us", "lease=20us", "poll_pause=9us"});
}

// ---- cases that need a repair; with the repair no violation is found ----

// Client 2, or client 1 after it, holds the root of a tree that grows. Then client 0 wants the root
// of the new tree.
inline explore::Campaign root_of_a_tree_that_grows() {
  explore::Campaign campaign = ranges({from_to(256, 300), from_to(0, 512), from_to(0, 256)},
                                      microseconds(60), {"scale_up_poll=1ns"}, 3, 2);
  campaign.base.modes = {"XX", "-X", "X-"};
  return campaign;
}
// Client 0 holds a leaf and wants the next one. Client 1 holds the node above both.
inline explore::Campaign node_above_two_leaves() {
  return ranges({from_to(60, 70), from_to(0, 256)}, microseconds(2), {"nodes=2"});
}
// Client 1 holds the second leaf of client 0's range, until client 0 takes the node above.
inline explore::Campaign leaf_that_cannot_be_had() {
  return ranges({from_to(60, 70), from_to(64, 74)}, microseconds(10), {"nodes=2"}, 2, 2);
}
// Client 1 waits at a node for a leaf below it, which is held for almost a lease.
inline explore::Campaign leaf_held_for_almost_a_lease() {
  return ranges({from_to(0, 10), from_to(0, 256), from_to(0, 256)}, microseconds(25),
                {"lock_children=false", "t_wait=5us", "lease=30us", "poll_pause=4us"}, 3);
}
// Clients 0 and 2 use the old m from before the change; client 1 does not.
inline explore::Campaign leaf_told_at_the_old_distance() {
  explore::Campaign campaign = ranges(
      {from_to(0, 10), from_to(512, 522), from_to(5, 15), from_to(0, 1024)}, microseconds(40),
      {"units=1024", "tune_after=3us", "tune_meet=1", "tune_t_wait=20us", "leaf_tries=1000"}, 3, 3);
  campaign.base.modes = {"X--", "X-X", "X--"};
  return campaign;
}

}  // namespace latchlab::citron_tests

#pragma once
// Clients whose ranges overlap the next client's.

#include "tests/protocols/harness.h"

namespace latchlab::static_segments_tests {

// Client i wants so many units, starting at unit i times `apart`, in three sections.
inline testing::RunSetup stretches(std::uint64_t units, std::uint64_t apart = 1) {
  testing::RunSetup setup;
  setup.protocol = "static_segments";
  setup.params = {{"units", testing::number(4)}};
  setup.section = [=](ClientId client, std::uint64_t count, const World& world, Section& section) {
    if (count >= 3) return false;
    const Extent range{client.value * apart, units};
    section.wants.push_back(Want{world.lock(LockId{0}), LockMode::exclusive, range, GrantId{}});
    section.work.hold = nanoseconds(20);
    return true;
  };
  return setup;
}

}  // namespace latchlab::static_segments_tests

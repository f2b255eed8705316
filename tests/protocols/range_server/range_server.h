#pragma once
// Clients of range locks that a server keeps.

#include "tests/protocols/sections.h"
#include "tests/protocols/served.h"

namespace latchlab::range_server_tests {

using namespace testing;

// Client i wants so many units, starting at unit i times `apart`, in three sections.
inline RunSetup stretches(const char* protocol, std::uint64_t units, std::uint64_t apart = 1) {
  RunSetup setup;
  setup.protocol = protocol;
  setup.section = [=](ClientId client, std::uint64_t count, const World& world, Section& section) {
    if (count >= 3) return false;
    const Extent range{client.value * apart, units};
    section.wants.push_back(Want{world.lock(LockId{0}), LockMode::exclusive, range, GrantId{}});
    section.work.hold = nanoseconds(20);
    return true;
  };
  return setup;
}

}  // namespace latchlab::range_server_tests

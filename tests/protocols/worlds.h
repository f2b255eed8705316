#pragma once
// The world in which tests of protocols run: the explorer or, if LATCHLAB_WORLD is set to it, the
// RDMA device of this machine. A test cannot choose an order on the device, so that one run is as
// good as hundreds, and no lease that a test sets is shorter than hardware_patience(), unless it
// must expire under its holder.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>

#include "backends/explorer/explorer_backend.h"
#include "core/protocols/lock.h"
#include "core/world/backend.h"
#if LATCHLAB_WITH_IBVERBS
#include "tests/conformance/hardware.h"
#endif

namespace latchlab {
#if !LATCHLAB_WITH_IBVERBS
inline bool on_hardware() {
  return false;
}
inline Duration hardware_patience() {
  return {};
}
#endif
}  // namespace latchlab

namespace latchlab::testing {

inline std::uint64_t seeds(std::uint64_t in_the_explorer) {
  return on_hardware() ? std::min<std::uint64_t>(in_the_explorer, 1) : in_the_explorer;
}

inline Time end_of_run(Time in_the_explorer) {
  return on_hardware() ? Time{} + seconds(60) : in_the_explorer;
}

// Ends the test here, because its world cannot run it.
[[noreturn]] inline void skip_test(const std::string& why) {
  GTEST_MESSAGE_(why.c_str(), ::testing::TestPartResult::kSkip);
  throw ::testing::AssertionException({::testing::TestPartResult::kSkip, nullptr, -1, ""});
}

inline std::unique_ptr<Backend> make_world(const WorldPlan& plan,
                                           [[maybe_unused]] const Protocol& protocol,
                                           const ExplorerOptions& options) {
#if LATCHLAB_WITH_IBVERBS
  if (on_hardware()) {
    auto world = hardware_world(plan, needs_software_atomics(protocol.needs(), atomics_here()));
    const std::string missing = world->capabilities().first_missing(protocol.needs());
    if (!missing.empty()) skip_test("needs capability " + missing);
    return world;
  }
#endif
  return make_explorer(plan, options);
}

}  // namespace latchlab::testing

#define LATCHLAB_NEEDS_EXPLORER(why)                                              \
  do {                                                                            \
    if (::latchlab::on_hardware()) GTEST_SKIP() << "needs the explorer: " << why; \
  } while (false)

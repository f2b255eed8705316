// Locks broken on purpose, on the RDMA device of this machine: what catches them in simulations
// catches them there. A crowd with sections far longer than a verb takes needs no chosen order.

#include <cstdio>
#include <ostream>

#include "core/protocols/common/planted.h"
#include "tests/protocols/harness.h"

namespace latchlab::testing {
namespace {

using planted::Bug;

struct Planted {
  Bug bug;
  const char* protocol;
  bool impatient = false;
  std::uint32_t shared_percent = 0;
};

std::ostream& operator<<(std::ostream& out, const Planted& planted) {
  return out << planted.protocol;
}

class HardwarePlanted : public ::testing::TestWithParam<Planted> {
 protected:
  void SetUp() override {
    if (!on_hardware()) GTEST_SKIP() << "needs an RDMA device and LATCHLAB_WORLD=ibverbs";
  }
  void TearDown() override { planted::active = Bug::none; }
};

Case crowd(const Planted& planted) {
  Case setup;
  setup.protocol = planted.protocol;
  setup.client_nodes = 3;
  setup.clients_per_node = 1;  // dslr's small counters have no room for more
  setup.operations = 6;
  setup.shared_percent = planted.shared_percent;
  setup.impatient = planted.impatient;
  setup.hold = milliseconds(5);
  setup.guard = GuardMode::on;
  return setup;
}

TEST_P(HardwarePlanted, is_caught_by_monitor_and_guard_words_and_absent_otherwise) {
  constexpr std::uint64_t kRuns = 20;
  const Case setup = crowd(GetParam());
  planted::active = GetParam().bug;
  std::uint64_t monitor = 0;
  std::uint64_t guard = 0;  // the first run that each finds it in
  for (std::uint64_t seed = 1; seed <= kRuns && (monitor == 0 || guard == 0); ++seed) {
    const Outcome outcome = run(setup, seed);
    if (monitor == 0 && outcome.safety.violations > 0) monitor = seed;
    if (guard == 0 && judge(outcome.guard).violations > 0) guard = seed;
  }
  EXPECT_NE(monitor, 0U) << "the monitor does not see the bug";
  EXPECT_NE(guard, 0U) << "the guard words do not show the bug";
  std::printf("%s: the monitor caught it in run %d, the guard words in run %d\n",
              GetParam().protocol, static_cast<int>(monitor), static_cast<int>(guard));
  planted::active = Bug::none;
  for (std::uint64_t seed = 1; seed <= 2; ++seed) {
    const Outcome outcome = run(setup, seed);
    EXPECT_TRUE(outcome.safe()) << outcome.violation;
    EXPECT_EQ(judge(outcome.guard).violations, 0U) << judge(outcome.guard).violation;
    EXPECT_EQ(outcome.end, RunEnd::finished) << outcome.entry;
  }
}

INSTANTIATE_TEST_SUITE_P(all, HardwarePlanted,
                         ::testing::Values(Planted{Bug::cas_release_by_non_holder, "cas", true},
                                           Planted{Bug::mcs_early_handover, "mcs"},
                                           Planted{Bug::dslr_reader_ignores_nx, "dslr", false, 50},
                                           Planted{Bug::shiftlock_no_relcnt_wait, "shiftlock",
                                                   false, 50}),
                         [](const auto& made) { return std::string(made.param.protocol); });

}  // namespace
}  // namespace latchlab::testing

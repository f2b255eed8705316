// cas, mcs and dslr broken on purpose: each defect is caught by the check named here within its
// budget of seeds, and the lock as shipped survives ten times that budget.

#include <cstdio>
#include <ostream>

#include "core/protocols/common/planted.h"
#include "tests/protocols/harness.h"

namespace latchlab::testing {
namespace {

enum class Check { mutual_exclusion, progress };

struct Planted {
  const char* name;
  planted::Bug bug;
  Check caught_by;
  std::uint64_t seeds;  // the budget, of runs with max_steps each
  Case setup;
};

std::ostream& operator<<(std::ostream& out, const Planted& planted) {
  return out << planted.name;
}

bool finds(Check check, const Outcome& outcome) {
  if (check == Check::mutual_exclusion) return outcome.safety.violations > 0;
  return outcome.end != RunEnd::finished;
}

Case broken_cas() {
  Case setup;
  setup.protocol = "cas";
  setup.impatient = true;
  return setup;
}

Case broken_mcs() {
  Case setup;
  setup.protocol = "mcs";
  setup.max_steps = 5'000;
  return setup;
}

Case broken_dslr(std::uint32_t shared_percent) {
  Case setup;
  setup.protocol = "dslr";
  setup.client_nodes = 3;
  setup.clients_per_node = 1;
  setup.operations = 8;
  setup.shared_percent = shared_percent;
  setup.max_steps = 5'000;
  return setup;
}

Case broken_cohorts() {
  Case setup;
  setup.protocol = "cohort_reference";
  setup.operations = 6;
  setup.max_steps = 5'000;
  return setup;
}

std::vector<Planted> all_planted() {
  using planted::Bug;
  Case without_recovery = broken_dslr(50);
  without_recovery.params = {{"lease", Duration{}}};
  return {
      {"a_client_that_gives_up_frees_the_lock", Bug::cas_release_by_non_holder,
       Check::mutual_exclusion, 20, broken_cas()},
      {"a_handover_before_the_section_ends", Bug::mcs_early_handover, Check::mutual_exclusion, 20,
       broken_mcs()},
      {"a_reader_that_ignores_earlier_writers", Bug::dslr_reader_ignores_nx,
       Check::mutual_exclusion, 20, broken_dslr(50)},
      {"tickets_that_run_over_break_exclusion", Bug::dslr_no_count_max_reset,
       Check::mutual_exclusion, 50, broken_dslr(70)},
      {"tickets_that_run_over_block_everybody", Bug::dslr_no_count_max_reset, Check::progress, 20,
       without_recovery},
      {"a_neighbour_that_enters_without_the_lock", Bug::cohort_enters_without_leading,
       Check::mutual_exclusion, 20, broken_cohorts()},
      {"a_lock_given_back_and_handed_on", Bug::cohort_frees_and_passes, Check::mutual_exclusion, 20,
       broken_cohorts()},
      {"a_neighbour_that_is_forgotten", Bug::cohort_forgets_its_neighbour, Check::progress, 20,
       broken_cohorts()},
  };
}

class LocksPlanted : public ::testing::TestWithParam<Planted> {
 protected:
  void TearDown() override { planted::active = planted::Bug::none; }
};

TEST_P(LocksPlanted, is_caught_and_absent_otherwise) {
  const Planted& planted = GetParam();
  const auto wrong = [&](const Outcome& outcome) { return finds(planted.caught_by, outcome); };
  planted::active = planted.bug;
  const std::uint64_t caught = first_seed(planted.setup, planted.seeds, wrong);
  EXPECT_NE(caught, 0U) << "the bug stays unseen";
  std::printf("caught by seed %llu of %llu\n", static_cast<unsigned long long>(caught),
              static_cast<unsigned long long>(planted.seeds));
  planted::active = planted::Bug::none;
  EXPECT_EQ(first_seed(planted.setup, 10 * planted.seeds, wrong), 0U)
      << "the lock as shipped shows it too";
}

INSTANTIATE_TEST_SUITE_P(all, LocksPlanted, ::testing::ValuesIn(all_planted()),
                         [](const auto& made) { return std::string(made.param.name); });

// Where no observer sees every client, guard words have to find what the monitor finds here. They
// look for a shorter time, since holders count themselves in after the grant, and out before the
// release.
class ExclusionPlanted : public LocksPlanted {};

TEST_P(ExclusionPlanted, is_caught_by_guard_words) {
  Planted planted = GetParam();
  planted.setup.guard = GuardMode::on;
  const auto wrong = [](const Outcome& outcome) { return judge(outcome.guard).violations > 0; };
  planted::active = planted.bug;
  EXPECT_NE(first_seed(planted.setup, 5 * planted.seeds, wrong), 0U) << "the bug stays unseen";
  planted::active = planted::Bug::none;
  EXPECT_EQ(first_seed(planted.setup, 5 * planted.seeds, wrong), 0U)
      << "the lock as shipped shows it too";
}

std::vector<Planted> planted_in_exclusion() {
  std::vector<Planted> bugs = all_planted();
  const auto other = [](const Planted& bug) { return bug.caught_by != Check::mutual_exclusion; };
  bugs.erase(std::remove_if(bugs.begin(), bugs.end(), other), bugs.end());
  return bugs;
}

INSTANTIATE_TEST_SUITE_P(all, ExclusionPlanted, ::testing::ValuesIn(planted_in_exclusion()),
                         [](const auto& made) { return std::string(made.param.name); });

}  // namespace
}  // namespace latchlab::testing

// Broken promises are detected: each of these planted bugs breaks another promise under the draws
// that random_test.cc plays with the shipped locks.

#if LATCHLAB_WITH_SIMGRID

#include "tests/protocols/planted.h"
#include "tests/protocols/random/twice.h"

namespace latchlab::testing {
namespace {

void expect_broken(Bug bug, const char* lock, Promise promise, std::uint64_t draws = 100) {
  const Active active(bug);
  for (std::uint64_t number = 1; number <= draws; ++number) {
    const Draw draw = drawn(*find_protocol(lock), number);
    const Played played = played_twice(draw);
    if (played.broken != promise) continue;
    std::printf("%s: %s: %s\n%s\n", bug.name, name_of(promise), played.how.c_str(),
                in_words(draw).c_str());
    return;
  }
  ADD_FAILURE() << bug.name << ": of " << draws << " draws none breaks: " << name_of(promise);
}

TEST(random_scenarios_planted, a_reader_that_ignores_writers_breaks_exclusion) {
  expect_broken(Bug{"dslr_reader_ignores_nx"}, "dslr", Promise::exclusion);
}

TEST(random_scenarios_planted, a_grant_that_outlives_its_lease_breaks_exclusion) {
  expect_broken(Bug{"drtm_grant_outlives_lease"}, "drtm", Promise::exclusion);
}

TEST(random_scenarios_planted, a_late_release_has_a_late_effect) {
  expect_broken(Bug{"shiftlock_late_release"}, "shiftlock", Promise::late_effect, 1'000);
}

TEST(random_scenarios_planted, a_forgotten_queue_loses_clients) {
  expect_broken(Bug{"ideal_local_forgets_its_queue"}, "ideal_local", Promise::lost_client);
}

TEST(random_scenarios_planted, a_client_that_gives_up_and_stays_counted_leaves_a_lock_stuck) {
  expect_broken(Bug{"caslock_gives_up_and_stays_counted"}, "caslock", Promise::stuck_lock);
}

TEST(random_scenarios_planted, one_bypassing_reader_too_many_breaks_the_bound) {
  expect_broken(Bug{"traditional_ro_passes_once_more"}, "traditional_ro", Promise::bypass);
}

}  // namespace
}  // namespace latchlab::testing

#endif

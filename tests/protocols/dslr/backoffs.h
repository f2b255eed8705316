#pragma once
// Two locks that have no tickets left, and one client that fails to acquire one of them many times
// in a row before it asks for the other.

#include <algorithm>

#include "tests/protocols/dslr/scene.h"

namespace latchlab::dslr_tests {

inline constexpr Duration kFirstBackoff = microseconds(10);

struct Backoffs {
  Duration after_failures;  // the next pause on the lock that has failed many times
  Duration on_another;      // the first pause on the other lock
};

inline Task<Duration> fails(Scene& scene, std::uint64_t lock, std::uint64_t times) {
  const Time begin = scene.verbs(0).now();
  const Want want = scene.want(LockMode::exclusive, lock);
  for (std::uint64_t i = 0; i < times; ++i) {
    const AcquireResult result = co_await scene.client(0).acquire(want, {});
    const Aborted* const aborted = std::get_if<Aborted>(&result);
    EXPECT_TRUE(aborted != nullptr && aborted->reason == AbortReason::too_many);
  }
  co_return scene.verbs(0).now() - begin;
}

inline Task<void> fail_on_both(Scene& scene, Backoffs& seen) {
  co_await fails(scene, 0, 12);
  seen.on_another = co_await fails(scene, 1, 1);
  seen.after_failures = co_await fails(scene, 0, 1);
}

inline Backoffs backoffs(std::uint64_t seed) {
  RunSetup setup;
  setup.protocol = "dslr";
  setup.profile = "repaired";
  setup.params = {{"over_limit", text("undo")}, {"lease", Duration{}}};
  setup.client_nodes = 1;
  setup.locks = 2;
  ExplorerOptions options;
  options.seed = seed;
  Scene scene(setup, false, options, seed);
  const dslr::TicketWord word(16, false, false);
  const dslr::Tickets full{0, 0, word.count_max(), 0};
  for (std::uint64_t lock = 0; lock < 2; ++lock)
    scene.backend->poke(scene.world.lock(LockId{lock}).entry, word.pack(full).lo);
  Backoffs seen;
  scene.starts(0, fail_on_both(scene, seen));
  EXPECT_EQ(scene.run(), RunEnd::finished);
  return seen;
}

}  // namespace latchlab::dslr_tests

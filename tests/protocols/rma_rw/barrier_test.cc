// When RMA-RW's readers that were turned away retry.

#include "core/protocols/rma_rw/tree.h"
#include "core/protocols/rma_rw/words.h"
#include "tests/protocols/promises.h"
#include "tests/protocols/rma_rw/scene.h"
#include "tests/protocols/timed.h"

#if LATCHLAB_WITH_SIMGRID

namespace latchlab::testing {
namespace {

using rma_rw::kOneDeparture;
using rma_rw_tests::Platform;
using rma_rw_tests::Scene;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Not;

constexpr const char* kLeavesTheTurn = "a reader at the barrier leaves the turn to a writer";

struct Look {
  bool writer = false;  // the queue is not empty
  std::uint64_t counters = 0;
};
// T_R is 4.
constexpr std::array<Look, 7> kLooks = {{{false, 3},
                                         {true, 3},
                                         {false, 4},
                                         {false, 4 + kOneDeparture},
                                         {true, 4 + kOneDeparture},
                                         {false, 5 + kOneDeparture},
                                         {false, rma_rw::kWriteMode}}};

Task<void> read_once(Scene& scene, ClientId me) {
  AcquireOptions options;
  options.deadline = scene.verbs(me.value).now() + microseconds(200);
  const Want want{scene.lock(me.value), LockMode::shared};
  const AcquireResult result = co_await scene.client(me).acquire(want, options);
  if (std::get_if<Aborted>(&result) != nullptr) {
    EXPECT_GE(scene.verbs(me.value).now(), options.deadline);
  }
}

RemoteAddr counters_of(Scene& scene, LockRef lock, bool in_a_tree) {
  if (!in_a_tree) return lock.entry + 8;
  const rma_rw::Options options;
  return rma_rw::Tree(options, scene.world(), scene.world().client_node(0)).counter(lock, 0);
}

// A reader of each lock is turned away in writers' mode and then sees one of these states for a
// while. Returns whether it retries.
std::vector<bool> tries_again(const char* profile, bool in_a_tree = false) {
  constexpr auto kReaders = static_cast<std::uint32_t>(kLooks.size());
  Platform platform{kReaders};
  platform.make = plain_simulation;
  Scene scene(profile, {{"reader_threshold", number(4)}},
              std::vector<Scene::Body>(kReaders, read_once), 1, kReaders, platform);
  Backend& backend = scene.backend();
  std::vector<std::uint32_t> before;
  std::vector<bool> again;
  for (std::uint32_t i = 0; i < kReaders; ++i)
    backend.poke(counters_of(scene, scene.lock(i), in_a_tree), rma_rw::kWriteMode);
  backend.at(Time{} + microseconds(50), [&] {
    for (std::uint32_t i = 0; i < kReaders; ++i) {
      before.push_back(scene.verbs(i).tally().atomics());
      backend.poke(scene.lock(i).entry, kLooks[i].writer ? 1 : 0);
      backend.poke(counters_of(scene, scene.lock(i), in_a_tree), kLooks[i].counters);
    }
  });
  backend.at(Time{} + microseconds(150), [&] {
    for (std::uint32_t i = 0; i < kReaders; ++i)
      again.push_back(scene.verbs(i).tally().atomics() > before[i]);
  });
  paths::forget();
  paths::record(true);
  EXPECT_EQ(scene.run(), RunEnd::finished);
  paths::record(false);
  return again;
}

TEST(timed, rma_rw_retries_below_the_threshold_or_if_only_readers_can_reset_the_counters) {
  EXPECT_THAT(tries_again("repaired"), ElementsAre(true, true, false, true, false, false, false));
  EXPECT_THAT(labels("rma_rw", true), Not(Contains(kLeavesTheTurn))) << "one READ has it all";
}
TEST(timed, rma_rw_retries_in_a_tree_as_in_the_flat_form) {
  EXPECT_THAT(tries_again("hpdc16_repaired", true),
              ElementsAre(true, true, false, true, false, false, false));
  EXPECT_THAT(labels("rma_rw", true), Contains(kLeavesTheTurn));
}
TEST(timed, rma_rw_retries_at_the_threshold_as_in_the_artifact) {
  EXPECT_THAT(tries_again("artifact"), ElementsAre(true, true, true, true, true, false, false));
}
TEST(timed, rma_rw_retries_only_below_the_threshold_as_in_hpdc16) {
  EXPECT_THAT(tries_again("hpdc16_flat"),
              ElementsAre(true, true, false, false, false, false, false));
}
TEST(timed, rma_rw_retries_only_below_the_threshold_as_in_hpdc16_s_tree) {
  EXPECT_THAT(tries_again("hpdc16", true),
              ElementsAre(true, true, false, false, false, false, false));
}

}  // namespace
}  // namespace latchlab::testing

#endif

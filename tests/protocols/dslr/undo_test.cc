// Tickets beyond COUNT_MAX that are undone, as printed: a client that finds no ticket for two
// leases resets the lock and starts counting again. In the simulator.

#if LATCHLAB_WITH_SIMGRID

#include "tests/conformance/simulation.h"
#include "tests/protocols/dslr/scene.h"

namespace latchlab::dslr_tests {
namespace {

constexpr Duration kLongLease = milliseconds(10);

const dslr::TicketWord kWord(3, false, false);
constexpr dslr::Tickets kOver{0, 0, 4, 0};  // four writers have come, and no client releases

RunSetup as_printed(Duration lease, Duration longest_backoff = milliseconds(1)) {
  RunSetup setup;
  setup.protocol = "dslr";
  setup.profile = "sigmod18";
  setup.params = {{"ticket_bits", number(3)},
                  {"lease", lease},
                  {"backoff_first", milliseconds(1)},
                  {"backoff_bound", longest_backoff}};
  setup.make = plain_simulation;
  return setup;
}

// Client 0 finds no ticket. Records how many repairs it has made then.
Task<void> fails(Scene& scene, std::uint64_t& repairs) {
  const Want want = scene.want(LockMode::exclusive);
  const AcquireResult result = co_await scene.client(0).acquire(want, {});
  const Aborted* const aborted = std::get_if<Aborted>(&result);
  EXPECT_TRUE(aborted != nullptr && aborted->reason == AbortReason::too_many);
  repairs = scene.client(0).recoveries();
}

Task<void> fails_again_and_again(Scene& scene, std::vector<std::uint64_t>& repairs) {
  repairs.resize(4);
  co_await fails(scene, repairs[0]);
  co_await scene.verbs(0).sleep(kLongLease * 3);
  co_await fails(scene, repairs[1]);
  EXPECT_EQ(scene.entry(), "nX=0 nS=0 maxX=0 maxS=0");
  scene.put(kWord, kOver);
  co_await fails(scene, repairs[2]);
  co_await scene.verbs(0).sleep(kLongLease * 3);
  co_await fails(scene, repairs[3]);
}

TEST(timed, dslr_restarts_its_two_leases_after_a_reset) {
  Scene scene(as_printed(kLongLease));
  scene.put(kWord, kOver);
  std::vector<std::uint64_t> repairs;
  scene.starts(0, fails_again_and_again(scene, repairs));
  EXPECT_EQ(scene.run(), RunEnd::finished);
  EXPECT_EQ(repairs, (std::vector<std::uint64_t>{0, 1, 1, 2}));
}

// Another client's ticket is in the word when client 0 takes its own, and is undone soon
// afterwards.
Task<void> undo_after(Scene& scene, std::uint32_t max_x) {
  RemoteWait wait;
  const RemoteAddr entry = scene.world.lock(LockId{0}).entry;
  wait.add(read_verb(entry));
  wait.classify = [max_x](const ProbeValues& values) {
    return kWord.unpack(values[0]).max_x == max_x ? Verdict::done : Verdict::pending;
  };
  co_await scene.verbs(1).await_remote(wait);
  const Verb undo = kWord.add(entry, dslr::Counter::max_x, false);
  co_await scene.verbs(1).issue(undo);
}

Task<void> fails_twice(Scene& scene, std::vector<std::uint64_t>& repairs) {
  repairs.resize(2);
  co_await fails(scene, repairs[0]);
  co_await scene.verbs(0).sleep(kLongLease * 3);
  co_await fails(scene, repairs[1]);
}

TEST(timed, dslr_resets_the_current_word_and_not_the_one_it_read_first) {
  Scene scene(as_printed(kLongLease));
  scene.put(kWord, {0, 0, 5, 0});
  std::vector<std::uint64_t> repairs;
  scene.starts(0, fails_twice(scene, repairs));
  scene.starts(1, undo_after(scene, 6), Time{} + kLongLease);
  EXPECT_EQ(scene.run(), RunEnd::finished);
  EXPECT_EQ(repairs, (std::vector<std::uint64_t>{0, 1}));
  EXPECT_EQ(scene.entry(), "nX=0 nS=0 maxX=0 maxS=0");
}

// How long consecutive failures take, and a failure after a success.
Task<void> fails_and_succeeds(Scene& scene, Duration& at_last) {
  std::uint64_t repairs = 0;
  for (int i = 0; i < 10; ++i) co_await fails(scene, repairs);
  scene.put(kWord, {});
  const Want want = scene.want(LockMode::exclusive);
  const AcquireResult result = co_await scene.client(0).acquire(want, {});
  EXPECT_TRUE(std::holds_alternative<Grant>(result));
  scene.put(kWord, kOver);
  const Time begin = scene.verbs(0).now();
  co_await fails(scene, repairs);
  at_last = scene.verbs(0).now() - begin;
}

TEST(timed, dslr_backs_off_briefly_again_after_a_success) {
  Scene scene(as_printed(Duration{}, seconds(10)));
  scene.put(kWord, kOver);
  Duration at_last;
  scene.starts(0, fails_and_succeeds(scene, at_last));
  EXPECT_EQ(scene.run(), RunEnd::finished);
  EXPECT_LT(at_last, milliseconds(1) + microseconds(10));  // up to a second before the success
}

}  // namespace
}  // namespace latchlab::dslr_tests

#endif

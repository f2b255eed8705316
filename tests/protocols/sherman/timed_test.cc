// sherman in the simulator, where the order of requests is known.

#if LATCHLAB_WITH_SIMGRID

#include <numeric>

#include "tests/protocols/meeting.h"
#include "tests/protocols/served.h"
#include "tests/protocols/sherman/rounds.h"

namespace latchlab::sherman_tests {
namespace {

using testing::number;
using testing::text;

std::vector<std::uint32_t> in_order(std::uint32_t clients) {
  std::vector<std::uint32_t> order(clients);
  std::iota(order.begin(), order.end(), 0U);
  return order;
}

TEST(timed, sherman_hands_over_first_come_first_served) {
  const Rounds seen = play("sherman", {.clients = 9, .apart = microseconds(5)});
  EXPECT_EQ(seen.order, in_order(9));
  EXPECT_EQ(seen.verbs.atomics(), 1U);  // 1, and 8 hand-overs
  EXPECT_EQ(seen.verbs.writes(), 1U);
}

TEST(timed, sherman_releases_the_lock_after_eight_handovers_although_local_clients_wait) {
  const Rounds seen = play("sherman", {.clients = 10, .apart = microseconds(5)});
  EXPECT_EQ(seen.order, in_order(10));
  EXPECT_EQ(seen.verbs.atomics(), 2U);
  EXPECT_EQ(seen.verbs.writes(), 2U);
  EXPECT_EQ(seen.verbs.one_sided(), 4U);
}

// As many clients as the authors' code allows in a row: 8 holders.
std::uint64_t chains_of_the_repository(std::uint32_t clients) {
  const ParamSet params = find_protocol("sherman")->info.resolve("repository");
  return play("sherman", {.clients = clients,
                          .params = {params.values().begin(), params.values().end()},
                          .apart = microseconds(5)})
      .verbs.writes();
}

TEST(timed, sherman_has_eight_holders_in_a_row_as_in_the_authors_code) {
  EXPECT_EQ(chains_of_the_repository(8), 1U);
}

TEST(timed, sherman_releases_the_lock_after_eight_holders_as_in_the_authors_code) {
  EXPECT_EQ(chains_of_the_repository(9), 2U);
}

// The second round begins with as many handovers as the first.
TEST(timed, sherman_counts_handovers_from_zero_after_a_new_acquisition) {
  const Rounds seen = play("sherman", {3, {{"max_handovers", number(2)}}, microseconds(5)}, 2);
  EXPECT_EQ(seen.order, (std::vector<std::uint32_t>{0, 1, 2, 0, 1, 2}));
  EXPECT_EQ(seen.verbs.writes(), 2U);
}

// The first try, and one more 10 ms later, when the lock has long been free.
TEST(timed, sherman_pauses_before_the_second_try_of_a_leader) {
  testing::Meeting meeting;
  testing::meet("sherman", {{"retry_pause", milliseconds(10)}}, 1, meeting, plain_simulation);
  EXPECT_TRUE(meeting.entered);
  EXPECT_EQ(meeting.verbs.atomics(), 2U);
}

// The lock is held for 1 ms.
TEST(timed, sherman_pauses_between_tries_of_a_leader) {
  testing::Meeting meeting;
  testing::meet("sherman", {{"retry_pause", microseconds(100)}}, 1, meeting, plain_simulation);
  EXPECT_TRUE(meeting.entered);
  EXPECT_GE(meeting.verbs.atomics(), 8U);
  EXPECT_LE(meeting.verbs.atomics(), 12U);
}

TEST(timed, sherman_reports_a_failed_server) {
  testing::expect_failure_of_the_server_told("sherman");
}

// ---- an unlock that no client waits for ----

struct Left {
  std::uint64_t word = 0;     // when release() returned
  std::uint64_t flushed = 0;  // when the verb had landed
};

Task<void> take_and_leave(World& world, Backend& backend, Left& left) {
  const ClientId me{0};
  const LockRef lock = world.lock(LockId{0});
  const Want want{lock};
  const AcquireResult result = co_await world.client(me).acquire(want, {});
  const Grant held = std::get<Grant>(result);
  co_await world.client(me).release(held);
  left.word = backend.peek(lock.entry);
  co_await world.verbs(me).flush();
  left.flushed = backend.peek(lock.entry);
}

Left left_by(bool posted) {
  const ProtocolEntry& entry = *find_protocol("sherman");
  ParamSet params = entry.info.resolve("reconstructed");
  params.set("unlock_posted", posted);
  const auto lock = entry.make(params);
  World world(*lock, WorldShape{});
  const auto backend = plain_simulation(world.plan());
  world.attach(*backend);
  Left left;
  backend->spawn(world.verbs(ClientId{0}), take_and_leave(world, *backend, left), Time{});
  EXPECT_EQ(backend->run_until(testing::end_of_run(kNever)), RunEnd::finished);
  return left;
}

TEST(timed, sherman_returns_when_its_unlock_is_acknowledged) {
  EXPECT_EQ(left_by(false).word, 0U);
}

TEST(timed, sherman_returns_before_a_posted_unlock_has_landed) {
  const Left left = left_by(true);
  EXPECT_NE(left.word, 0U);
  EXPECT_EQ(left.flushed, 0U);
}

}  // namespace
}  // namespace latchlab::sherman_tests

#endif

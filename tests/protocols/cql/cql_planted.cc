// The CQL lock, broken on purpose.

#include "tests/protocols/cql/crash_in_reset.h"
#include "tests/protocols/cql/return.h"
#include "tests/protocols/planted.h"

namespace latchlab::cql_tests {
namespace {

using namespace testing;
using explore::Violation;

// An entry of any version is accepted as the expected one.
constexpr Bug kNoVersions{"cql_checks_no_version"};
// A client that has to wait acquires the lock at once.
constexpr Bug kNoWait{"cql_never_waits"};
// A release that misses an entry wakes no client.
constexpr Bug kNoSecondLook{"cql_does_not_look_again"};
// A node answers a reset although a client of it holds the lock.
constexpr Bug kAnswersEarly{"cql_answers_while_holding"};
// A client tells its node that it uses a lock only when its FAA has completed.
constexpr Bug kUnannounced{"cql_enters_unannounced"};
// A notification from before a reset is accepted after it.
constexpr Bug kExpired{"cql_accepts_expired"};
// A writer wakes the first of several readers.
constexpr Bug kOneReader{"cql_wakes_one_reader"};
// Locks of a restarted server are used although other clients still hold earlier ones: the server's
// memory says that they are free.
constexpr Bug kSkipsMeeting{"cql_skips_meeting"};
// A node reports that it holds no more locks of a server although one of its clients does.
constexpr Bug kClearsEarly{"cql_clears_while_holding"};
// A client releases a lock that the server has forgotten.
constexpr Bug kLateRelease{"cql_releases_in_another_life"};
// A client that resets a lock when its server fails continues after the server's restart.
constexpr Bug kResetGoesOn{"cql_resets_another_life"};
// A reset continues only when all its questions have been acknowledged or RC has given up.
constexpr Bug kAwaitsQuestions{"cql_awaits_questions"};
// A node that answers a reset continues only when its answer has been acknowledged or RC has given
// up.
constexpr Bug kAwaitsAnswers{"cql_awaits_answers"};

// A release ends only when its notifications have been acknowledged or RC has given up.
constexpr Bug kAwaitsNotifications{"cql_awaits_notifications"};

// Versions run out after one round.
RunSetup cql_crowd(std::uint32_t shared = 50) {
  RunSetup setup;
  setup.protocol = "cql";
  setup.shared_percent = shared;
  return setup;
}

// Only the lock's own notifications wake clients.
RunSetup without_resets(std::uint32_t shared = 50) {
  RunSetup setup = cql_crowd(shared);
  setup.params = {{"version_bits", number(16)}, {"timeout", Duration{}}};
  return setup;
}

TEST(cql_planted, a_release_that_checks_no_version) {
  expect_breaks_exclusion(kNoVersions, 40, without_resets());
}

TEST(cql_planted, a_release_that_does_not_read_the_queue_again) {
  expect_blocks(kNoSecondLook, 40, without_resets());
}

TEST(cql_planted, a_writer_that_wakes_one_reader) {
  expect_blocks(kOneReader, 40, without_resets(70));
}

// The third place has the version that ends a life of the lock: a client that leaves finds it taken
// while other clients hold the lock.
RunSetup two_places() {
  RunSetup setup = cql_crowd(60);
  setup.client_nodes = 3;
  setup.clients_per_node = 1;
  setup.operations = 5;
  setup.params = {
      {"version_bits", number(1)}, {"capacity", number(2)}, {"overflow", text("version")}};
  return setup;
}

TEST(cql_planted, a_node_that_answers_while_a_client_holds) {
  expect_breaks_exclusion(kAnswersEarly, 800, two_places());
}

TEST(cql_planted, a_client_that_announces_itself_too_late_to_its_node) {
  expect_breaks_exclusion(kUnannounced, 600, two_places());
}

// A writer wakes two readers. One of them releases and resets the lock before the other one has
// received its notification.
RunSetup readers_behind_writers() {
  RunSetup setup = cql_crowd(60);
  setup.client_nodes = 4;
  setup.clients_per_node = 1;
  setup.params = {
      {"version_bits", number(1)}, {"capacity", number(3)}, {"overflow", text("version")}};
  return setup;
}

TEST(cql_planted, a_waiter_that_accepts_an_expired_notification) {
  expect_breaks_exclusion(kExpired, 3'000, readers_behind_writers());
}

TEST(cql_planted, a_client_that_acquires_without_waiting) {
  expect_breaks_exclusion(kNoWait, 40, without_resets());
}

TEST(cql_planted, a_client_that_acquires_without_waiting_on_hardware) {
  expect_breaks_exclusion_on_hardware(kNoWait, without_resets());
}

TEST(cql_planted, a_search_finds_a_release_that_checks_no_version) {
  // A client that has not written its entry yet is taken for client 0.
  expect_found(kNoVersions, Violation::deadlock, 5'000, searched("cql", {"X", "X"}));
}

TEST(cql_planted, a_search_finds_a_release_that_does_not_read_the_queue_again) {
  expect_found(kNoSecondLook, Violation::deadlock, 5'000, searched("cql", {"X", "X"}));
}

TEST(cql_planted, a_search_finds_a_node_that_answers_while_a_client_holds) {
  explore::Campaign campaign = searched("cql", {"S", "S", "X"});
  campaign.base.sets = {"version_bits=1", "capacity=2", "overflow=version"};
  campaign.method = explore::Method::pct;
  expect_found(kAnswersEarly, Violation::not_free, 2'000, campaign);
}

// H takes long between its release and the notification. W times out and resets the lock.
TEST(cql_planted, a_search_finds_a_waiter_that_accepts_an_expired_notification) {
  explore::Campaign campaign = searched("cql", {"XX", "XX"});
  campaign.base.sets = {"version_bits=4"};
  campaign.base.pauses = 1;
  campaign.method = explore::Method::random;
  expect_found(kExpired, Violation::mutual_exclusion, 5'000, campaign);
}

#if LATCHLAB_WITH_SIMGRID

// A node crashes, and locks stop until RC gives up. Without the bug: crash_in_reset_test.cc.
TEST(cql_planted, a_reset_that_waits_until_a_crashed_node_acknowledges_it) {
  const Active active(kAwaitsQuestions);
  EXPECT_NE(after_death_in_resets("cql").end, RunEnd::finished);
}
TEST(cql_planted, a_node_that_waits_until_a_crashed_node_acknowledges_its_answer) {
  const Active active(kAwaitsAnswers);
  EXPECT_NE(after_death_in_resets("cql").end, RunEnd::finished);
}

TEST(cql_planted, a_release_that_waits_until_a_crashed_waiter_acknowledges_it) {
  const Active active(kAwaitsNotifications);
  EXPECT_NE(after_death_of_a_waiter("cql").end, RunEnd::finished);
}

// A server restarts, and its locks are used at once, or when nodes report too early that they hold
// none of the earlier ones. Without the bug: failing_server_test.cc.
TEST(cql_planted, a_client_that_uses_a_restarted_server_without_meeting_other_nodes) {
  const Active active(kSkipsMeeting);
  EXPECT_GT(after_return({}).safety.violations, 0U);
}

TEST(cql_planted, a_node_that_reports_no_holder_while_a_client_holds_an_earlier_lock) {
  const Active active(kClearsEarly);
  EXPECT_GT(after_return({}).safety.violations, 0U);
}

// A place that no client has is counted out of the queue, and no timeout resets it.
TEST(cql_planted, a_release_after_the_server_has_restarted) {
  const Active active(kLateRelease);
  EXPECT_NE(after_return(without_timeout("cql")).end, RunEnd::finished);
}

// The reset frees the header while a client holds the lock and other clients wait.
TEST(cql_planted, a_reset_that_continues_after_the_server_has_restarted) {
  const Active active(kResetGoesOn);
  EXPECT_GT(after_return_in_a_reset("cql").safety.violations, 0U);
}

#endif

}  // namespace
}  // namespace latchlab::cql_tests

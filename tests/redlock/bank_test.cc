// Transactions of a bank whose accounts are in real Redis servers.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <numeric>
#include <thread>

#include "core/launch/socket.h"
#include "core/protocols/registry.h"
#include "core/run/point_files.h"
#include "tests/paths.h"
#include "tools/redlock/arguments.h"
#include "tools/redlock/client.h"
#include "tools/redlock/redlock.h"
#include "tools/redlock/runner.h"

namespace latchlab::bank {
namespace {

using ::testing::HasSubstr;

TEST(SmallBank, transactions_move_money_as_specified) {
  Mix mix(5, 1);
  std::array<int, 6> seen = {};
  for (int i = 0; i < 10'000; ++i) {
    const Transaction next = mix.next();
    ++seen[static_cast<std::size_t>(next.kind)];
    const Rows& rows = next.rows;
    EXPECT_TRUE(std::is_sorted(rows.begin(), rows.end()));
    EXPECT_EQ(std::adjacent_find(rows.begin(), rows.end()), rows.end());
    std::vector<std::int64_t> balances;
    for (std::size_t row = 0; row < rows.size(); ++row) balances.push_back(300 * (i % 3));
    const auto before = balances;
    const Applied applied = apply(next, 5, balances);
    EXPECT_EQ(std::accumulate(balances.begin(), balances.end(), std::int64_t{0}),
              std::accumulate(before.begin(), before.end(), std::int64_t{0}) + applied.outside);
    EXPECT_TRUE(applied.changes || balances == before);
  }
  EXPECT_NEAR(seen[static_cast<std::size_t>(Kind::send_payment)], 2'500, 200);
  EXPECT_NEAR(seen[static_cast<std::size_t>(Kind::balance)], 1'500, 200);
}

const Scenario& must(const Result<Scenario>& scenario) {
  EXPECT_TRUE(scenario.ok()) << (scenario.ok() ? "" : scenario.error().text());
  return scenario.value();
}

Arguments arguments_of(const std::vector<std::string>& words) {
  auto made = parse_arguments(words);
  EXPECT_TRUE(made.ok()) << (made.ok() ? "" : made.error().text());
  return std::move(made).value();
}

Result<Scenario> scenario_of(const Arguments& arguments) {
  return parse_scenario({scenario_text(arguments), "arguments", "."}, {}, protocol_infos(),
                        {{LATCHLAB_SOURCE_DIR}});
}

TEST(Arguments, choose_the_locks_and_the_options_of_redlock) {
  const auto made = scenario_of(arguments_of({"--lock", "redlock,ttl=1s", "--lock=shiftlock",
                                              "--profile", "artifact", "--accounts", "50"}));
  const Scenario& scenario = must(made);
  ASSERT_EQ(scenario.points.size(), 2U);
  EXPECT_EQ(scenario.points[0].protocol.label, "redlock");
  EXPECT_EQ(scenario.points[0].locks.count, 100U);
  const redlock::Options options = redlock_options(scenario.points[0].protocol.params);
  EXPECT_EQ(options.ttl, seconds(1));
  EXPECT_EQ(options.tries, 3U);
  EXPECT_EQ(options.validity, redlock::Validity::ignored);
  EXPECT_FALSE(is_redlock(scenario.points[1]));
}

TEST(Arguments, that_are_invalid_are_refused) {
  const auto why = [](const std::vector<std::string>& words) {
    const auto made = parse_arguments(words);
    return made.ok() ? "" : made.error().text();
  };
  EXPECT_THAT(why({"--lock", "redlok"}), HasSubstr("no such lock"));
  EXPECT_THAT(why({"--accounts", "1"}), HasSubstr("a number from 2"));
  EXPECT_THAT(why({"--clients"}), HasSubstr("takes a value"));
  EXPECT_THAT(why({"--lock", "none", "--out", "x"}), HasSubstr("keeps no results"));
  EXPECT_THAT(why({"--frob"}), HasSubstr("no option '--frob'"));
  const Arguments odd = arguments_of({"--lock", "redlock,ttl=10500us"});
  const auto made = scenario_of(odd);
  const Status possible = check_points(odd, must(made));
  EXPECT_THAT(possible.ok() ? "" : possible.error().text(), HasSubstr("whole milliseconds"));
}

class RealRedis : public ::testing::Test {
 protected:
  void SetUp() override {
    ::signal(SIGPIPE, SIG_IGN);
    auto started = Servers::start({});
    if (!started) GTEST_SKIP() << "needs redis-server: " << started.error().text();
    servers_ = std::make_unique<Servers>(std::move(started).value());
    redis_ = std::make_unique<Connection>(servers_->port(0), place_);
  }
  // Few, hot accounts, unless `more` says otherwise.
  static RepeatOutcome run(std::vector<std::string> words, const StopAsked& stop = no_stop) {
    words.insert(words.begin(), {"--accounts", "4", "--warmup", "50ms", "--duration", "300ms"});
    const Arguments arguments = arguments_of(words);
    const auto scenario = scenario_of(arguments);
    return run_bank(must(scenario).points[0], 0, arguments.setting, stop);
  }
  static bool no_stop() { return false; }

  ThreadIo place_{std::chrono::steady_clock::now()};
  std::unique_ptr<Servers> servers_;
  std::unique_ptr<Connection> redis_;
};

TEST_F(RealRedis, keeps_a_key_until_it_expires_or_its_owner_deletes_it) {
  for (const Connections how : {Connections::kept, Connections::per_command}) {
    RedisInstance redis(servers_->port(0), place_, how);
    const auto set = [&](const char* value, Duration lifetime = seconds(100)) {
      return run_here(redis.set_if_missing("key", value, lifetime, kNever));
    };
    EXPECT_EQ(set("mine"), Answer::yes);
    EXPECT_EQ(set("yours"), Answer::no);
    EXPECT_EQ(run_here(redis.delete_if_equal("key", "yours", kNever)), Answer::no);
    EXPECT_EQ(run_here(redis.delete_if_equal("key", "mine", kNever)), Answer::yes);
    EXPECT_EQ(set("yours", milliseconds(20)), Answer::yes);
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    EXPECT_EQ(set("mine"), Answer::yes);
    EXPECT_EQ(run_here(redis.delete_if_equal("key", "mine", kNever)), Answer::yes);
  }
}

TEST_F(RealRedis, a_missing_reply_times_out_and_the_next_reply_belongs_to_its_command) {
  const std::vector<std::string> slow = {"BLPOP", "nothing", "0.3"};
  const std::vector<std::string> quick = {"ECHO", "here"};
  EXPECT_FALSE(run_here(redis_->command(slow, place_.now() + milliseconds(20))).ok());
  EXPECT_TRUE(redis_->timed_out());
  EXPECT_EQ(run_here(redis_->command(quick)).value().text, "here");
}

TEST_F(RealRedis, no_money_is_lost_under_redlock) {
  for (const char* servers : {"1", "3"}) {
    const auto outcome = run({"--lock", "redlock,ttl=10s", "--redis", servers});
    EXPECT_EQ(name_of(outcome.status), "ok") << outcome.message;
    EXPECT_EQ(outcome.metrics.safety.checks, 8U);
    EXPECT_GT(outcome.metrics.goodput_ops_s.value_or(0), 0);
    EXPECT_GT(outcome.metrics.acquire.count(), outcome.metrics.cycle.count() / 2);
  }
}

TEST_F(RealRedis, money_is_lost_without_a_lock_and_the_row_is_named) {
  const RepeatOutcome outcome = run({"--lock", "none"});
  EXPECT_EQ(name_of(outcome.status), "unsafe");
  EXPECT_GT(outcome.metrics.safety.violations, 0U);
  EXPECT_THAT(outcome.message, HasSubstr("the first: savings:"));
}

// Its clock advances by a millisecond with each wait for Redis, and not otherwise.
class SteppingPlace final : public ClientIo {
 public:
  Time now() const override { return now_; }
  Task<void> sleep(Duration /*length*/) override { co_return; }
  Task<bool> ready(int socket, bool to_read, Time /*until*/) override {
    now_ = now_ + milliseconds(1);
    return real_.ready(socket, to_read, real_.now() + seconds(10));
  }

 private:
  ThreadIo real_{std::chrono::steady_clock::now()};
  Time now_;
};

// The first five grants end after the given lifetime.
class Fleeting final : public LockClient {
 public:
  Fleeting(ClientIo& place, Duration lifetime) : place_(place), lifetime_(lifetime) {}
  Task<AcquireResult> acquire(Want want, AcquireOptions /*options*/) override {
    Grant grant(want);
    if (++acquired <= 5) grant.valid_until = place_.now() + lifetime_;
    co_return grant;
  }
  Task<ReleaseResult> release(Grant /*grant*/) override {
    ++released;
    co_return ReleaseResult::released;
  }
  int acquired = 0, released = 0;

 private:
  ClientIo& place_;
  Duration lifetime_;
};

TEST_F(RealRedis, nothing_is_written_after_a_grant_has_expired) {
  // Expired at once, and expired when the balances have been read.
  for (const Duration lifetime : {Duration{}, milliseconds(1)}) {
    SteppingPlace place;
    Connection redis(servers_->port(0), place);
    Ledger ledger(2, 1);
    ASSERT_TRUE(ledger.load(redis).ok());
    Branch branch(ledger, Time{}, (place.now() - Time{}) + milliseconds(100), true);
    Fleeting lock(place, lifetime);
    ClientParts parts;
    parts.place = &place;
    parts.locks = &lock;
    parts.redis = &redis;
    Client client(parts, branch);
    run_here(client.run());
    EXPECT_GT(client.share().expired_holds, 1U);
    EXPECT_GT(client.share().cycle.count(), 10U);
    EXPECT_EQ(lock.acquired, lock.released);
    EXPECT_EQ(ledger.audit(redis, client.outside()).value().violation, "");
    EXPECT_NE(ledger.audit(redis, client.outside() + 1).value().violation, "");
  }
}

TEST_F(RealRedis, a_missing_account_is_named) {
  Ledger ledger(2, 1);
  ASSERT_TRUE(ledger.load(*redis_).ok());
  const std::vector<std::string> words = {"DEL", "checking:1"};
  ASSERT_TRUE(run_here(redis_->command(words)).ok());
  const auto found = run_here(ledger.read(*redis_, {LockId{0}, LockId{3}}));
  EXPECT_THAT(found.ok() ? "" : found.error().text(), HasSubstr("there is no checking:1"));
}

TEST_F(RealRedis, a_port_in_use_and_a_missing_program_are_reported) {
  ServerOptions options;
  options.port = servers_->port(0);
  EXPECT_THAT(Servers::start(options).error().text(), HasSubstr("by --port"));
  options = {};
  options.program = "redis-server-that-is-not-there";
  EXPECT_THAT(Servers::start(options).error().text(), HasSubstr("Debian package redis-server"));
}

TEST_F(RealRedis, a_redis_that_dies_fails_its_run) {
  auto listening = launch::listen_at({"127.0.0.1", 0});
  const std::uint16_t port = launch::port_of(listening.value());
  listening.value().reset();
  int looked = 0;
  const RepeatOutcome outcome =
      run({"--lock", "redlock", "--port", std::to_string(port), "--duration", "20s"}, [&] {
        if (++looked != 20) return false;
        ThreadIo here(std::chrono::steady_clock::now());
        Connection killer(port, here);
        const std::vector<std::string> words = {"SHUTDOWN", "NOSAVE", "NOW"};
        (void)run_here(killer.command(words));
        return false;
      });
  EXPECT_EQ(name_of(outcome.status), "failed");
  EXPECT_THAT(outcome.message, HasSubstr("has ended"));
}

TEST_F(RealRedis, results_can_be_read_back_like_those_of_any_run) {
  const Arguments arguments = arguments_of({"--accounts", "9", "--duration", "100ms"});
  const auto scenario = scenario_of(arguments);
  const RepeatOutcome outcome = run_bank(must(scenario).points[0], 0, arguments.setting, no_stop);
  const std::string directory = ::testing::TempDir() + "redlock_results";
  std::filesystem::create_directories(directory);
  const auto files = PointFiles::open(directory, {"1", "a real Redis", {}, {}, {}, {}}, "test");
  ASSERT_TRUE(files.ok());
  ASSERT_TRUE(files.value().keep(0, scenario.value().points[0], 0, outcome).ok());
  const auto read = read_point_file(point_file(directory, 0, 0));
  std::filesystem::remove_all(directory);
  ASSERT_TRUE(read.ok()) << read.error().text();
  EXPECT_EQ(read.value().outcome.metrics, outcome.metrics);
}

}  // namespace
}  // namespace latchlab::bank

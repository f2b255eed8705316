// The lock of Redis in the explorer and in the simulator.

#include <gmock/gmock.h>

#include "core/protocols/redlock_model/parts.h"
#include "core/protocols/registry.h"
#include "core/protocols/run_advice.h"
#include "tests/protocols/served.h"

namespace latchlab::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(redlock_model, keeps_holders_alone_and_all_clients_finish) {
  expect_sound(mixed("redlock_model"), 200);
  expect_sound_unseen("redlock_model");
}

TEST(redlock_model, takes_two_calls_and_no_verb_for_a_free_pair) {
  // The first call between two threads creates their channel QP, which may take longer than the
  // lifetime of a key.
  expect_two_calls_when_free("redlock_model",
                             on_hardware() ? ParamValues{{"ttl", seconds(10)}} : ParamValues{});
}

TEST(redlock_model, takes_two_calls_more_for_each_try_that_fails) {
  RunSetup setup = mixed("redlock_model");
  setup.params = {{"tries", number(1)}};
  if (on_hardware()) setup.hold = milliseconds(2);
  std::uint64_t failed = 0;
  for (std::uint64_t seed = 1; seed <= seeds(50); ++seed) {
    const Outcome outcome = run(setup, seed);
    EXPECT_EQ(outcome.tally.calls, 2 * (outcome.acquired + outcome.aborted));
    EXPECT_EQ(outcome.tally.one_sided() + outcome.tally.sends, 0U);
    failed += outcome.aborted;
  }
  EXPECT_GT(failed, 0U);
}

TEST(redlock_model, grants_readers_one_by_one) {
  RunSetup setup = mixed("redlock_model");
  setup.shared_percent = 100;
  for (std::uint64_t seed = 1; seed <= seeds(50); ++seed)
    EXPECT_EQ(run(setup, seed).most_inside, 1U);
}

TEST(redlock_model, gives_up_at_the_deadline_without_the_lock) {
  expect_deadlines_kept(mixed("redlock_model"), {.for_a_pair = {2, 2}, .to_give_up = 2});
}

TEST(redlock_model, gives_up_after_its_tries) {
  RunSetup setup = crowd("redlock_model");
  setup.params = {{"tries", number(2)}};
  expect_reached(setup, {"a client gives up after its tries", "a client tries again"});
  expect_sound(setup, 50);
  setup.params = {{"tries", number(0)}};
  for (std::uint64_t seed = 1; seed <= seeds(50); ++seed) EXPECT_EQ(run(setup, seed).aborted, 0U);
}

TEST(redlock_model, rejects_keys_that_expire_before_any_client_can_use_them) {
  const ProtocolInfo& info = find_protocol("redlock_model")->info;
  ParamSet params = info.resolve("redis");
  params.set("ttl", milliseconds(2));
  EXPECT_THAT(info.contradiction(params),
              ::testing::HasSubstr("no client would ever have the lock"));
  params.set("validity", text("ignored"));
  EXPECT_EQ(info.contradiction(params), "");
}

TEST(redlock_model, takes_ordinary_paths_under_contention) {
  expect_paths(
      crowd("redlock_model"),
      {"a key is set", "a key is there", "a key is deleted", "a key to be deleted is not there",
       "a client tries again", "a holder leaves in time"},
      {"a client gives up at its deadline", "a call times out", "a master fails a call",
       "a client gives up after its tries", "masters are divided", "too many masters fail",
       "a holder leaves late", "a key has expired", "a holder has lost its key",
       "an extension fails", "a grant is extended"});
}

// ---- how long a grant is valid ----

TEST(redlock_options, subtract_drift_from_the_lifetime_of_a_key) {
  redlock::Options options;
  EXPECT_EQ(options.validity_of(milliseconds(10)), microseconds(7'900));
  for (const Duration needed : {nanoseconds(1), microseconds(70), seconds(3)}) {
    const Duration lifetime = options.lifetime_for(needed);
    EXPECT_GE(options.validity_of(lifetime), needed);
    EXPECT_LE(options.validity_of(lifetime), needed + nanoseconds(100));
  }
}

#if LATCHLAB_WITH_SIMGRID

// Pauses that are short enough for many tries.
RunSetup in_time() {
  RunSetup setup = timed("redlock_model", "redis");
  setup.params = {{"retry_delay", microseconds(40)}};
  return setup;
}

TEST(timed, redlock_model_is_sound) {
  expect_sound_run(in_time());
}
TEST(timed, redlock_model_is_sound_with_its_defaults_and_decodes_its_holder) {
  RunSetup setup = timed("redlock_model", "redis");
  setup.params = {{"show", true}};
  setup.operations = 5;
  expect_sound_run(setup);
}
TEST(timed, redlock_model_is_sound_as_ported_while_sections_are_short) {
  RunSetup setup = timed("redlock_model", "shiftlock_artifact");
  setup.operations = 5;
  expect_sound_run(setup);
}
TEST(timed, redlock_model_reports_a_failed_server) {
  expect_failure_of_the_server_told("redlock_model");
}

TEST(timed, redlock_model_survives_crashed_holders) {
  RunSetup setup = in_time();
  setup.dies = {0, 5};
  expect_sound_run(setup);
}

// Late answers: no client waits for them.
TEST(timed, redlock_model_is_sound_with_calls_that_time_out) {
  RunSetup setup = in_time();
  setup.operations = 10;
  setup.params.emplace_back("call_timeout", nanoseconds(3'500));
  paths::forget();
  paths::record(true);
  expect_sound_run(setup);
  paths::record(false);
  EXPECT_THAT(labels("redlock_model", true), ::testing::Contains("a call times out"));
}

// Sections are longer than the lifetime of a key, without and with a look at the clock.
RunSetup long_sections(const char* profile) {
  RunSetup setup = timed("redlock_model", profile);
  setup.operations = 3;
  setup.hold = milliseconds(15);
  setup.params = {{"retry_delay", microseconds(40)}};
  return setup;
}
TEST(timed, redlock_model_ends_grants_before_keys) {
  const Outcome outcome = run(long_sections("redis"), 1);
  EXPECT_TRUE(outcome.safe()) << outcome.violation;
  EXPECT_EQ(outcome.end, RunEnd::finished);
  EXPECT_GT(outcome.acquired, 0U);
  EXPECT_EQ(outcome.suppressed, outcome.acquired);
}
TEST(timed, redlock_model_grants_two_clients_as_ported_if_sections_are_long) {
  EXPECT_GT(run(long_sections("shiftlock_artifact"), 1).safety.violations, 0U);
}

// Client 0 has two long sections, which it extends, and client 1 many short ones.
RunSetup extended(Duration hold) {
  RunSetup setup = in_time();
  setup.client_nodes = 2;
  setup.clients_per_node = 1;
  setup.section = [hold](ClientId client, std::uint64_t count, const World& world,
                         Section& section) {
    const bool is_long = client.value == 0;
    section.wants.push_back(Want{world.lock(LockId{0})});
    section.extend = true;
    section.work.hold = is_long ? hold : microseconds(1);
    section.think = is_long ? Duration{} : milliseconds(1);
    return count < (is_long ? 2 : 10);
  };
  return setup;
}
TEST(timed, redlock_model_extends_grants) {
  const Outcome outcome = run(extended(milliseconds(30)), 1);
  EXPECT_TRUE(outcome.safe()) << outcome.violation;
  EXPECT_EQ(outcome.end, RunEnd::finished);
  EXPECT_EQ(outcome.acquired, 12U);
  EXPECT_EQ(outcome.extended, 2U);
  EXPECT_EQ(outcome.suppressed, 0U);
}

// ---- clocks that jump ----

// After 2 ms the clock jumps by 10 ms; client 0 holds the lock for 5 ms twice.
template <std::uint16_t kNode>
std::unique_ptr<Backend> jumping(const WorldPlan& plan) {
  std::unique_ptr<Backend> world = plain_simulation(plan);
  Backend* const backend = world.get();
  backend->at(Time{} + milliseconds(2), [backend] {
    backend->cpu_faults()->disturb_clock(NodeId{kNode}, milliseconds(10), {});
  });
  return world;
}
RunSetup with_jump(std::unique_ptr<Backend> (*make)(const WorldPlan&)) {
  RunSetup setup = extended(milliseconds(5));
  setup.make = make;
  return setup;
}
TEST(timed, redlock_model_grants_two_clients_if_the_clock_of_the_server_jumps) {
  EXPECT_GT(run(with_jump(jumping<1>), 1).safety.violations, 0U);
}
TEST(timed, redlock_model_tolerates_a_holder_s_clock_that_jumps_ahead) {
  expect_sound_run(with_jump(jumping<2>));
}

#endif

// ---- warnings about runs in which servers fail ----

std::vector<std::string> advice(const char* profile, const ParamValues& values,
                                std::uint32_t servers, bool fail) {
  const ProtocolEntry& entry = *find_protocol("redlock_model");
  ParamSet params = entry.info.resolve(profile);
  params.set(values);
  const auto protocol = entry.make(params);
  AdvisedRun run;
  run.shape.servers = servers;
  run.servers_fail = fail;
  return run_advice_of(*protocol)->advice(run);
}

const ParamValues kForEver = {{"call_timeout", Duration{}}};

TEST(redlock_advice, warns_of_calls_without_a_timeout_where_servers_fail) {
  EXPECT_THAT(advice("redlock", kForEver, 3, true), ElementsAre(HasSubstr("call_timeout is 0")));
  EXPECT_THAT(advice("redlock", {}, 3, true), IsEmpty());
  EXPECT_THAT(advice("redlock", kForEver, 3, false), IsEmpty());
}

// None of two masters may fail, and one is no majority, so that no setting helps.
TEST(redlock_advice, is_for_runs_with_a_minority_of_servers) {
  EXPECT_THAT(advice("redlock", kForEver, 2, true), IsEmpty());
  EXPECT_THAT(advice("redis", kForEver, 3, true), IsEmpty());
}

// A key of 10 ms is valid for 7.9 ms, and the timeouts of three of seven masters may not use that
// up.
TEST(redlock_advice, warns_of_timeouts_that_together_are_longer_than_a_key_is_valid) {
  EXPECT_THAT(advice("redlock", {{"call_timeout", milliseconds(7)}}, 3, true), IsEmpty());
  EXPECT_THAT(advice("redlock", {{"call_timeout", milliseconds(8)}}, 3, true),
              ElementsAre(HasSubstr("well below 7900us")));
  EXPECT_THAT(advice("redlock", {{"call_timeout", microseconds(2600)}}, 7, true), IsEmpty());
  EXPECT_THAT(advice("redlock", {{"call_timeout", microseconds(2700)}}, 7, true),
              ElementsAre(HasSubstr("3 of them are down")));
}

}  // namespace
}  // namespace latchlab::testing

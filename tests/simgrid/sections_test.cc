// Clients do what a scenario says about sections: upgrades, aborts, work. Whole runs, on a lock
// that supports all of it.

#include <map>
#include <vector>

#include "tests/protocols/reference_lock.h"
#include "tests/simgrid/runs.h"

namespace latchlab::simtest {
namespace {

std::string reference(const std::string& rest, const std::string& params = "") {
  if (find_protocol(testing::kReferenceLock) == nullptr) {
    EXPECT_TRUE(register_protocol(testing::reference_lock()).ok());
  }
  return "protocol: {name: reference_lock" + params + "}\n" + rest;
}

// A section makes one call to acquire and one to release, and another to upgrade.
TEST(SectionRuns, for_update_are_upgraded_as_often_as_the_scenario_says) {
  const std::map<std::string, double> calls = {{"0%", 2}, {"25%", 2.25}, {"100%", 3}};
  for (const auto& [ratio, expected] : calls) {
    const RepeatMetrics metrics =
        run(reference("locks: {count: 1000}\nplatform: {clients_per_node: 8}\n"
                      "workload: {update_ratio: 100%, upgrade_ratio: " +
                      ratio + "}"));
    EXPECT_GT(metrics.cycle.count(), 1000U);
    EXPECT_NEAR(*metrics.verbs_per_cycle.call, expected, 0.05) << ratio;
    EXPECT_EQ(*metrics.update_as_exclusive, 0U) << "the lock has that mode";
    EXPECT_EQ(metrics.safety.violations, 0U);
  }
}

// Readers hold the lock for 20 us. A client that only updates holds it together with them; one that
// becomes exclusive waits.
TEST(SectionRuns, that_upgrade_wait_for_readers) {
  const std::string head =
      "locks: {count: 1}\nplatform: {clients_per_node: 8}\n"
      "workload: {critical_section: 20us, read_ratio: 50%, update_ratio: 50%, upgrade_ratio: ";
  const RepeatMetrics updating = run(reference(head + "0%}"));
  const RepeatMetrics upgrading = run(reference(head + "100%}"));
  EXPECT_EQ(updating.safety.violations, 0U);
  EXPECT_EQ(upgrading.safety.violations, 0U);
  EXPECT_GT(*updating.goodput_ops_s, 1.2 * *upgrading.goodput_ops_s);
}

// ---- aborts ----

// Two locks in any order, if no client may wait: a client that keeps its first lock and asks again
// for the second excludes clients that do the same.
std::string two_at_once(const std::string& more) {
  return reference(
      "locks: {count: 4}\nplatform: {clients_per_node: 4}\n"
      "workload: {critical_section: 10us, locks_per_section: 2, order: as_asked, " +
          more + "}",
      ", max_waiting: 0");
}

TEST(SectionRuns, that_release_all_after_an_abort_make_progress) {
  const RepeatOutcome outcome = outcome_of(point_of(two_at_once("on_abort: give_back")));
  EXPECT_EQ(outcome.status, RepeatStatus::ok) << outcome.message;
  EXPECT_GT(*outcome.metrics.aborted_acquisitions, 20U);
  EXPECT_GT(outcome.metrics.cycle.count(), 20U);
  EXPECT_EQ(outcome.metrics.safety.violations, 0U);
}

TEST(SectionRuns, that_only_retry_after_an_abort_make_no_progress) {
  const RepeatOutcome outcome = outcome_of(point_of(two_at_once("on_abort: retry")));
  EXPECT_EQ(outcome.status, RepeatStatus::no_progress) << outcome.message;
  EXPECT_EQ(outcome.metrics.cycle.count(), 0U);
  EXPECT_EQ(outcome.metrics.safety.violations, 0U);
}

// Each of the four clients pauses after each abort.
TEST(SectionRuns, pause_after_each_abort) {
  for (const char* const what : {"give_back", "retry"}) {
    const std::string head =
        "locks: {count: 1}\nplatform: {client_nodes: 1, clients_per_node: 4}\n"
        "workload: {critical_section: 20us, on_abort: " +
        std::string(what) + ", retry_pause: ";
    const RepeatMetrics hasty = run(reference(head + "0us}", ", max_waiting: 0"));
    const RepeatMetrics patient = run(reference(head + "40us}", ", max_waiting: 0"));
    EXPECT_GT(*hasty.aborted_acquisitions, 4U * 2'000 / 40) << what;
    EXPECT_LE(*patient.aborted_acquisitions, 4U * (2'000 / 40 + 1)) << what;
    EXPECT_GT(*patient.aborted_acquisitions, 20U) << what;
  }
}

// ---- work ----

// Fills the source of WRITEs, and reads what they wrote.
class Reader final : public TraceHook {
 public:
  static constexpr std::uint64_t kWords = 256 / 8;
  std::unique_ptr<Backend> around(std::unique_ptr<Backend> inner, const WorldPlan&) override {
    backend_ = inner.get();
    return inner;
  }
  LoopObserver& around(LoopObserver& inner, const World& world) override {
    world_ = &world;
    for (std::uint32_t i = 0; i < world.world_shape().clients(); ++i)
      for (std::uint64_t w = 0; w < kWords; ++w)
        backend_->poke(world.buffer_of(ClientId{i}) + 8 * w, 1000 * (i + 1) + w);
    return inner;
  }
  void ended(Time) override {
    for (std::uint64_t lock = 0; lock < world_->world_shape().locks.count; ++lock)
      for (std::uint64_t w = 0; w < kWords; ++w)
        seen[lock].push_back(backend_->peek(world_->object_of(LockId{lock}) + 8 * w));
  }
  std::map<std::uint64_t, std::vector<std::uint64_t>> seen;  // by lock

 private:
  Backend* backend_ = nullptr;
  const World* world_ = nullptr;
};

// A script gives each client a lock of its own; client 2's is read only.
TEST(SectionRuns, write_the_clients_own_bytes_to_the_object_of_the_lock) {
  const Point point = point_of(
      "platform: {client_nodes: 2, clients_per_node: 2}\nlocks: {count: 4}\n"
      "protocol: {name: cas}\nworkload: {critical_section: {remote_ops: 2, bytes: 256B}, arrivals: "
      "{kind: script, list: [{at: 1us, client: 0, lock: 3}, {at: 2us, client: 1, lock: 2}, {at: "
      "3us, client: 2, lock: 1, mode: shared}, {at: 4us, client: 3, lock: 0}]}}");
  Reader reader;
  const RepeatOutcome outcome = run_repeat(point, *find_protocol("cas"), 0, simulation, &reader);
  EXPECT_EQ(outcome.status, RepeatStatus::ok) << outcome.message;
  ASSERT_EQ(reader.seen.size(), 4U);
  for (const auto& [lock, words] : reader.seen)
    for (std::uint64_t w = 0; w < Reader::kWords; ++w)
      ASSERT_EQ(words[w], lock == 1 ? 0 : 1000 * (4 - lock) + w) << "lock " << lock;
}

}  // namespace
}  // namespace latchlab::simtest

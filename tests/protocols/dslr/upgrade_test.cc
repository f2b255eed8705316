// Upgrades of dslr that wait for a reader, and what may happen meanwhile.

#include <optional>
#include <string>
#include <variant>

#include "tests/protocols/dslr/scene.h"
#include "tests/protocols/marks.h"

namespace latchlab::dslr_tests {
namespace {

RunSetup of_two_clients(const ParamValues& more = {}) {
  RunSetup setup;
  setup.protocol = "dslr";
  setup.client_nodes = 2;
  setup.params = {{"counters", text("six")}};
  setup.params.insert(setup.params.end(), more.begin(), more.end());
  return setup;
}

// Client 0 reads and keeps the lock; client 1 updates and wants to upgrade.
struct Stay {
  bool has_deadline = false;              // a deadline that has already passed
  Duration idle;                          // before the upgrade
  std::function<void(Scene&)> meanwhile;  // runs while the update lock is held
  // The outcome.
  std::optional<AbortReason> aborted;
  LockMode mode = LockMode::shared;  // as granted to the client that upgrades
  ActorTally verbs;                  // of its upgrade
  std::string phases;
  ReleaseResult released = ReleaseResult::suppressed;
};

Task<void> stay_and_upgrade(Scene& scene, Stay& stay) {
  const Want first = scene.want(LockMode::shared);
  const AcquireResult holds = co_await scene.client(0).acquire(first, {});
  EXPECT_TRUE(std::holds_alternative<Grant>(holds));
  Verbs& verbs = scene.verbs(1);
  const Want second = scene.want(LockMode::update);
  const AcquireResult result = co_await scene.client(1).acquire(second, {});
  const Grant grant = std::get<Grant>(result);
  stay.mode = grant.mode;
  if (stay.meanwhile) stay.meanwhile(scene);
  if (stay.idle.ps > 0) co_await verbs.sleep(stay.idle);
  AcquireOptions options;
  if (stay.has_deadline) options.deadline = verbs.now();
  verbs.tally() = {};
  Marks marks;
  verbs.measure_phases(&marks);
  const AcquireResult upgraded = co_await scene.client(1).upgrade(grant, options);
  verbs.measure_phases(nullptr);
  stay.phases = marks.taken();
  stay.verbs = verbs.tally();
  if (const Aborted* const aborted = std::get_if<Aborted>(&upgraded))
    stay.aborted = aborted->reason;
  stay.released = co_await scene.client(1).release(grant);
}

std::string upgrade_under_a_reader(Stay& stay, const ParamValues& more = {},
                                   bool on_a_client = false) {
  Scene scene(of_two_clients(more), on_a_client);
  scene.starts(1, stay_and_upgrade(scene, stay));
  EXPECT_EQ(scene.run(), RunEnd::finished);
  return scene.entry();
}

TEST(dslr_upgrade, ends_at_a_deadline_and_leaves_the_update) {
  LATCHLAB_NEEDS_EXPLORER("whose leases are as long as they are set");
  Stay stay;
  stay.has_deadline = true;
  EXPECT_EQ(upgrade_under_a_reader(stay), "nU=1 nX=0 nS=0 maxU=1 maxX=0 maxS=1");
  EXPECT_EQ(stay.mode, LockMode::update);
  EXPECT_EQ(stay.aborted, AbortReason::deadline);
  EXPECT_EQ(stay.verbs.of(VerbKind::read), stay.verbs.one_sided());
  EXPECT_EQ(stay.phases, " WR");
  EXPECT_EQ(stay.released, ReleaseResult::released);
}

TEST(dslr_upgrade, is_given_up_when_the_lease_expires) {
  LATCHLAB_NEEDS_EXPLORER("a lease ends as soon as nothing else can happen");
  Stay stay;
  upgrade_under_a_reader(stay);
  EXPECT_EQ(stay.aborted, AbortReason::deadline);
  EXPECT_EQ(stay.released, ReleaseResult::suppressed);
}

TEST(dslr_upgrade, takes_no_verb_after_the_lease_has_expired) {
  LATCHLAB_NEEDS_EXPLORER("whose leases are as long as they are set");
  Stay stay;
  stay.idle = nanoseconds(20);
  upgrade_under_a_reader(stay, {{"lease", nanoseconds(10)}});
  EXPECT_EQ(stay.aborted, AbortReason::deadline);
  EXPECT_EQ(stay.verbs.one_sided(), 0U);
  EXPECT_EQ(stay.released, ReleaseResult::suppressed);
}

TEST(dslr_upgrade, sees_that_the_lock_has_been_repaired) {
  LATCHLAB_NEEDS_EXPLORER("whose leases are as long as they are set");
  Stay stay;
  stay.meanwhile = [](Scene& scene) {
    scene.put(dslr::TicketWord(3, false, false, true), {1, 1, 1, 1, 1, 1});
  };
  upgrade_under_a_reader(stay);
  EXPECT_EQ(stay.aborted, AbortReason::recovered);
  EXPECT_EQ(stay.verbs.one_sided(), 1U);
}

TEST(dslr_upgrade, sees_that_the_server_has_failed) {
  LATCHLAB_NEEDS_EXPLORER("nodes of a real machine do not die");
  Stay stay;
  stay.meanwhile = [](Scene& scene) { scene.backend->crash(ClientId{0}, CrashKind::node); };
  upgrade_under_a_reader(stay, {}, true);
  EXPECT_EQ(stay.aborted, AbortReason::server_failed);
  EXPECT_EQ(stay.verbs.one_sided(), 1U);
}

TEST(dslr_upgrade, is_refused_to_clients_without_an_update_lock) {
  LATCHLAB_NEEDS_EXPLORER("whose leases are as long as they are set");
  Scene scene(of_two_clients());
  const auto upgrade_a_reader = [](Scene& on) -> Task<void> {
    const Want reads = on.want(LockMode::shared);
    const AcquireResult result = co_await on.client(0).acquire(reads, {});
    const Grant grant = std::get<Grant>(result);
    const AcquireResult upgraded = co_await on.client(0).upgrade(grant, {});
    EXPECT_EQ(std::get<Aborted>(upgraded).reason, AbortReason::unsupported);
  };
  scene.starts(0, upgrade_a_reader(scene));
  EXPECT_EQ(scene.run(), RunEnd::finished);
}

// One client holds two locks in update mode, and upgrades one of them.
Task<void> upgrade_one_of_two(Scene& scene) {
  LockClient& client = scene.client(0);
  const Want first = scene.want(LockMode::update, 0);
  const AcquireResult one = co_await client.acquire(first, {});
  Want second = scene.want(LockMode::update, 1);
  second.id = GrantId{1};
  const AcquireResult other = co_await client.acquire(second, {});
  const Grant held[] = {std::get<Grant>(one), std::get<Grant>(other)};
  const AcquireResult upgraded = co_await client.upgrade(held[0], {});
  const Grant written = std::get<Grant>(upgraded);
  EXPECT_EQ(written.lock.id, LockId{0});
  EXPECT_EQ(written.mode, LockMode::exclusive);
  const Grant read = held[1];
  co_await client.release(read);
  EXPECT_EQ(scene.entry(0), "nU=0 nX=0 nS=0 maxU=1 maxX=0 maxS=0");
  EXPECT_EQ(scene.entry(1), "nU=1 nX=0 nS=0 maxU=1 maxX=0 maxS=0");
  co_await client.release(written);
}

TEST(dslr_upgrade, changes_only_one_of_two_locks_held_by_a_client) {
  RunSetup setup = of_two_clients();
  setup.locks = 2;
  Scene scene(setup);
  scene.starts(0, upgrade_one_of_two(scene));
  EXPECT_EQ(scene.run(), RunEnd::finished);
  EXPECT_EQ(scene.entry(0), "nU=1 nX=0 nS=0 maxU=1 maxX=0 maxS=0");
}

}  // namespace
}  // namespace latchlab::dslr_tests

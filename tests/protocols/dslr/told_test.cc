// A client that waits for a dslr lock is told when the lock's server fails or another client
// repairs it.

#include <optional>

#include "tests/protocols/dslr/scene.h"
#include "tests/protocols/promises.h"

namespace latchlab::dslr_tests {
namespace {

using ::testing::Contains;
using ::testing::IsSupersetOf;
using ::testing::Not;

struct Told {
  std::optional<AbortReason> reason;  // none: it has acquired the lock
  Labels labels;
};

Task<void> ask(Scene& scene, std::uint32_t client, Told& told) {
  const Want want = scene.want(LockMode::exclusive);
  const AcquireResult result = co_await scene.client(client).acquire(want, {});
  if (const Aborted* const aborted = std::get_if<Aborted>(&result)) told.reason = aborted->reason;
}

// Two clients ask for a lock that no client releases; its node crashes, with client 0.
Told dies_after(std::uint64_t steps, std::uint64_t seed) {
  RunSetup setup;
  setup.protocol = "dslr";
  ExplorerOptions options;
  options.seed = seed;
  options.crashes = {{ClientId{0}, steps, CrashKind::node}};
  paths::forget();
  paths::record(true);
  Scene scene(setup, true, options);
  Told dead;
  Told told;
  scene.starts(0, ask(scene, 0, dead));
  scene.starts(1, ask(scene, 1, told));
  EXPECT_EQ(scene.run(), RunEnd::finished);
  paths::record(false);
  told.labels = labels("dslr", true);
  return told;
}

TEST(dslr_server, that_dies_is_reported_at_every_step) {
  LATCHLAB_NEEDS_EXPLORER("nodes of a real machine do not die");
  std::uint64_t in_repairs = 0;
  std::set<std::string> all;
  for (std::uint64_t steps = 1; steps <= 30; ++steps) {
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
      const Told told = dies_after(steps, seed);
      all.insert(told.labels.begin(), told.labels.end());
      // No answer arrives, so that nothing is read from it.
      EXPECT_THAT(told.labels, Not(Contains("a repair finds the word changed")));
      if (told.reason != AbortReason::server_failed) continue;
      const Labels& path = told.labels;
      in_repairs += static_cast<std::uint64_t>(
          std::count(path.begin(), path.end(), "no ticket is served for two leases"));
    }
  }
  EXPECT_GT(in_repairs, 0U);
  EXPECT_THAT(all, IsSupersetOf({"the server fails an acquire", "the server fails a wait"}));
}

// Client 1 writes `tickets` once client 0 has taken ticket 1.
Task<void> repair_under_a_waiter(Scene& scene, dslr::Tickets tickets) {
  const dslr::TicketWord word(16, false, false);
  const RemoteAddr entry = scene.world.lock(LockId{0}).entry;
  RemoteWait wait;
  wait.add(read_verb(entry));
  wait.classify = [word](const ProbeValues& values) {
    return word.unpack(values[0]).max_x == 2 ? Verdict::done : Verdict::pending;
  };
  Verbs& verbs = scene.verbs(1);
  co_await verbs.await_remote(wait);
  co_await verbs.write(entry, word.pack(tickets).lo);
}

Told meets(const dslr::Tickets& tickets) {
  RunSetup setup;
  setup.protocol = "dslr";
  setup.profile = "repaired";
  paths::forget();
  paths::record(true);
  Scene scene(setup);
  scene.put(dslr::TicketWord(16, false, false), {0, 0, 1, 0});
  Told told;
  scene.starts(0, ask(scene, 0, told));
  scene.starts(1, repair_under_a_waiter(scene, tickets));
  EXPECT_EQ(scene.run(), RunEnd::finished);
  paths::record(false);
  told.labels = labels("dslr", true);
  return told;
}

TEST(dslr_waiter, distinguishes_a_repair_from_a_new_era) {
  LATCHLAB_NEEDS_EXPLORER("whose leases end when nothing else can happen");
  const Told passed = meets({2, 0, 3, 0});
  EXPECT_EQ(passed.reason, AbortReason::recovered);
  EXPECT_THAT(passed.labels, Contains("a waiting client has been passed"));
  EXPECT_THAT(passed.labels, Not(Contains("a waiting client is in a new era")));
  const Told outlived = meets({});
  EXPECT_EQ(outlived.reason, AbortReason::recovered);
  EXPECT_THAT(outlived.labels, Contains("a waiting client is in a new era"));
  EXPECT_THAT(outlived.labels, Not(Contains("a waiting client has been passed")));
}

}  // namespace
}  // namespace latchlab::dslr_tests

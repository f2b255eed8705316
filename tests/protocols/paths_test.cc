// Which labelled paths of each lock a crowd without failures takes, and which need a failure.

#include "core/base/paths.h"

#include <ostream>

#include "tests/protocols/harness.h"

namespace latchlab::testing {
namespace {

using ::testing::IsSupersetOf;
using Labels = std::vector<std::string>;

struct Crowd {
  const char* protocol;
  Labels ordinary;  // at least these are reached
  Labels rare;      // and none of these, although they are known
};

std::ostream& operator<<(std::ostream& out, const Crowd& crowd) {
  return out << crowd.protocol;
}

Case crowd_of(const std::string& protocol) {
  Case setup;
  setup.protocol = protocol;
  setup.client_nodes = 3;
  // dslr's small counters have no room for more than three clients.
  setup.clients_per_node = protocol == "cohort_reference" ? 3 : 1;
  setup.operations = 6;
  setup.shared_percent = 40;
  return setup;
}

// Without the prefix that names the lock.
Labels labels(const std::string& protocol, bool reached) {
  Labels found;
  const std::string prefix = protocol + ": ";
  for (const paths::PathState& path : paths::all(prefix))
    if (path.reached == reached) found.emplace_back(path.label.substr(prefix.size()));
  return found;
}

Labels reached_by(const Case& setup, std::uint64_t seeds) {
  paths::forget();
  paths::record(true);
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) (void)run(setup, seed);
  paths::record(false);
  return labels(setup.protocol, true);
}

std::vector<Crowd> crowds() {
  return {
      {"cas",
       {"the lock is free at the first try", "the lock is held at the first try",
        "retries follow at once", "a retry takes the lock", "a CAS frees the lock"},
       {"a client gives up at its deadline", "the server fails at the first try",
        "the server fails during the retries", "a WRITE frees the lock"}},
      {"mcs",
       {"the queue is empty", "a client queues up behind another", "a Handover arrives",
        "a release knows its successor", "a release waits for a late Successor",
        "a release leaves the queue empty"},
       {"a Successor cannot be delivered", "a Handover cannot be delivered",
        "the server fails an acquire", "the server fails a release", "a handover is counted"}},
      {"dslr",
       {"a reader enters at once", "a writer enters at once", "a reader waits for its turn",
        "a writer waits for its turn", "the turn of a waiting client comes", "a reader releases",
        "a writer releases", "no tickets are left", "the last ticket of an era is served",
        "the last holder ends the era", "a client without a ticket sees the next era"},
       {"nobody is served for two leases", "a repair sends everyone back",
        "a repair leaves a tombstone", "a tombstone is taken away", "a late release is suppressed",
        "a waiting client has been passed", "a ticket is undone"}},
      {"shiftlock",
       {"a reader enters at once", "a reader waits for writers", "a waiting reader is let in",
        "a writer enters at once", "the first writer waits for readers",
        "a writer queues behind another", "a writer waits for the readers of a mode change",
        "a reader releases", "a release leaves the queue empty", "a release lets readers in",
        "a release waits for a late Successor"},
       {"a request for recovery is granted", "a request for recovery is rejected",
        "the server resets a lock", "a waiting writer starts again after a recovery",
        "a waiting reader starts again after a recovery",
        "a late release of a writer is suppressed", "a release misses a recovered lock",
        "a stale message is dropped"}},
      {"cohort_reference",
       {"a client is the first of its node", "a client waits for its neighbours",
        "the leader of a node takes the lock", "a neighbour hands the lock on",
        "a neighbour gives up its lead", "nobody of the node waits", "the lock stays at the node",
        "the node has had enough turns"},
       {"the server fails the leader of a node"}},
  };
}

class CrowdPaths : public ::testing::TestWithParam<Crowd> {};

TEST_P(CrowdPaths, are_the_ordinary_ones_alone) {
  LATCHLAB_NEEDS_EXPLORER("reaches rare paths by many orders");
  const Crowd& crowd = GetParam();
  const Labels reached = reached_by(crowd_of(crowd.protocol), 60);
  EXPECT_THAT(reached, IsSupersetOf(crowd.ordinary));
  EXPECT_THAT(labels(crowd.protocol, false), IsSupersetOf(crowd.rare));
}

INSTANTIATE_TEST_SUITE_P(all, CrowdPaths, ::testing::ValuesIn(crowds()),
                         [](const auto& made) { return std::string(made.param.protocol); });

TEST(Paths, of_dslr_after_a_crash_lead_through_a_repair) {
  LATCHLAB_NEEDS_EXPLORER("reaches rare paths by many orders");
  Case setup = crowd_of("dslr");
  setup.dies = {0};
  EXPECT_THAT(reached_by(setup, 60),
              IsSupersetOf({"nobody is served for two leases", "a repair sends everyone back",
                            "a waiting client has been passed"}));
}

TEST(Paths, of_shiftlock_after_a_crash_lead_through_a_recovery) {
  LATCHLAB_NEEDS_EXPLORER("reaches rare paths by many orders");
  Case setup = crowd_of("shiftlock");
  setup.dies = {0};
  EXPECT_THAT(reached_by(setup, 60),
              IsSupersetOf({"a request for recovery is granted", "the server resets a lock",
                            "a waiting writer starts again after a recovery"}));
}

TEST(Paths, of_every_lock_begin_with_its_name) {
  std::size_t named = 0;
  for (const ProtocolEntry& entry : protocol_registry()) {
    const std::size_t own = paths::all(entry.info.name + ": ").size();
    EXPECT_GE(own, 8U) << entry.info.name;
    named += own;
  }
  EXPECT_EQ(paths::all().size(), named) << "a label begins with no lock's name";
}

}  // namespace
}  // namespace latchlab::testing

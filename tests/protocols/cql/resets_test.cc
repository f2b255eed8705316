// What a reset costs, when a release calls for it, and which phases the lock passes through.

#include "tests/protocols/marks.h"
#include "tests/protocols/promises.h"

namespace latchlab::cql_tests {
namespace {

using namespace testing;
using ::testing::Contains;
using ::testing::ElementsAre;

// Alone, where the second version is that of entries nobody has written: the third release finds
// none left. Two CAS begin the reset, for the first one finds out what there is, and one ends it.
TEST(cql, takes_three_cas_for_a_reset_that_nobody_disturbs) {
  RunSetup setup;
  setup.protocol = "cql";
  setup.client_nodes = setup.clients_per_node = 1;
  setup.operations = 12;
  setup.shared_percent = 0;
  setup.params = {{"version_bits", number(1)}, {"capacity", number(3)}};
  Outcome outcome;
  EXPECT_THAT(reached_in(setup, 1, outcome), Contains("a release finds no versions left"));
  EXPECT_EQ(outcome.acquired, 12U);
  EXPECT_GT(outcome.recoveries, 0U);
  EXPECT_EQ(outcome.tally.of(VerbKind::cas), 3 * outcome.recoveries);
}

// Nobody loses patience here, so that but for the reset those behind the entry waited for ever.
TEST(cql, resets_a_queue_in_which_a_release_finds_an_entry_overwritten) {
  LATCHLAB_NEEDS_EXPLORER("searches for an order");
  RunSetup setup;
  setup.protocol = "cql";
  setup.profile = "repaired";
  setup.client_nodes = 3;
  setup.operations = 4;
  setup.shared_percent = 50;
  setup.params = {{"capacity", number(3)}, {"timeout", Duration{}}, {"overflow", text("version")}};
  bool found = false;
  for (std::uint64_t seed = 1; seed <= 2'000 && !found; ++seed) {
    Outcome outcome;
    const Labels seen = reached_in(setup, seed, outcome);
    found = outcome.end == RunEnd::finished &&
            std::count(seen.begin(), seen.end(), "a release finds an entry overwritten") > 0;
  }
  EXPECT_TRUE(found);
}

TEST(cql, counts_notifications_apart_from_its_own_verbs) {
  LATCHLAB_NEEDS_EXPLORER("asks for every way through");
  RunSetup setup;
  setup.protocol = "cql";
  setup.profile = "repaired";
  setup.client_nodes = 2;
  setup.shared_percent = 0;
  EXPECT_THAT(phases_of(setup),
              ElementsAre("acquire IA", "acquire IA WP", "release IA", "release IA NS"));
}

}  // namespace
}  // namespace latchlab::cql_tests

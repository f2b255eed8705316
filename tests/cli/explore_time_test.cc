// latchlab explore in timed mode: latencies, clocks and how long a client holds the lock.
#include <gmock/gmock.h>

#include "tests/cli/explore.h"

namespace latchlab::cli_test {
namespace {

using ::testing::HasSubstr;

TEST_F(Explore, the_search_is_timed_if_latencies_are_given) {
  const Finished finished = explore({"--protocol", "dslr", "--set", "lease=10us", "--set",
                                     "validity=from_grant", "--modes", "X", "S", "--placement",
                                     "spread", "--latencies", "1us", "15us", "--hold", "1us"});
  EXPECT_EQ(finished.code, 1);
  EXPECT_THAT(finished.out, HasSubstr("was looked at, with these latencies and clocks.\n"));
  EXPECT_THAT(finished.out, HasSubstr("FOUND not free at the end in "));
  const Finished replayed = latchlab({"replay", "found/dslr-not-free-at-the-end-1.json"});
  EXPECT_EQ(replayed.code, 0);
  EXPECT_THAT(replayed.out, HasSubstr("each leg of a verb takes 1us 15us; the lock is held for"));
  EXPECT_THAT(replayed.out, HasSubstr("   1.  1.000 us  client 0: FAA 0x"));
}

TEST_F(Explore, a_lock_that_relies_on_time_needs_latencies) {
  const std::string wants =
      "no time passes in this search: give --latencies, such as "
      "'--latencies 1us --hold 2us'";
  expect_refused({"--protocol", "redlock_model", "--crashes", "1"}, wants);
  expect_refused({"--protocol", "redlock_model", "--pauses", "1"}, wants);
  expect_refused({"--protocol", "citron", "--crashes", "1"}, wants);
  expect_refused({"--protocol", "citron"}, wants);
  const Finished timed = explore({"--protocol",  "redlock_model",
                                  "--set",       "ttl=20us",
                                  "--set",       "drift_least=0ns",
                                  "--set",       "retry_delay=4us",
                                  "--set",       "show=false",
                                  "--latencies", "1us",
                                  "--hold",      "2us",
                                  "--crashes",   "1",
                                  "--horizon",   "120us",
                                  "--placement", "spread"});
  EXPECT_EQ(timed.code, 0) << timed.err;
  EXPECT_THAT(timed.out, HasSubstr("\nNothing found.\n"));
}

TEST_F(Explore, a_timed_verdict_contains_latencies_and_clocks) {
  const Finished finished = explore({"--protocol", "cas", "--latencies", "2us", "1us", "--drift",
                                     "100", "--patience", "20us", "--json"});
  const Json bounds = parse_json(finished.out)["bounds"];
  EXPECT_EQ(bounds["latencies"], Json({"1us", "2us"}));
  EXPECT_EQ(bounds["drift_ppm"], 100);
  EXPECT_EQ(bounds["hold"], "2us");
  EXPECT_EQ(bounds["patience"], "20us");
  EXPECT_EQ(bounds["horizon"], "2ms");
}

TEST_F(Explore, invalid_times_are_refused) {
  const std::vector<std::string> cas = {"--protocol", "cas"};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), cas.begin(), cas.end());
    return more;
  };
  expect_refused(with({"--drift", "10"}),
                 "--drift, --hold, --patience, --pause-length and --horizon are for ");
  expect_refused(with({"--hold", "1us"}), "give --latencies too");
  expect_refused(with({"--latencies", "soon"}), "--latencies soon: ");
  expect_refused(with({"--latencies", "1us", "--hold", "long"}), "--hold long: ");
  expect_refused(with({"--latencies", "0us"}), "latencies: expected more than 0");
  expect_refused(with({"--latencies", "1us", "1us"}), "each is longer than the one before");
  expect_refused(with({"--latencies", "1us", "--drift", "200000"}), "from 0 to 100000");
  expect_refused(with({"--latencies", "1us", "--pauses", "1"}), "give --pause-length");
  expect_refused(with({"--latencies", "1us", "--delays", "1"}), "give a long latency instead");
  expect_refused(with({"--latencies", "10000s"}), "at most 100s");
  expect_refused(with({"--latencies", "1us", "--hold", "200s"}), "hold 200s: expected at most");
  expect_refused({"--protocol", "mcs", "--latencies", "1us", "--patience", "5us"},
                 "mcs lets no client give up");
  expect_refused(with({"--clients", "16", "--latencies", "1us", "--drift", "10"}),
                 "and of slow and fast clocks");
}

}  // namespace
}  // namespace latchlab::cli_test

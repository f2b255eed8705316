// The warnings of redlock_model about runs in which servers fail.

#include <gmock/gmock.h>

#include "core/protocols/registry.h"
#include "core/protocols/run_advice.h"

namespace latchlab::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

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

// Warnings of `check` when the faults of a scenario break the lock as it is configured.
#include <gmock/gmock.h>

#include "tests/cli/program.h"

namespace latchlab::cli_test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

using Advice = Command;

TEST_F(Advice, names_the_timeout_that_redlock_needs_where_a_server_fails) {
  const std::string file = write("minority.yaml", R"(schema: 1
name: minority
platform: {servers: 3, client_nodes: 2}
protocol: {name: redlock_model, masters: all}
faults: [{kind: node_crash, node: 1, at: 5ms}]
)");
  const Finished warned = latchlab({"check", file});
  EXPECT_EQ(warned.code, 0) << warned.err;
  EXPECT_THAT(warned.out, HasSubstr("warning: redlock_model: protocol.call_timeout is 0"));
  const Finished fine = latchlab({"check", file, "--set", "protocol.call_timeout=500us"});
  EXPECT_THAT(fine.out, Not(HasSubstr("call_timeout")));
  const Finished whole = latchlab({"check", file, "--set", "faults=[]"});
  EXPECT_THAT(whole.out, Not(HasSubstr("call_timeout")));
}

// Without a timeout no client resets a queue that contains a dead client.
TEST_F(Advice, warns_that_a_lock_without_a_timeout_does_not_notice_deaths) {
  for (const char* lock : {"cql", "declock"}) {
    const std::string file = write("deaths.yaml", R"(schema: 1
name: deaths
platform: {client_nodes: 2}
faults: [{kind: node_crash, node: 2, at: 5ms}]
)");
    const std::string protocol = std::string("protocol={name: ") + lock + "}";
    const Finished warned =
        latchlab({"check", file, "--set", protocol, "--set", "protocol.timeout=0us"});
    EXPECT_EQ(warned.code, 0) << warned.err;
    EXPECT_THAT(warned.out,
                HasSubstr(std::string(lock) + " notices deaths by a timeout, and has none"));
    const Finished fine = latchlab({"check", file, "--set", protocol});
    EXPECT_EQ(fine.code, 0) << fine.err;
    EXPECT_THAT(fine.out, Not(HasSubstr("notices deaths")));
  }
}

}  // namespace
}  // namespace latchlab::cli_test

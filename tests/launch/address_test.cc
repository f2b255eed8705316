// Addresses and tokens in the form that users write, and listening with them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <fstream>

#include "core/launch/coordinator.h"
#include "core/launch/rendezvous.h"

namespace latchlab::launch {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

std::string problem(const std::string& text) {
  const auto address = parse_address(text);
  return address ? "read as " + address.value().text() : address.error().message;
}

TEST(Address, survives_reading_and_writing) {
  for (const char* text : {"node1:7400", "127.0.0.1:0", "[fd00::1]:65535", "[::]:1"}) {
    const auto address = parse_address(text);
    ASSERT_TRUE(address.ok()) << address.error().message;
    EXPECT_EQ(address.value().text(), text);
  }
  EXPECT_EQ(parse_address("[fd00::1]:80").value().host, "fd00::1");
  EXPECT_EQ(parse_address("[node1]:80").value().host, "node1");
}

TEST(Address, names_what_is_wrong_with_it) {
  EXPECT_THAT(problem("node1"), HasSubstr("it has no port; write HOST:PORT or [IPv6]:PORT"));
  EXPECT_THAT(problem("[::1]"), HasSubstr("it has no port"));
  EXPECT_THAT(problem("::1:80"), HasSubstr("needs brackets"));
  EXPECT_THAT(problem("[::1:80"), HasSubstr("not closed"));
  EXPECT_THAT(problem(":80"), HasSubstr("it has no host"));
  EXPECT_THAT(problem("[]:80"), HasSubstr("it has no host"));
  EXPECT_THAT(problem("node1:65536"), HasSubstr("'65536' is no port"));
  EXPECT_THAT(problem("node1:"), HasSubstr("'' is no port"));
  EXPECT_THAT(problem("node1:http"), HasSubstr("'http' is no port"));
  EXPECT_THAT(problem("node1:-1"), HasSubstr("'-1' is no port"));
}

TEST(Token, is_random) {
  const std::string one = random_token().value();
  EXPECT_EQ(one.size(), 32U);
  EXPECT_NE(one, random_token().value());
}

TEST(Token, that_is_easy_to_guess_is_refused) {
  ::setenv(kTokenVariable, "fifteen letters", 1);
  EXPECT_THAT(find_token("").error().message,
              AllOf(HasSubstr("LATCHLAB_TOKEN has 15 characters"), HasSubstr("at least 16"),
                    HasSubstr("openssl rand -hex 16"), Not(HasSubstr("fifteen"))));
  ::setenv(kTokenVariable, "sixteen  letters", 1);
  EXPECT_TRUE(find_token("").ok());
  ::unsetenv(kTokenVariable);
}

TEST(Token, comes_from_the_environment_or_a_file_of_the_user) {
  ::unsetenv(kTokenVariable);
  EXPECT_THAT(find_token("").error().message, HasSubstr("set LATCHLAB_TOKEN"));
  ::setenv(kTokenVariable, "out-of-the-environment", 1);
  EXPECT_EQ(find_token("").value(), "out-of-the-environment");
  const std::string file = testing::TempDir() + "/token";
  std::ofstream(file) << "out-of-a-file-of-mine\n";
  ::chmod(file.c_str(), 0640);
  EXPECT_THAT(find_token(file).error().message, HasSubstr("chmod 600"));
  ::chmod(file.c_str(), 0600);
  EXPECT_EQ(find_token(file).value(), "out-of-a-file-of-mine");
  std::ofstream(file) << "\n";
  EXPECT_THAT(find_token(file).error().message, HasSubstr("holds no token"));
  EXPECT_THAT(find_token(file + "-none").error().message, HasSubstr("cannot read"));
  ::unsetenv(kTokenVariable);
}

TEST(Listening, reports_addresses_that_cannot_be_used) {
  RendezvousOptions options;
  options.at.host = "192.0.2.1";
  EXPECT_THAT(Coordinator::listen(options).error().message, HasSubstr("cannot listen at"));
  options.at.host = "no-such-host.invalid";
  EXPECT_THAT(Coordinator::listen(options).error().message, HasSubstr("cannot find the host"));
}

TEST(Listening, a_token_is_generated_if_none_is_given) {
  const auto coordinator = Coordinator::listen({});
  EXPECT_EQ(coordinator.value().token().size(), 32U);
  EXPECT_NE(coordinator.value().port(), 0);
}

}  // namespace
}  // namespace latchlab::launch

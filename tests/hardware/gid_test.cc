// Addresses of ports in their textual form. Needs no device.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "backends/ibverbs/device.h"

namespace latchlab::ib {
namespace {

std::string again(const std::string& address) {
  const auto gid = parse_gid(address);
  return gid ? text_of(*gid) : "no address";
}

TEST(Gids, are_printed_as_ip_prints_addresses) {
  EXPECT_EQ(again("10.77.0.1"), "10.77.0.1");
  EXPECT_EQ(again("fd93:1::11"), "fd93:1::11");
  EXPECT_EQ(again("fe80::1"), "fe80::1");
}

TEST(Gids, are_the_same_in_any_notation) {
  EXPECT_EQ(parse_gid("fd93:1::11"), parse_gid("FD93:0001:0000:0000:0000:0000:0000:0011"));
  EXPECT_EQ(parse_gid("10.77.0.1"), parse_gid("::ffff:10.77.0.1"));
  EXPECT_NE(parse_gid("fd93:1::11"), parse_gid("fd93:1::12"));
}

TEST(Gids, are_refused_if_they_are_no_addresses) {
  for (const char* const wrong :
       {"", "10.77.0", "10.77.0.256", "fd93::1::2", "host", "fd93:1::11/64"})
    EXPECT_EQ(parse_gid(wrong), std::nullopt) << wrong;
}

TEST(Gids, are_link_local_from_fe80_to_febf) {
  for (const char* const local : {"fe80::1", "febf::1"})
    EXPECT_TRUE(is_link_local(parse_gid(local).value())) << local;
  for (const char* const other : {"fd93:1::11", "fec0::1", "10.77.0.1", "2001:db8::1"})
    EXPECT_FALSE(is_link_local(parse_gid(other).value())) << other;
}

}  // namespace
}  // namespace latchlab::ib

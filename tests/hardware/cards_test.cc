// The descriptors that nodes exchange before a run; needs no device.

#include "backends/ibverbs/cards.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace latchlab::ib {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

NodeCard card_of(std::uint16_t node) {
  NodeCard card;
  card.node = NodeId{node};
  card.base = 0x7f00'0000'0000;
  card.bytes = 4096;
  card.key = 7;
  card.threads = 9;
  card.machine = "somewhere";
  card.lane.number = 1234;
  card.pkey = 0xffff;
  return card;
}

TEST(Cards, survive_writing_and_reading) {
  NodeCard card = card_of(3);
  card.infiniband = true;
  card.pkey = 0x8001;
  const auto read = read_card(write_card(card), NodeId{3});
  ASSERT_TRUE(read.ok());
  const NodeCard& same = read.value();
  EXPECT_EQ(write_card(same), write_card(card));
  EXPECT_EQ(same.machine, "somewhere");
  EXPECT_EQ(same.lane.number, 1234U);
  EXPECT_TRUE(same.infiniband);
  EXPECT_EQ(same.pkey, 0x8001);
}

TEST(Cards, of_another_node_or_truncated_are_refused) {
  const std::string text = write_card(card_of(3));
  EXPECT_FALSE(read_card(text, NodeId{4}).ok());
  for (std::size_t bytes = 0; bytes < text.size(); ++bytes)
    EXPECT_FALSE(read_card(text.substr(0, bytes), NodeId{3}).ok()) << bytes;
}

TEST(Cards, of_ports_that_cannot_reach_each_other_are_an_error_that_names_both) {
  const NodeCard here = card_of(1);
  NodeCard there = card_of(2);
  EXPECT_TRUE(check_fabric(here, there).ok());
  there.infiniband = true;
  EXPECT_THAT(check_fabric(here, there).error().text(),
              AllOf(HasSubstr("node 1 is Ethernet"), HasSubstr("node 2 is InfiniBand")));
  there.infiniband = false;
  there.pkey = 0x8001;
  EXPECT_THAT(check_fabric(here, there).error().text(),
              AllOf(HasSubstr("0xffff"), HasSubstr("0x8001"), HasSubstr("--pkey")));
}

TEST(Cards, of_one_partition_need_at_least_one_full_member) {
  NodeCard here = card_of(1);
  NodeCard there = card_of(2);
  here.pkey = 0x0001;
  there.pkey = 0x8001;
  EXPECT_TRUE(check_fabric(here, there).ok());
  there.pkey = 0x0001;
  EXPECT_THAT(check_fabric(here, there).error().text(), HasSubstr("limited members"));
  there.pkey = 0;  // its device does not report it
  EXPECT_TRUE(check_fabric(here, there).ok());
}

}  // namespace
}  // namespace latchlab::ib

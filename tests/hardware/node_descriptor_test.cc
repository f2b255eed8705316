// The descriptors that nodes exchange before a run; needs no device.

#include "backends/ibverbs/node_descriptor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace latchlab::ib {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

NodeDescriptor descriptor_of(std::uint16_t node) {
  NodeDescriptor descriptor;
  descriptor.node = NodeId{node};
  descriptor.base = 0x7f00'0000'0000;
  descriptor.bytes = 4096;
  descriptor.key = 7;
  descriptor.threads = 9;
  descriptor.machine = "somewhere";
  descriptor.channel.number = 1234;
  descriptor.pkey = 0xffff;
  return descriptor;
}

TEST(NodeDescriptor, survive_writing_and_reading) {
  NodeDescriptor descriptor = descriptor_of(3);
  descriptor.infiniband = true;
  descriptor.pkey = 0x8001;
  const auto read = read_descriptor(write_descriptor(descriptor), NodeId{3});
  ASSERT_TRUE(read.ok());
  const NodeDescriptor& same = read.value();
  EXPECT_EQ(write_descriptor(same), write_descriptor(descriptor));
  EXPECT_EQ(same.machine, "somewhere");
  EXPECT_EQ(same.channel.number, 1234U);
  EXPECT_TRUE(same.infiniband);
  EXPECT_EQ(same.pkey, 0x8001);
}

TEST(NodeDescriptor, of_another_node_or_truncated_are_refused) {
  const std::string text = write_descriptor(descriptor_of(3));
  EXPECT_FALSE(read_descriptor(text, NodeId{4}).ok());
  for (std::size_t bytes = 0; bytes < text.size(); ++bytes)
    EXPECT_FALSE(read_descriptor(text.substr(0, bytes), NodeId{3}).ok()) << bytes;
}

TEST(NodeDescriptor, of_ports_that_cannot_reach_each_other_are_an_error_that_names_both) {
  const NodeDescriptor here = descriptor_of(1);
  NodeDescriptor there = descriptor_of(2);
  EXPECT_TRUE(check_fabric(here, there).ok());
  there.infiniband = true;
  EXPECT_THAT(check_fabric(here, there).error().text(),
              AllOf(HasSubstr("node 1 is Ethernet"), HasSubstr("node 2 is InfiniBand")));
  there.infiniband = false;
  there.pkey = 0x8001;
  EXPECT_THAT(check_fabric(here, there).error().text(),
              AllOf(HasSubstr("0xffff"), HasSubstr("0x8001"), HasSubstr("--pkey")));
}

TEST(NodeDescriptor, of_one_partition_need_at_least_one_full_member) {
  NodeDescriptor here = descriptor_of(1);
  NodeDescriptor there = descriptor_of(2);
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

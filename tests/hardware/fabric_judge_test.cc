// The judgement of a cluster from the reports of its nodes; needs no device.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/non_empty.h"
#include "tools/latchlab/hardware/fabric.h"

namespace latchlab::tool {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using End = ib::WayReport::End;

constexpr std::uint32_t kAll = NativeAtomics::plain | NativeAtomics::masked_8 |
                               NativeAtomics::masked_16 | NativeAtomics::mixed;

// Healthy nodes, with all paths healthy.
std::vector<FabricNode> nodes(std::uint32_t count) {
  std::vector<FabricNode> all;
  for (std::uint32_t i = 1; i <= count; ++i) {
    FabricNode node;
    node.node = i;
    node.host = "host" + std::to_string(i);
    node.device = "mlx5_0";
    node.firmware = "16.35.3006";
    node.board = "MT_0000000008";
    node.kernel = "6.1.0";
    node.library = "libibverbs.so.1.14.44.0";
    node.link_layer = "RoCE v2";
    node.gid = "10.0.0." + std::to_string(i);
    node.gid_index = 3;
    node.mtu_bytes = 4096;
    node.pkey = 0xffff;
    node.pkeys = {0xffff};
    node.atomics = {kAll, ""};
    node.clock = "tsc";
    node.governor = "performance";
    ib::WayReport way;
    way.end = End::fine;
    way.verbs = 40;
    way.min_ns = 2'000;
    node.ways.assign(count, way);
    all.push_back(node);
  }
  return all;
}

// The line of this name; the test fails if it does not exist.
Line line(const Lines& lines, const std::string& what) {
  const auto found =
      std::find_if(lines.begin(), lines.end(), [&](const Line& each) { return each.what == what; });
  EXPECT_NE(found, lines.end()) << what;
  return found == lines.end() ? Line{} : *found;
}

// Exactly one line is not healthy, and has this text.
void expect_only(const std::vector<FabricNode>& told, const std::string& what, Health health,
                 const std::string& found, const std::string& by_agents = "") {
  const Lines lines = judge_fabric(told, by_agents);
  for (const Line& each : non_empty(lines)) {
    EXPECT_EQ(each.health, each.what == what ? health : Health::fine) << each.what;
    EXPECT_EQ(each.fix.empty(), each.health == Health::fine) << each.what;
  }
  EXPECT_THAT(line(lines, what).found, HasSubstr(found));
  EXPECT_EQ(is_well(lines), health == Health::note);
}

TEST(Fabric, of_equal_nodes_is_healthy) {
  const Lines lines = judge_fabric(nodes(3), "");
  EXPECT_GT(lines.size(), 8U);
  for (const Line& each : lines) EXPECT_EQ(each.health, Health::fine) << each.what;
  EXPECT_TRUE(judge_ways(nodes(3)).empty());
}

TEST(Fabric, with_two_link_layers_is_wrong) {
  auto told = nodes(3);
  told[1].link_layer = "InfiniBand";
  expect_only(told, "link layer", Health::wrong, "RoCE v2 on nodes 1,3; InfiniBand on node 2");
}

TEST(Fabric, must_have_one_mtu) {
  auto told = nodes(4);
  told[3].mtu_bytes = 1024;
  expect_only(told, "MTU", Health::wrong, "4096 bytes on nodes 1-3; 1024 bytes on node 4");
}

TEST(Fabric, must_have_one_partition_with_at_most_one_limited_member) {
  auto told = nodes(3);
  told[0].pkey = 0x7fff;
  EXPECT_TRUE(is_well(judge_fabric(told, "")));
  told[2].pkey = 0x7fff;
  expect_only(told, "partition", Health::wrong, "0x7fff on nodes 1,3; 0xffff on node 2");
  told = nodes(3);
  told[2].pkey = 0x8001;
  expect_only(told, "partition", Health::wrong, "0xffff on nodes 1-2; 0x8001 on node 3");
}

TEST(Fabric, reports_nodes_without_masks_and_locks_that_need_agents) {
  auto told = nodes(3);
  told[1].atomics = {NativeAtomics::plain, "mlx5_0: the firmware has none"};
  EXPECT_EQ(atomics_of(told).kinds, std::uint32_t{NativeAtomics::plain});
  expect_only(told, "atomics", Health::wrong,
              "CAS and FAA, masked atomics of 8 and 16 bytes on nodes 1,3; CAS and FAA on node 2; "
              "by agents for mcs: mlx5_0: the firmware has none",
              "mcs");
  // If no node has masks, the nodes do not differ.
  for (FabricNode& node : told) node.atomics = told[1].atomics;
  const Line same = line(judge_fabric(told, "mcs"), "atomics");
  EXPECT_EQ(same.health, Health::note);
  EXPECT_EQ(same.found, "CAS and FAA; by agents for mcs: mlx5_0: the firmware has none");
}

TEST(Fabric, needs_memory_that_may_be_locked) {
  auto told = nodes(2);
  told[1].memlock_bytes = 8 << 20;
  expect_only(told, "locked memory", Health::wrong, "no limit on node 1; 8192 KiB on node 2");
  told[1].memlock_bytes = 512 << 20;
  expect_only(told, "locked memory", Health::note, "524288 KiB on node 2");
}

TEST(Fabric, needs_a_clock_that_is_fast_to_read) {
  auto told = nodes(2);
  told[0].clock = "hpet";
  expect_only(told, "clock source", Health::wrong, "hpet on node 1; tsc on node 2");
  told[0].clock = "kvm-clock";
  expect_only(told, "clock source", Health::note, "kvm-clock on node 1");
}

TEST(Fabric, with_several_versions_is_reported) {
  auto told = nodes(2);
  told[0].firmware = "16.35.1";
  expect_only(told, "firmware", Health::note, "16.35.1 on node 1; 16.35.3006 on node 2");
  told = nodes(2);
  told[1].library = "libibverbs.so.1.14.50.0";
  expect_only(told, "libibverbs", Health::note, "libibverbs.so.1.14.50.0 on node 2");
}

TEST(Fabric, with_growing_counters_of_loss_is_wrong) {
  auto told = nodes(2);
  told[1].counters = {{"local_ack_timeout_err", 3}};
  const Lines lines = judge_fabric(told, "");
  EXPECT_EQ(line(lines, "counters").health, Health::wrong);
  EXPECT_THAT(line(lines, "counters").found,
              AllOf(HasSubstr("node 2"), HasSubstr("local_ack_timeout_err 3")));
}

TEST(Fabric, reports_a_node_without_a_port_once_and_does_not_compare_it) {
  auto told = nodes(3);
  FabricNode without;
  without.node = 2;
  without.host = "host2";
  without.trouble = "this machine has no RDMA device";
  told[1] = without;
  told[0].ways[1].end = told[2].ways[1].end = End::not_tried;
  expect_only(told, "node 2", Health::wrong, "host2: this machine has no RDMA device");
  EXPECT_TRUE(judge_ways(told).empty());
}

void spoil(FabricNode& from, std::uint32_t to, End end, const std::string& why) {
  ib::WayReport& way = from.ways[to - 1];
  way.end = end;
  way.why = why;
  way.lost = end == End::lossy ? 2 : 0;
}

TEST(Ways, to_an_unreachable_node_are_one_line_and_those_from_it_another) {
  auto told = nodes(4);
  for (std::uint32_t i : {1U, 2U, 4U}) {
    spoil(told[i - 1], 3, End::unreachable, "a WRITE of 8 bytes is not answered");
    spoil(told[2], i, End::unreachable, "a WRITE of 8 bytes is not answered");
  }
  const Lines lines = judge_ways(told);
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_FALSE(is_well(lines));
  EXPECT_EQ(line(lines, "to 3").found, "from nodes 1-2,4: a WRITE of 8 bytes is not answered");
  EXPECT_EQ(line(lines, "from 3").found, "to nodes 1-2,4: a WRITE of 8 bytes is not answered");
  EXPECT_THAT(line(lines, "to 3").fix, HasSubstr("ping"));
}

TEST(Ways, that_lose_packets_are_summed_up_and_kept_apart_from_others) {
  auto told = nodes(3);
  spoil(told[0], 2, End::lossy, "2 of 40 verbs waited");
  spoil(told[2], 2, End::lossy, "another number");
  spoil(told[1], 1, End::wrong_data, "a READ of 8 bytes brought back what was not there");
  const Lines lines = judge_ways(told);
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_EQ(lines[0].found, "from nodes 1,3: 4 of 80 verbs waited for a packet that was lost");
  EXPECT_THAT(lines[1].found, HasSubstr("brought back"));
}

TEST(Ways, that_were_not_tried_are_one_line_and_not_healthy) {
  auto told = nodes(3);
  spoil(told[0], 2, End::not_tried, "the port of node 1 is Ethernet");
  spoil(told[1], 1, End::not_tried, "the port of node 2 is InfiniBand");
  told[2].ways.clear();  // it has not reported
  const Lines lines = judge_ways(told);
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_EQ(lines[0].found, "4 of 6 were not tried: the port of node 1 is Ethernet");
  EXPECT_FALSE(is_well(lines));
}

TEST(FabricText, survives_writing_and_reading) {
  auto told = nodes(3);
  spoil(told[1], 3, End::lossy, "why");
  told[1].counters = {{"out_of_sequence", 7}};
  told[1].memlock_bytes = 5;
  const std::string text = json_of(told[1]);
  EXPECT_EQ(json_of(read_fabric_node(text)), text);
  EXPECT_EQ(read_fabric_node(text).ways[2].end, End::lossy);
  FabricJob job{{0x8001, 3, 96}, {.tries = 5, .timeout = 14, .retries = 1}};
  const auto read = read_fabric_job(write_fabric_job(job));
  ASSERT_TRUE(read);
  EXPECT_EQ(write_fabric_job(*read), write_fabric_job(job));
  EXPECT_EQ(read->path.traffic_class, 96);
  EXPECT_FALSE(read_fabric_job("{\"scenario\": \"x\"}"));
  EXPECT_EQ(round_in(round_text(12)), 12U);
  EXPECT_FALSE(round_in("round x"));
}

TEST(FabricText, with_fields_of_another_type_leaves_them_out) {
  const FabricNode node = read_fabric_node(
      R"({"node": "2", "gid": 7, "counters": {"a": "b"}, "ways": [1, {"to": 0}, {"to": 1.5}]})");
  EXPECT_EQ(node.node, 0U);
  EXPECT_TRUE(node.counters.empty() && node.ways.empty());
  EXPECT_TRUE(read_fabric_node("").device.empty());
}

}  // namespace
}  // namespace latchlab::tool

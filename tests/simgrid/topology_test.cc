// A verb's latency follows its route; an error in a platform file is a message.

#include <gmock/gmock.h>

#include <fstream>

#include "backends/simgrid/fabric.h"
#include "tests/simgrid/fixture.h"

namespace latchlab::simtest {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;

TopologySpec fat_tree(std::int64_t up) {
  TopologySpec spec;
  spec.kind = TopologyKind::fat_tree;
  spec.down = {2, 2};
  spec.up = {1, up};
  spec.parallel = {1, 1};
  return spec;
}

// Node 1 is the server; nodes 2, 3 and 4 have clients.
class Topology : public SimWorld {
 protected:
  TopologySpec& topology() { return options().topology; }
  // How much longer a verb to the server takes than one through a single switch, in both
  // directions.
  Duration beyond_one_switch(NodeId from) {
    const Duration usual = travel() + options().nic.serve_write + options().nic.write;
    return time_of(write_verb(on_server(256), 1), from) - usual;
  }
};

TEST_F(Topology, fat_tree_adds_its_upper_switches) {
  topology() = fat_tree(2);
  EXPECT_EQ(beyond_one_switch(kHere), Duration{});
  EXPECT_EQ(beyond_one_switch(kThere), topology().hop_latency * 4);
  EXPECT_EQ(beyond_one_switch(kElsewhere), topology().hop_latency * 4);
}

TEST_F(Topology, dragonfly_adds_the_routers_in_between) {
  topology().kind = TopologyKind::dragonfly;
  topology().groups = topology().routers = 2;
  topology().chassis = topology().hosts = 1;
  topology().hop_latency = nanoseconds(200);
  EXPECT_EQ(beyond_one_switch(kHere), nanoseconds(400));
  EXPECT_GT(beyond_one_switch(kElsewhere), nanoseconds(400));
}

TEST_F(Topology, torus_adds_one_router_per_step) {
  topology().kind = TopologyKind::torus;
  topology().dimensions = {2, 2};
  const Duration step = topology().hop_latency * 2;
  EXPECT_EQ(beyond_one_switch(kHere), step);
  EXPECT_EQ(beyond_one_switch(kThere), step);
  EXPECT_EQ(beyond_one_switch(kElsewhere), step * 2);
}

TEST_F(Topology, flows_share_links_inside_the_network) {
  // Two leaf switches with one uplink each: both readers of the other leaf share it.
  topology() = fat_tree(1);
  options().bulk.model = BulkModel::flows;
  constexpr std::uint32_t kBytesRead = 32 * 1024;
  const auto read_from = [](NodeId target, NodeId reader) {
    Verb verb = read_verb({target, 0}, kBytesRead);
    verb.local = {reader, 0};
    return verb;
  };
  const Shot& one = shoot(read_from(kServer, kThere), kStart, kThere);
  const Shot& two = shoot(read_from(kHere, kElsewhere), kStart, kElsewhere);
  EXPECT_EQ(run(), RunEnd::finished);
  for (const Shot* shot : {&one, &two})
    EXPECT_GT(shot->took(), travel() + picoseconds(100) * kBytesRead * 2);
}

// ---- platform files ----

std::string hosts_and_routes(const std::string& hosts, const std::string& rest) {
  return "<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
         "<platform version=\"4.1\"><zone id=\"w\" routing=\"Full\">\n" +
         hosts + "<link id=\"slow\" bandwidth=\"5GBps\" latency=\"0.3us\"/>\n" +
         "<link id=\"fast\" bandwidth=\"50GBps\" latency=\"0.1us\"/>\n" + rest +
         "</zone></platform>\n";
}

std::string host(const std::string& name) {
  return "<host id=\"" + name + "\" speed=\"1Gf\"/>\n";
}

std::string route(const std::string& from, const std::string& to, const std::string& link) {
  return "<route src=\"" + from + "\" dst=\"" + to + "\"><link_ctn id=\"" + link + "\"/></route>\n";
}

std::string four_hosts() {
  std::string routes;
  const std::vector<std::string> names = {"n1", "n2", "n9", "n10"};
  for (std::size_t i = 0; i < 4; ++i)
    for (std::size_t j = i + 1; j < 4; ++j)
      routes += route(names[i], names[j], names[j] == "n10" ? "slow" : "fast");
  return hosts_and_routes(host("n10") + host("n9") + host("n2") + host("n1"), routes);
}

class PlatformFile : public Topology {
 protected:
  TopologySpec file(const std::string& text) {
    const std::string path = ::testing::TempDir() + "platform-" +
                             ::testing::UnitTest::GetInstance()->current_test_info()->name() +
                             ".xml";
    std::ofstream(path) << text;
    TopologySpec spec;
    spec.kind = TopologyKind::file;
    spec.file = path;
    return spec;
  }
  std::string problem(const std::string& text, std::uint32_t nodes = 4) {
    const auto checked = platform_hosts(nodes, plain_nic(), file(text));
    return checked ? "fine" : checked.error().text();
  }
};

TEST_F(PlatformFile, gives_hosts_in_the_order_of_their_numbers_and_routes_their_latency) {
  topology() = file(four_hosts());
  EXPECT_EQ(problem(four_hosts()), "fine");
  EXPECT_EQ(beyond_one_switch(kHere), nanoseconds(200));
  EXPECT_EQ(beyond_one_switch(kThere), nanoseconds(200));
  // n10, whose link has half of the NIC's rate for the request of 24 bytes and the answer of 4
  EXPECT_EQ(beyond_one_switch(kElsewhere), nanoseconds(600) + on_wire(24 + 4));
}

TEST_F(PlatformFile, limits_payloads_by_its_slowest_link_and_by_the_nic) {
  topology() = file(four_hosts());
  constexpr std::uint32_t kBytesRead = 4'000;
  Verb verb = read_verb(on_server(0), kBytesRead);
  verb.local = {kHere, 0};
  const Duration usual = travel() + nic().serve_read + nic().read;
  EXPECT_EQ(time_of(verb), usual + nanoseconds(200) + beyond_short(kBytesRead));
  verb.local = {kElsewhere, 0};
  // The link doubles the time of all bytes.
  EXPECT_EQ(time_of(verb, kElsewhere), usual + nanoseconds(600) + beyond_short(kBytesRead) +
                                           on_wire(16) + on_wire(kBytesRead + 4));
}

TEST_F(PlatformFile, that_simgrid_refuses_is_explained) {
  EXPECT_EQ(problem(four_hosts()), "fine");
  EXPECT_THAT(problem(four_hosts(), 5), HasSubstr("it has 4 of the 5 hosts"));
  EXPECT_THAT(problem("<platform version=\"4.1\"><zone></platform>"), HasSubstr("Invalid XML"));
  EXPECT_THAT(problem("<platform version=\"4.1\">"), HasSubstr("SimGrid cannot use"));
  EXPECT_THAT(problem(hosts_and_routes(host("a") + host("b"), route("a", "b", "none")), 2),
              HasSubstr("none"));
  EXPECT_THAT(
      problem(hosts_and_routes(host("a") + host("b") + host("c"), route("a", "b", "fast")), 3),
      HasSubstr("there is no route from"));
  EXPECT_THAT(problem(hosts_and_routes(host("a") + host("a"), ""), 2),
              HasSubstr("SimGrid cannot use"));
}

TEST_F(PlatformFile, with_a_link_that_has_no_rate_of_its_own_is_refused_by_its_name) {
  const auto linked = [](const char* how) {
    return hosts_and_routes(
        host("a") + host("b"),
        std::string("<link id=\"odd\" latency=\"0us\" ") + how + "/>" + route("a", "b", "odd"));
  };
  EXPECT_EQ(problem(linked("bandwidth=\"1GBps\""), 2), "fine");
  EXPECT_THAT(problem(linked("bandwidth=\"1kBps\""), 2),
              HasSubstr("its link odd carries 1000 bytes/s; it takes at least 12500"));
  EXPECT_THAT(problem(linked("bandwidth=\"0Bps\""), 2), HasSubstr("SimGrid cannot use"));
  EXPECT_THAT(problem(linked("bandwidth=\"54MBps\" sharing_policy=\"WIFI\""), 2),
              HasSubstr("its link odd is Wi-Fi"));
}

// SimGrid throws an exception for it: coordinates without links carry no traffic.
TEST_F(PlatformFile, whose_hosts_have_coordinates_but_no_links_is_refused_by_name) {
  const std::string text =
      "<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
      "<platform version=\"4.1\"><zone id=\"w\" routing=\"Vivaldi\">\n"
      "<host id=\"a\" coordinates=\"1 2 3\" speed=\"1Gf\"/>\n"
      "<host id=\"b\" coordinates=\"4 0 1\" speed=\"1Gf\"/>\n</zone></platform>\n";
  EXPECT_THAT(problem(text, 2), HasSubstr("there is no route from a to b: a is in a Vivaldi zone"));
  EXPECT_THAT(problem(text, 2), HasSubstr("<host_link>"));
}

// One line that means 40 million hosts: SimGrid would take minutes and all memory.
TEST_F(PlatformFile, with_more_hosts_than_there_can_be_nodes_is_refused) {
  const auto cluster = [](const char* radical) {
    return std::string(
               "<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM "
               "\"https://simgrid.org/simgrid.dtd\">\n<platform version=\"4.1\">\n"
               "<cluster id=\"c\" prefix=\"n\" suffix=\"\" radical=\"") +
           radical + "\" speed=\"1Gf\" bw=\"125MBps\" lat=\"50us\"/>\n</platform>\n";
  };
  EXPECT_EQ(problem(cluster("0-99"), 2), "fine");
  EXPECT_THAT(problem(cluster("0-69999"), 2), HasSubstr("more than 65535 hosts"));
  EXPECT_THAT(problem(cluster("0-39999999"), 2),
              HasSubstr("SimGrid cannot use this platform: it "));
  EXPECT_THAT(problem(cluster("0-39999999"), 2),
              AnyOf(HasSubstr("more than 65535 hosts"), HasSubstr("GiB of memory"),
                    HasSubstr("s to build")));
}

TEST(NaturalOrder, sorts_numbers_in_names_as_numbers) {
  EXPECT_TRUE(sim::natural_less("node-2", "node-10"));
  EXPECT_FALSE(sim::natural_less("node-10", "node-2"));
  EXPECT_TRUE(sim::natural_less("a", "b1"));
  EXPECT_TRUE(sim::natural_less("rack-1-node-9", "rack-2-node-1"));
  EXPECT_TRUE(sim::natural_less("n", "n1"));
  EXPECT_FALSE(sim::natural_less("n1", "n1"));
  EXPECT_NE(sim::natural_less("n01", "n1"), sim::natural_less("n1", "n01"));
}

}  // namespace
}  // namespace latchlab::simtest

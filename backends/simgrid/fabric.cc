#include "backends/simgrid/fabric.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <simgrid/s4u.hpp>
#include <stdexcept>
#include <utility>

#include "core/base/check.h"
#include "core/base/quotes.h"

namespace sg4 = simgrid::s4u;

namespace latchlab::sim {

namespace {

using Numbers = std::vector<std::int64_t>;
using Hosts = std::vector<sg4::Host*>;

std::int64_t product(const Numbers& numbers) {
  std::int64_t all = 1;
  for (const std::int64_t each : numbers) all *= each;
  return all;
}

Hosts build_star(const Numbers& port_bits_per_s) {
  Hosts hosts;
  auto* zone = sg4::create_star_zone("fabric");
  for (std::size_t i = 0; i < port_bits_per_s.size(); ++i) {
    const std::string name = "node-" + std::to_string(i + 1);
    const double bytes_per_s = static_cast<double>(port_bits_per_s[i]) / 8;
    auto* host = zone->create_host(name, 1e9);
    auto* link = zone->create_split_duplex_link(name + "-port", bytes_per_s)->seal();
    const sg4::LinkInRoute in_route{link, sg4::LinkInRoute::Direction::UP};
    zone->add_route(host->get_netpoint(), nullptr, nullptr, nullptr, {in_route}, true);
    host->seal();
    hosts.push_back(host);
  }
  zone->seal();
  return hosts;
}

// SimGrid's formats. Fat tree: levels;down;up;parallel. Dragonfly:
// groups,links;chassis,links;routers,links;hosts. Torus: sizes.
std::string shape_of(const TopologySpec& topology) {
  if (topology.kind == TopologyKind::torus)
    return fmt::format("{}", fmt::join(topology.dimensions, ","));
  if (topology.kind == TopologyKind::dragonfly)
    return fmt::format("{},1;{},1;{},1;{}", topology.groups, topology.chassis, topology.routers,
                       topology.hosts);
  return fmt::format("{};{};{};{}", topology.down.size(), fmt::join(topology.down, ","),
                     fmt::join(topology.up, ","), fmt::join(topology.parallel, ","));
}

std::int64_t hosts_of(const TopologySpec& topology) {
  if (topology.kind == TopologyKind::torus) return product(topology.dimensions);
  if (topology.kind == TopologyKind::dragonfly)
    return product({topology.groups, topology.chassis, topology.routers, topology.hosts});
  return product(topology.down);
}

// All versions of SimGrid that we know read XML clusters in the same way; version 4.1 needs a zone
// around them. The links have no latency here: ours comes from the number of links of a route.
std::string cluster_xml(const TopologySpec& topology, std::int64_t fabric_bits_per_s) {
  static const char* const names[] = {"", "FAT_TREE", "DRAGONFLY", "TORUS"};
  return fmt::format(
      "<?xml version='1.0'?>\n"
      "<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
      "<platform version=\"4.1\"><zone id=\"world\" routing=\"Full\">\n"
      "<cluster id=\"fabric\" prefix=\"node-\" suffix=\"\" radical=\"0-{}\" speed=\"1Gf\"\n"
      " bw=\"{}bps\" lat=\"0\" topology=\"{}\" topo_parameters=\"{}\"/>\n"
      "</zone></platform>\n",
      hosts_of(topology) - 1, fabric_bits_per_s, names[static_cast<int>(topology.kind)],
      shape_of(topology));
}

// SimGrid reads platforms from files only; this one has no name and is gone after it is closed.
void load_text(sg4::Engine& engine, const std::string& xml) {
  const int file = ::memfd_create("platform.xml", 0);
  LATCHLAB_CHECK(file >= 0, "no memory for the platform");
  const ssize_t written = ::write(file, xml.data(), xml.size());
  LATCHLAB_CHECK(written == static_cast<ssize_t>(xml.size()), "no memory for the platform");
  engine.load_platform(fmt::format("/proc/self/fd/{}", file));
  ::close(file);
}

// The digits from `at` on, without leading zeros.
std::string digits(const std::string& text, std::size_t at) {
  std::size_t end = at;
  while (end < text.size() && text[end] >= '0' && text[end] <= '9') ++end;
  while (at + 1 < end && text[at] == '0') ++at;
  return text.substr(at, end - at);
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

std::size_t after_digits(const std::string& text, std::size_t at) {
  while (at < text.size() && is_digit(text[at])) ++at;
  return at;
}

Hosts by_name(Hosts hosts) {
  std::sort(hosts.begin(), hosts.end(), [](const sg4::Host* a, const sg4::Host* b) {
    return natural_less(a->get_name(), b->get_name());
  });
  return hosts;
}

std::string some_names(const Hosts& hosts) {
  constexpr std::size_t kMost = 8;
  std::vector<std::string> names;
  for (const sg4::Host* host : by_name(hosts)) names.push_back(host->get_name());
  const std::size_t more = names.size() > kMost ? names.size() - kMost : 0;
  names.resize(names.size() - more);
  return fmt::format("{}{}", fmt::join(names, ", "),
                     more == 0 ? "" : fmt::format(" and {} more", more));
}

// The hosts that the scenario names; throws if one is missing.
Hosts named_hosts(const sg4::Engine& engine, const std::vector<std::string>& names,
                  std::size_t count) {
  Hosts hosts;
  for (const std::string& name : names) {
    sg4::Host* const host = engine.host_by_name_or_null(name);
    if (host == nullptr)
      throw std::invalid_argument(
          fmt::format("it has no host {}, which platform.topology.nodes names; it has {}",
                      in_quotes(name), some_names(engine.get_all_hosts())));
    if (hosts.size() < count) hosts.push_back(host);
  }
  return hosts;
}

}  // namespace

bool natural_less(const std::string& a, const std::string& b) {
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < a.size() && j < b.size()) {
    if (is_digit(a[i]) && is_digit(b[j])) {
      const std::string x = digits(a, i);
      const std::string y = digits(b, j);
      if (x.size() != y.size()) return x.size() < y.size();
      if (x != y) return x < y;
      i = after_digits(a, i);
      j = after_digits(b, j);
      continue;
    }
    if (a[i] != b[j]) return a[i] < b[j];
    ++i;
    ++j;
  }
  const bool a_left = i < a.size();
  const bool b_left = j < b.size();
  return a_left != b_left ? b_left : a < b;
}

// In SimGrid's models the shares of flows depend on latencies, which is true of no switch. So its
// flows have none, and we add the latency.
sg4::Engine& make_engine() {
  static std::vector<std::string> arguments = {"latchlab",
                                               "--log=xbt_cfg.thres:warning",
                                               "--cfg=surf/precision:1e-14",
                                               "--cfg=network/model:CM02",
                                               "--cfg=network/crosstraffic:0",
                                               "--cfg=network/latency-factor:0",
                                               "--cfg=network/TCP-gamma:0"};
  static std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  static int argc = static_cast<int>(argv.size());
  argv.push_back(nullptr);
  return *new sg4::Engine(&argc, argv.data());  // SimGrid needs it until the process ends
}

Hosts build_fabric(sg4::Engine& engine, const Numbers& port_bits_per_s,
                   std::int64_t fabric_bits_per_s, const TopologySpec& topology) {
  if (topology.kind == TopologyKind::star) return build_star(port_bits_per_s);
  if (topology.kind == TopologyKind::file)
    engine.load_platform(topology.file);
  else
    load_text(engine, cluster_xml(topology, fabric_bits_per_s));
  if (!topology.nodes.empty()) return named_hosts(engine, topology.nodes, port_bits_per_s.size());
  Hosts hosts = by_name(engine.get_all_hosts());
  if (hosts.size() > port_bits_per_s.size()) hosts.resize(port_bits_per_s.size());
  return hosts;
}

}  // namespace latchlab::sim

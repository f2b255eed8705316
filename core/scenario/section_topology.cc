// platform.topology and platform.bulk.

#include <fmt/format.h>

#include <filesystem>
#include <set>

#include "core/scenario/quantities.h"
#include "core/scenario/sections.h"
#include "core/scenario/text_file.h"

namespace latchlab {

using enum KeyKind;

namespace {

constexpr std::size_t kMostLevels = 6;

using Numbers = std::vector<std::int64_t>;

// Saturates at kMostNodes + 1 to avoid overflow.
std::int64_t product(const Numbers& numbers) {
  std::int64_t all = 1;
  for (const std::int64_t each : numbers) all = std::min(all * each, kMostNodes + 1);
  return all;
}

// The least n with n^power >= value.
std::int64_t root_up(std::int64_t value, int power) {
  for (std::int64_t n = 1;; ++n)
    if (product(Numbers(static_cast<std::size_t>(power), n)) >= value) return n;
}

template <class T>
void fill(T& field, T value) {
  if (field == T{}) field = std::move(value);
}

template <class... Values>
[[noreturn]] void refuse(const SourceLocation& place, const std::string& problem,
                         const Values&... values) {
  reject(place, "platform.topology" + problem, values...);
}

void check_hosts(std::int64_t hosts, std::uint32_t nodes, const SourceLocation& place,
                 const char* shape) {
  if (hosts > kMostNodes) refuse(place, " has more than {} hosts ({})", kMostNodes, shape);
  if (hosts < nodes)
    refuse(place,
           " has {} hosts ({}), and the scenario has {} nodes; make it larger, or leave the shape "
           "out to have it follow from the nodes",
           hosts, shape, nodes);
}

// Two levels with equal bandwidth up and down.
void finish_fat_tree(const SourceLocation& place, std::uint32_t nodes, TopologySpec& tree) {
  const std::int64_t leaf = root_up(nodes, 2);
  fill(tree.down, {leaf, (nodes + leaf - 1) / leaf});
  const std::size_t levels = tree.down.size();
  Numbers up = {1};
  for (std::size_t i = 1; i < levels; ++i) up.push_back(tree.down[i - 1]);
  fill(tree.up, up);
  fill(tree.parallel, Numbers(levels, 1));
  if (tree.up.size() != levels || tree.parallel.size() != levels)
    refuse(place,
           ": down has {} levels, up {} and parallel {}; each holds one number per level, from the "
           "hosts up",
           levels, tree.up.size(), tree.parallel.size());
  if (tree.up[0] != 1 || tree.parallel[0] != 1)
    refuse(place,
           ": up and parallel begin with {} and {}; a host has one port, so both begin with 1",
           tree.up[0], tree.parallel[0]);
  if (product(tree.up) > kMostNodes)
    refuse(place, " has more than {} switches on one level", kMostNodes);
  check_hosts(product(tree.down), nodes, place, "down multiplied");
}

// As many groups as routers per group, and as many hosts per router.
void finish_dragonfly(const SourceLocation& place, std::uint32_t nodes, TopologySpec& fly) {
  const std::int64_t side = root_up(nodes, 3);
  fill(fly.groups, side);
  fill(fly.chassis, std::int64_t{1});
  fill(fly.routers, std::max(side, fly.groups));
  const std::int64_t routers = product({fly.groups, fly.chassis, fly.routers});
  fill(fly.hosts, (nodes + routers - 1) / routers);
  if (fly.groups > fly.routers)
    refuse(place,
           " has {} groups and {} routers per chassis; SimGrid connects each group to another by "
           "the router of that number in a chassis, so groups must not exceed routers",
           fly.groups, fly.routers);
  check_hosts(product({routers, fly.hosts}), nodes, place, "groups x chassis x routers x hosts");
}

// As close to a cube as the number of nodes allows.
void finish_torus(const SourceLocation& place, std::uint32_t nodes, TopologySpec& torus) {
  const std::int64_t x = root_up(nodes, 3);
  const std::int64_t y = root_up((nodes + x - 1) / x, 2);
  fill(torus.dimensions, {x, y, (nodes + x * y - 1) / (x * y)});
  check_hosts(product(torus.dimensions), nodes, place, "dimensions multiplied");
}

// FNV-1a. The contents of a platform file determine results, so the file is identified by them.
std::string checksum(const std::string& text) {
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  return fmt::format("fnv1a-{:016x}", hash);
}

void check_nodes(const YamlNode& list, std::uint32_t nodes, const TopologySpec& topology) {
  if (topology.nodes.size() < nodes)
    refuse(list.place,
           ".nodes names {} hosts, and the scenario has {} nodes with an RNIC of their "
           "own; name one for each",
           topology.nodes.size(), nodes);
  std::set<std::string> seen;
  for (const YamlNode& host : list.items)
    if (!seen.insert(host.text).second)
      refuse(host.place, ".nodes names {} twice; a host is one node",
             latchlab::in_quotes(host.text));
}

Value<TopologySpec> names(std::vector<std::string> TopologySpec::*field) {
  Value<TopologySpec> value = list_of(
      {.kind = KeyKind::list}, field, static_cast<std::size_t>(kMostNodes),
      [](const Given& given, std::string& name) {
        name = scalar(given.node, given.path, "the name of a host");
      },
      [](const ScenarioKey&, const std::string& name) { return yaml_text(name); });
  const auto write = value.key.write;
  value.key.write = [field, write](const ScenarioKey& key, const void* spec) {
    const bool none = (static_cast<const TopologySpec*>(spec)->*field).empty();
    return none ? YamlNode() : write(key, spec);
  };
  return value;
}

void finish_file(const YamlNode& node, std::uint32_t nodes, const Files& files,
                 TopologySpec& topology) {
  if (const YamlNode* named = node.find("nodes"); named && !named->is_null())
    check_nodes(*named, nodes, topology);
  const SourceLocation& place = node.find("file")->place;
  topology.kind = TopologyKind::file;
  const std::string given = topology.file;
  const bool is_path = given.find('/') != std::string::npos;
  topology.file =
      find_data_file(is_path ? given : "./" + given, "models", files.directory, files.data);
  topology.file = std::filesystem::path(topology.file).lexically_normal().string();
  if (topology.file.empty()) refuse(place, ".file: there is no file " + latchlab::in_quotes(given));
  const Result<std::string> text = read_text_file(topology.file);
  if (!text) throw InputError{text.error()};
  if (text.value().find("<platform") == std::string::npos)
    refuse(place, ".file: {} is no SimGrid platform (it holds no <platform>)",
           latchlab::in_quotes(topology.file));
  for (const char* word : {"state_file=", "availability_file=", "bandwidth_file=", "latency_file=",
                           "<trace", "<actor", "<process", "<config"})
    if (text.value().find(word) != std::string::npos)
      refuse(place,
             ".file: the platform holds {}, which nothing here follows; remove it (links that fail "
             "are written as faults)",
             latchlab::in_quotes(word));
  const std::string before = std::exchange(topology.checksum, checksum(text.value()));
  if (!before.empty() && before != topology.checksum)
    refuse(
        node.find("checksum")->place,
        ".checksum is {}, and {} has {}; the file has changed (remove the key to take it as it is)",
        latchlab::in_quotes(before), topology.file, topology.checksum);
}

}  // namespace

const Keys& topology_keys() {
  using Shape = TopologySpec;
  const auto levels = [](Numbers Shape::*field) {
    return numbers(field, "1", "65535", kMostLevels);
  };
  const auto size = [](std::int64_t Shape::*field) { return number(count, field, "1", "65535"); };
  const char* const tree = "fat_tree";
  const char* const fly = "dragonfly";
  static const Keys keys = rows<Shape>({
      {"kind", words({"star", "fat_tree", "dragonfly", "torus"}, &Shape::kind), "star",
       "star: one switch between all nodes. SimGrid's manual describes the other kinds.",
       kRequired | kHasDefault, "star fat_tree dragonfly torus"},
      {"down", levels(&Shape::down), "[4, 4]",
       "Children of a switch, one number per level from the hosts up; their product is the number "
       "of hosts.",
       tree},
      {"up", levels(&Shape::up), "[1, 4]", "Parents of a child, per level; the first is 1.", tree},
      {"parallel", levels(&Shape::parallel), "[1, 2]",
       "Links to each parent, per level; the first is 1.", tree},
      {"groups", size(&Shape::groups), "2",
       "Groups, at most `routers`; one link connects each pair.", fly},
      {"chassis", size(&Shape::chassis), "2", "Chassis per group.", fly},
      {"routers", size(&Shape::routers), "2",
       "Routers per chassis, each connected to all others of it.", fly},
      {"hosts", size(&Shape::hosts), "2", "Hosts per router.", fly},
      {"dimensions", levels(&Shape::dimensions), "[4, 4, 4]",
       "Nodes in each dimension, 1 to 6 of them.", "torus"},
      {"hop_latency", number(duration, &Shape::hop_latency, "0us", "1s"), "250ns",
       "Latency that each switch beyond the first adds to a route. Assumed; range: 100 to 270 ns.",
       "fat_tree dragonfly torus"},
      {"file", line(&Shape::file), "platform.xml",
       "A SimGrid platform file, in place of a kind; a relative path starts at the scenario's "
       "directory.",
       kRequired, "file"},
      {"checksum", line(&Shape::checksum), "fnv1a-0123456789abcdef",
       "Checksum of the platform file, which resolved scenarios contain; a file that has changed "
       "since is refused.",
       "file"},
      {"nodes", names(&Shape::nodes), "[rack1-a, rack1-b, rack2-a]",
       "The hosts of the platform file that serve as nodes: servers first, then client nodes, as "
       "faults number them; nodes that share an RNIC share a host. Surplus hosts at the end are "
       "not used. Default: hosts sorted by name (node-2 before node-10); latchlab check prints the "
       "mapping.",
       "file"},
  });
  return keys;
}

const Keys& bulk_keys() {
  static const Keys keys = rows<BulkSpec>({
      {"model", words({"shared_ports", "flows"}, &BulkSpec::model), "flows",
       "shared_ports: equal shares of each port, the default of a star. flows: SimGrid's max-min "
       "shares of every link, the default of all other topologies."},
      {"above", number(bytes, &BulkSpec::above_bytes, "256B"), "8KiB",
       "Payloads longer than this are bulk."},
  });
  return keys;
}

void finish_topology(const YamlNode& node, std::uint32_t nodes, const Files& files,
                     TopologySpec& topology) {
  switch (topology.kind) {
    case TopologyKind::star:
    case TopologyKind::file:
      break;
    case TopologyKind::fat_tree:
      return finish_fat_tree(node.place, nodes, topology);
    case TopologyKind::dragonfly:
      return finish_dragonfly(node.place, nodes, topology);
    case TopologyKind::torus:
      return finish_torus(node.place, nodes, topology);
  }
  if (node.find("file")) finish_file(node, nodes, files, topology);
}

}  // namespace latchlab

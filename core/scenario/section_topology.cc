// platform.topology and platform.bulk.

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string>

#include "core/scenario/quantities.h"
#include "core/scenario/sections.h"
#include "core/scenario/text_file.h"

namespace latchlab {
namespace {

const std::vector<std::string> kKinds = {"star", "fat_tree", "dragonfly", "torus"};
const std::vector<std::string> kBulkModels = {"shared_ports", "flows"};
constexpr std::size_t kMostLevels = 6;
constexpr Duration kLongestHop = seconds(1);

using Numbers = std::vector<std::int64_t>;

// Never beyond kMostNodes + 1, so that nothing overflows.
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

Numbers read_list(MapReader& reader, const char* key, Numbers fallback) {
  const YamlNode* node = reader.find(key);
  if (!node) return fallback;
  const std::string path = reader.path_of(key);
  if (!node->is_sequence() || node->items.empty() || node->items.size() > kMostLevels)
    reject(node->place, fmt::format("{} holds {}; expected a list of 1 to {} numbers such as "
                                    "[4, 4]",
                                    path, kind_name(*node), kMostLevels));
  Numbers numbers;
  for (const YamlNode& item : node->items) numbers.push_back(read_count(item, path, 1, kMostNodes));
  return numbers;
}

void check_hosts(std::int64_t hosts, std::uint32_t nodes, const MapReader& reader,
                 const std::string& shape) {
  if (hosts > kMostNodes)
    reject(reader.place(),
           fmt::format("{} has more than {} hosts ({})", reader.path(), kMostNodes, shape));
  if (hosts < nodes)
    reject(reader.place(),
           fmt::format("{} has {} hosts ({}), and the scenario has {} nodes; make it larger, or "
                       "leave the shape out to have it follow from the nodes",
                       reader.path(), hosts, shape, nodes));
}

// Two levels, as much bandwidth up as down.
void read_fat_tree(MapReader& reader, std::uint32_t nodes, TopologySpec& tree) {
  const std::int64_t leaf = root_up(nodes, 2);
  tree.down = read_list(reader, "down", {leaf, (nodes + leaf - 1) / leaf});
  const std::size_t levels = tree.down.size();
  Numbers up = {1};
  for (std::size_t i = 1; i < levels; ++i) up.push_back(tree.down[i - 1]);
  tree.up = read_list(reader, "up", up);
  tree.parallel = read_list(reader, "parallel", Numbers(levels, 1));
  if (tree.up.size() != levels || tree.parallel.size() != levels)
    reject(reader.place(),
           fmt::format("{}: down has {} levels, up {} and parallel {}; each holds one number per "
                       "level, from the hosts up",
                       reader.path(), levels, tree.up.size(), tree.parallel.size()));
  if (tree.up[0] != 1 || tree.parallel[0] != 1)
    reject(reader.place(), fmt::format("{}: up and parallel begin with {} and {}; a host has one "
                                       "port, so both begin with 1",
                                       reader.path(), tree.up[0], tree.parallel[0]));
  if (product(tree.up) > kMostNodes)
    reject(reader.place(),
           fmt::format("{} has more than {} switches on one level", reader.path(), kMostNodes));
  check_hosts(product(tree.down), nodes, reader, "down multiplied");
}

// As many groups as routers in each, and as many hosts per router.
void read_dragonfly(MapReader& reader, std::uint32_t nodes, TopologySpec& fly) {
  const std::int64_t side = root_up(nodes, 3);
  const auto count = [&](const char* key, std::int64_t fallback) {
    return reader.count(key, fallback, 1, kMostNodes);
  };
  fly.groups = count("groups", side);
  fly.chassis = count("chassis", 1);
  fly.routers = count("routers", std::max(side, fly.groups));
  const std::int64_t routers = product({fly.groups, fly.chassis, fly.routers});
  fly.hosts = count("hosts", (nodes + routers - 1) / routers);
  if (fly.groups > fly.routers)
    reject(reader.place(),
           fmt::format("{} has {} groups and {} routers per chassis; SimGrid connects each group "
                       "to another by the router of that number in a chassis, so groups must not "
                       "exceed routers",
                       reader.path(), fly.groups, fly.routers));
  check_hosts(product({routers, fly.hosts}), nodes, reader, "groups x chassis x routers x hosts");
}

// As near to a cube as the nodes allow.
void read_torus(MapReader& reader, std::uint32_t nodes, TopologySpec& torus) {
  const std::int64_t x = root_up(nodes, 3);
  const std::int64_t y = root_up((nodes + x - 1) / x, 2);
  torus.dimensions = read_list(reader, "dimensions", {x, y, (nodes + x * y - 1) / (x * y)});
  check_hosts(product(torus.dimensions), nodes, reader, "dimensions multiplied");
}

// FNV-1a: a platform file is part of what decides a result.
std::string checksum(const std::string& text) {
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  return fmt::format("fnv1a-{:016x}", hash);
}

void refuse_profiles(const std::string& text, const Place& place) {
  for (const char* word : {"state_file=", "availability_file=", "bandwidth_file=", "latency_file=",
                           "<trace", "<actor", "<process", "<config"})
    if (text.find(word) != std::string::npos)
      reject(place, fmt::format("platform.topology.file: the platform holds {}, which nothing here "
                                "follows; remove it (links that fail are written as faults)",
                                latchlab::quoted(word)));
}

void read_platform_file(MapReader& reader, const std::string& directory, const DataDirs& data,
                        TopologySpec& topology) {
  if (const YamlNode* kind = reader.find("kind"))
    reject(kind->place, "platform.topology: a platform file has no kind; remove one of the two");
  topology.kind = TopologyKind::file;
  const YamlNode& file = reader.require("file", "file: platform.xml");
  const std::string& given = scalar(file, "platform.topology.file", "a path such as platform.xml");
  const bool is_path = given.find('/') != std::string::npos;
  topology.file = find_data_file(is_path ? given : "./" + given, "models", directory, data);
  topology.file = std::filesystem::path(topology.file).lexically_normal().string();
  if (topology.file.empty())
    reject(file.place,
           fmt::format("platform.topology.file: there is no file {}", latchlab::quoted(given)));
  const Result<std::string> text = read_text_file(topology.file);
  if (!text) throw InputError{text.error()};
  if (text.value().find("<platform") == std::string::npos)
    reject(file.place, fmt::format("platform.topology.file: {} is no SimGrid platform (it holds no "
                                   "<platform>)",
                                   latchlab::quoted(topology.file)));
  refuse_profiles(text.value(), file.place);
  topology.checksum = checksum(text.value());
  const YamlNode* before = reader.find("checksum");
  if (before && before->text != topology.checksum)
    reject(before->place,
           fmt::format("platform.topology.checksum is {}, and {} has {}; the file "
                       "has changed (remove the key to take it as it is)",
                       latchlab::quoted(before->text), topology.file, topology.checksum));
  reader.finish();
}

YamlNode numbers(const Numbers& values) {
  YamlNode list = yaml_sequence();
  for (const std::int64_t value : values) {
    list.items.push_back(yaml_text(format_count(value)));
    list.items.back().json = fmt::format("{}", value);
  }
  return list;
}

YamlNode number(std::int64_t value) {
  return numbers({value}).items.front();
}

}  // namespace

TopologySpec read_topology(const YamlNode* node, const Place& place, std::uint32_t nodes,
                           const std::string& directory, const DataDirs& data) {
  TopologySpec topology;
  if (!node) return topology;
  YamlNode whole = *node;
  if (node->is_scalar()) {  // `topology: torus`
    whole = yaml_map();
    whole.place = node->place;
    whole.set("kind", *node);
  }
  MapReader reader(&whole, "platform.topology", place);
  reader.know("kind");
  if (whole.find("file")) {
    read_platform_file(reader, directory, data, topology);
    return topology;
  }
  const YamlNode& kind = reader.require("kind", "kind: star");
  topology.kind = static_cast<TopologyKind>(read_choice(kind, reader.path_of("kind"), kKinds));
  if (topology.kind != TopologyKind::star)
    topology.hop_latency =
        reader.duration("hop_latency", topology.hop_latency, Duration{0}, kLongestHop);
  switch (topology.kind) {
    case TopologyKind::star:
    case TopologyKind::file:
      break;
    case TopologyKind::fat_tree:
      read_fat_tree(reader, nodes, topology);
      break;
    case TopologyKind::dragonfly:
      read_dragonfly(reader, nodes, topology);
      break;
    case TopologyKind::torus:
      read_torus(reader, nodes, topology);
      break;
  }
  reader.finish();
  return topology;
}

YamlNode write_topology(const TopologySpec& topology) {
  YamlNode node = yaml_map();
  if (topology.kind == TopologyKind::file) {
    node.set("file", yaml_text(topology.file));
    node.set("checksum", yaml_text(topology.checksum));
    return node;
  }
  node.set("kind", yaml_text(kKinds[static_cast<std::size_t>(topology.kind)]));
  if (topology.kind == TopologyKind::fat_tree) {
    node.set("down", numbers(topology.down));
    node.set("up", numbers(topology.up));
    node.set("parallel", numbers(topology.parallel));
  } else if (topology.kind == TopologyKind::dragonfly) {
    node.set("groups", number(topology.groups));
    node.set("chassis", number(topology.chassis));
    node.set("routers", number(topology.routers));
    node.set("hosts", number(topology.hosts));
  } else if (topology.kind == TopologyKind::torus) {
    node.set("dimensions", numbers(topology.dimensions));
  }
  if (topology.kind != TopologyKind::star)
    node.set("hop_latency", yaml_text(format_duration(topology.hop_latency)));
  return node;
}

BulkSpec read_bulk(const YamlNode* node, const Place& place, TopologyKind topology) {
  BulkSpec bulk;
  const bool star = topology == TopologyKind::star;
  bulk.model = star ? BulkModel::shared_ports : BulkModel::flows;
  if (!node) return bulk;
  const auto model = [](std::size_t choice) { return static_cast<BulkModel>(choice); };
  if (node->is_scalar()) {  // `bulk: flows`
    bulk.model = model(read_choice(*node, "platform.bulk", kBulkModels));
    return bulk;
  }
  MapReader reader(node, "platform.bulk", place);
  bulk.model = model(reader.choice("model", star ? 0 : 1, kBulkModels));
  if (const YamlNode* above = reader.find("above")) {
    const Result<std::uint64_t> bytes = parse_bytes(scalar(*above, "platform.bulk.above", "8KiB"));
    if (!bytes) reject(above->place, "platform.bulk.above: " + bytes.error().message);
    if (bytes.value() < kLeastBulkBytes)
      reject(above->place, fmt::format("platform.bulk.above is {}; expected at least {}",
                                       above->text, format_bytes(kLeastBulkBytes)));
    bulk.above_bytes = bytes.value();
  }
  reader.finish();
  return bulk;
}

YamlNode write_bulk(const BulkSpec& bulk) {
  YamlNode above = yaml_text(format_bytes(bulk.above_bytes));
  above.json = fmt::format("{}", bulk.above_bytes);
  YamlNode node = yaml_map();
  node.set("model", yaml_text(kBulkModels[static_cast<std::size_t>(bulk.model)]));
  node.set("above", std::move(above));
  return node;
}

}  // namespace latchlab

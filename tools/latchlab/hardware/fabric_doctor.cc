// `latchlab doctor --fabric`: the coordinator's part.

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "core/base/json.h"
#include "core/launch/mpi.h"
#include "tools/latchlab/hardware/fabric.h"
#include "tools/latchlab/hardware/fleet.h"
#include "tools/latchlab/hardware/hardware.h"
#include "tools/latchlab/progress.h"
#include "tools/latchlab/table.h"
#include "tools/latchlab/version.h"

namespace latchlab::tool {

namespace {
using std::chrono::seconds;

constexpr seconds kRoundOfSlowest{60};

// On an RNIC a verb takes microseconds. On a software device, a busy machine can delay a response
// beyond the timeout of a run, which the probe would report as loss.
constexpr ib::ProbeOptions kOnHardware{.tries = 400, .timeout = 15, .retries = 3};
constexpr ib::ProbeOptions kOnSoftware{.tries = 8, .timeout = 17, .retries = 3};

RunArguments as_run(const FabricArguments& arguments) {
  RunArguments run;
  run.backend = "ibverbs";
  run.hardware = arguments.hardware;
  run.input.data = arguments.data;
  run.quiet = arguments.json;
  return run;
}

FabricNode told_before(const launch::Peer& peer) {
  FabricNode node = read_fabric_node(peer.facts);
  node.node = peer.rank + 1;
  node.host = peer.host;
  return node;
}

// The facts that a node sent when it joined, merged with its final report.
FabricNode node_of(const launch::Peer& peer, const launch::JobReply& reply) {
  const FabricNode before = told_before(peer);
  if (!reply.blob) {
    FabricNode lost = before;
    lost.trouble = reply.lost;
    return lost;
  }
  FabricNode node = read_fabric_node(*reply.blob);
  node.node = before.node;
  node.host = before.host;
  node.kernel = before.kernel;
  node.atomics = before.atomics;
  if (node.device.empty()) node.device = before.device;
  if (node.trouble.empty()) node.trouble = before.trouble;
  return node;
}

Result<std::vector<FabricNode>> ask_all(Fleet& fleet, const FabricArguments& arguments) {
  const std::vector<launch::Peer> peers = fleet.peers();
  const bool software = std::any_of(peers.begin(), peers.end(), [](const launch::Peer& peer) {
    return !told_before(peer).software.empty();
  });
  const FabricJob job{path_of(arguments.hardware), software ? kOnSoftware : kOnHardware};
  launch::JobWatch watch;
  watch.deadline = launch::within((peers.size() + 2) * kRoundOfSlowest);
  watch.tick = [&fleet] { fleet.pump(); };
  auto said = launch::Clock::now();
  watch.heard = [&](std::uint32_t, const std::string& text) {
    const auto round = round_in(text);
    const auto now = launch::Clock::now();
    if (!round || now - said < std::chrono::duration<double>(kWorthSaying)) return;
    said = now;
    fmt::print(stderr, "latchlab: each node has tried {} of its {} ways\n", *round - 1,
               peers.size() - 1);
  };
  const auto done = fleet.ask(write_fabric_job(job), watch);
  if (!done) return done.error();
  std::vector<FabricNode> nodes;
  for (std::size_t i = 0; i < peers.size(); ++i)
    nodes.push_back(node_of(peers[i], done.value().replies[i]));
  return nodes;
}

// Round-trip times of READs of 8 bytes over the paths that could be measured.
struct Trips {
  std::size_t ways = 0, fine = 0;
  std::int64_t min_ns = 0, median_ns = 0, slowest_ns = 0;
  std::uint32_t slowest_from = 0, slowest_to = 0;
};

Trips trips_of(const std::vector<FabricNode>& nodes) {
  Trips trips;
  trips.ways = nodes.size() * (nodes.size() - 1);
  std::vector<std::int64_t> medians;
  for (const FabricNode& node : nodes)
    for (std::size_t i = 0; i < node.ways.size(); ++i) {
      const ib::WayReport& way = node.ways[i];
      if (i + 1 == node.node) continue;
      if (way.end == ib::WayReport::End::fine) ++trips.fine;
      if (way.min_ns == 0) continue;
      medians.push_back(way.median_ns);
      if (trips.min_ns == 0 || way.min_ns < trips.min_ns) trips.min_ns = way.min_ns;
      if (way.median_ns <= trips.slowest_ns) continue;
      trips.slowest_ns = way.median_ns;
      trips.slowest_from = node.node;
      trips.slowest_to = static_cast<std::uint32_t>(i + 1);
    }
  std::sort(medians.begin(), medians.end());
  if (!medians.empty()) trips.median_ns = medians[medians.size() / 2];
  return trips;
}

std::string us(std::int64_t ns) {
  return fmt::format("{:.1f} us", static_cast<double>(ns) / 1e3);
}

std::string text_of(const Trips& trips) {
  std::string text = fmt::format("{} of {} ways are fine", trips.fine, trips.ways);
  if (trips.min_ns == 0) return text;
  return text + fmt::format(
                    "; a READ of 8 bytes takes at least {}, median {}; slowest: {} to {}, "
                    "median {}",
                    us(trips.min_ns), us(trips.median_ns), trips.slowest_from, trips.slowest_to,
                    us(trips.slowest_ns));
}

void print_table(const std::vector<FabricNode>& nodes) {
  std::vector<std::vector<std::string>> rows = {
      {"node", "host", "device", "port", "firmware", "link layer", "MTU", "GID", "index", "pkey"}};
  const auto or_dash = [](std::string text) { return text.empty() ? "-" : text; };
  for (const FabricNode& node : nodes) {
    const bool there = node.trouble.empty();
    rows.push_back({fmt::format("{}", node.node), node.host, or_dash(node.device),
                    there ? fmt::format("{}", node.port) : "-", or_dash(node.firmware),
                    or_dash(node.link_layer), there ? fmt::format("{}", node.mtu_bytes) : "-",
                    or_dash(node.gid), there ? fmt::format("{}", node.gid_index) : "-",
                    there && node.pkey != 0 ? fmt::format("{:#06x}", node.pkey) : "-"});
  }
  fmt::print("{}\n", aligned(rows));
}

void print_json(const std::vector<FabricNode>& nodes, const Lines& lines, const Trips& trips) {
  Json all = {{"ok", is_well(lines)}, {"version", LATCHLAB_VERSION}};
  all["nodes"] = Json::array();
  for (const FabricNode& node : nodes) all["nodes"].push_back(parse_json(json_of(node)));
  all["checks"] = parse_json(json_of(lines));
  all["summary"] = {
      {"ways", trips.ways},
      {"fine", trips.fine},
      {"min_ns", trips.min_ns},
      {"median_ns", trips.median_ns},
      {"slowest",
       {{"from", trips.slowest_from}, {"to", trips.slowest_to}, {"median_ns", trips.slowest_ns}}}};
  fmt::print("{}\n", dump_json(all, 1));
}

Result<std::uint32_t> nodes_wanted(const FabricArguments& arguments,
                                   const std::optional<launch::MpiRank>& place) {
  constexpr std::uint32_t kLeast = 2;
  if (place && arguments.nodes != 0 && arguments.nodes != place->size)
    return Error{fmt::format("--nodes {}: MPI has started {} processes, and each is a node; leave "
                             "--nodes out",
                             arguments.nodes, place->size),
                 {}};
  if (place) return place->size;
  if (arguments.nodes != 0) return arguments.nodes;
  if (!arguments.hardware.rendezvous.empty())
    return Error{"--rendezvous: say by --nodes how many nodes to wait for", {}};
  return std::max(kLeast, static_cast<std::uint32_t>(arguments.hardware.addresses.size()));
}

}  // namespace

int doctor_fabric(const FabricArguments& arguments) {
  if (const std::string& rendezvous = arguments.hardware.rendezvous; !rendezvous.empty())
    if (const Status usable = check_rendezvous(rendezvous); !usable)
      return complain(usable.error());
  const auto place = launch::mpi_rank();
  if (!place) return complain(place.error(), kCannot);
  const RunArguments run = as_run(arguments);
  if (place.value() && place.value()->rank > 0) return be_an_mpi_node(run, place.value()->rank);
  const auto nodes = nodes_wanted(arguments, place.value());
  if (!nodes) return complain(nodes.error());
  if (arguments.hardware.rendezvous.empty() && !place.value()) {
    const auto devices = ib::list_devices();
    if (!devices) return complain(devices.error(), kCannot);
    if (devices.value().empty())
      return complain({"this machine has no RDMA device; latchlab doctor says more", {}}, kCannot);
  }
  Fleet fleet(run, nodes.value(), place.value());
  if (const Status there = fleet.assemble(); !there) return complain(there.error(), kCannot);
  const auto told = ask_all(fleet, arguments);
  if (!told) return complain(told.error(), kCannot);
  Lines lines = judge_fabric(told.value(), locks_by_software(atomics_of(told.value())));
  for (Line& line : judge_ways(told.value())) lines.push_back(std::move(line));
  const Trips trips = trips_of(told.value());
  if (arguments.json) {
    print_json(told.value(), lines, trips);
  } else {
    print_table(told.value());
    print(lines);
    fmt::print("\n{}\n", text_of(trips));
  }
  const bool none = std::none_of(told.value().begin(), told.value().end(),
                                 [](const FabricNode& node) { return node.trouble.empty(); });
  if (none) return kCannot;
  return is_well(lines) ? kFine : kBroken;
}

}  // namespace latchlab::tool

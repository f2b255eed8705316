#include "backends/ibverbs/rendezvous.h"

#include <fmt/core.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <map>
#include <thread>
#include <utility>

#include "core/base/check.h"

namespace latchlab::ib {

namespace {

constexpr Duration kConnectWithin = seconds(50);  // less than the launcher waits for a node
constexpr std::uint32_t kRoundTrips = 64;
constexpr Duration kAnswersWithin = seconds(10);  // for all of them

std::int64_t latest(const std::vector<std::string>& dates, std::int64_t own) {
  for (const std::string& text : dates) {
    std::int64_t date = own;
    std::from_chars(text.data(), text.data() + text.size(), date);
    own = std::max(own, date);
  }
  return own;
}

}  // namespace

std::int64_t monotonic_ns() {
  timespec now = {};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1'000'000'000LL + now.tv_nsec;
}

std::string clock_identity() {
  std::array<char, 64> space = {};
  const bool told = ::readlink("/proc/self/ns/time", space.data(), space.size() - 1) > 0;
  return machine_identity() + (told ? std::string(" ") + space.data() : std::string());
}

// ---- descriptors ----

std::vector<std::string> Rendezvous::descriptors_of(const LocalNode& node) const {
  NodeDescriptor descriptor;
  descriptor.node = node.id;
  descriptor.base = reinterpret_cast<std::uint64_t>(node.memory->base());
  descriptor.bytes = node.memory->table().bytes;
  descriptor.key = node.memory->table().remote_key;
  descriptor.device_offset = node.memory->on_device().offset;
  descriptor.device_bytes = node.memory->on_device().bytes;
  descriptor.device_key = node.memory->on_device().remote_key;
  descriptor.threads = process_.threads_of(node.id) + 1;
  descriptor.infiniband = node.device->facts().infiniband ? 1 : 0;
  descriptor.pkey = node.device->path().pkey;
  descriptor.atomics = node.atomics.kinds;
  descriptor.dct = node.memory_server->dct();
  descriptor.machine = clock_identity();
  std::vector<std::string> descriptors;
  for (const NodePlan& other : process_.plan.nodes) {
    descriptor.channel = {};
    if (other.id != node.id)
      descriptor.channel =
          node.memory_server->frames().channel_address(process_.memory_server_of(other.id));
    descriptors.push_back(write_descriptor(descriptor));
  }
  return descriptors;
}

Status Rendezvous::read_descriptors(LocalNode& node, const std::vector<std::string>& descriptors) {
  const std::vector<NodePlan>& nodes = process_.plan.nodes;
  Directory& directory = process_.directory;
  LATCHLAB_CHECK(descriptors.size() == nodes.size(), "a descriptor of each node");
  for (std::size_t i = 0; i < descriptors.size(); ++i) {
    auto descriptor = read_descriptor(descriptors[i], nodes[i].id);
    if (!descriptor) return descriptor.error();
    node.descriptor_bytes += descriptors[i].size();
    directory.nodes[i] = std::move(descriptor).value();
  }
  FrameExchange& frames = node.memory_server->frames();
  for (const NodeDescriptor& other : directory.nodes) {
    if (other.node == node.id) continue;
    if (Status same = check_fabric(directory.of(node.id), other); !same) return same;
    const ThreadId there = process_.memory_server_of(other.node);
    if (Status made = frames.connect_channel(there, other.channel); !made) return made;
  }
  return fine();
}

// A DCI has one MTU for all targets, so all targets must have the same.
Status Rendezvous::check_dc() const {
  const Directory& directory = process_.directory;
  for (const NodeDescriptor& node : directory.nodes)
    if (directory.dc && node.dct.mtu != directory.nodes.front().dct.mtu)
      return Error{
          fmt::format("--transport dc: the ports of node {} and node 1 have different MTUs; "
                      "give them one, or use --transport rc",
                      node.node.value),
          {}};
  return fine();
}

Status Rendezvous::connect() {
  const auto& exchange = process_.options.exchange;
  std::map<NodeId, std::vector<std::string>> descriptors;
  for (const auto& [id, node] : process_.nodes) {
    descriptors[id] = descriptors_of(*node);
    for (const std::string& each : descriptors[id]) node->descriptor_bytes += each.size();
  }
  for (auto& [id, node] : process_.nodes) {
    std::vector<std::string> mine;
    if (exchange) {
      LATCHLAB_CHECK(process_.nodes.size() == 1, "one node in each process");
      auto got = exchange(descriptors[id]);
      if (!got) return got.error();
      mine = std::move(got).value();
    } else {
      for (const NodePlan& from : process_.plan.nodes)
        mine.push_back(descriptors[from.id][id.value - 1]);
    }
    if (Status read = read_descriptors(*node, mine); !read) return read;
  }
  if (Status fits = check_dc(); !fits) return fits;
  compare_clocks();
  std::size_t place = 0;
  for (auto& [id, node] : process_.nodes) {
    const OnCores there(process_.cores.of_memory_server(place++));
    node->memory_server->start();
  }
  return exchange ? fine() : start_together();
}

// ---- clocks ----

void Rendezvous::compare_clocks() {
  const Directory& directory = process_.directory;
  const NodeId first = process_.plan.nodes.front().id;
  for (const auto& [id, node] : process_.nodes)
    if (directory.of(first).machine != directory.of(id).machine)
      node->memory_server->compare_clock(process_.memory_server_of(first), kRoundTrips);
}

Status Rendezvous::wait_for_clock() {
  const Directory& directory = process_.directory;
  const LocalNode& here = *process_.nodes.begin()->second;
  const NodeId first = process_.plan.nodes.front().id;
  if (directory.of(first).machine == directory.of(here.id).machine) return fine();
  const std::int64_t give_up = monotonic_ns() + kAnswersWithin.ps / 1000;
  while (here.memory_server->clock() == nullptr) {
    if (process_.stop.load(std::memory_order_relaxed)) return fine();
    if (monotonic_ns() > give_up)
      return Error{"the first node does not answer what its clock says", {}};
    if (process_.options.look_around) process_.options.look_around();
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  clock_ = here.memory_server->clock()->best();
  return fine();
}

// ---- the start ----

// Connects the QPs to servers before anything is measured, because a server makes its ends one
// after the other.
Status Rendezvous::connect_clients() {
  for (const auto& worker : process_.workers)
    for (ActorHost* host : worker->hosts())
      for (const NodePlan& node : process_.plan.nodes)
        if (node.server && !process_.directory.software_atomics) host->connect_clients(node.id);
  const std::int64_t give_up = monotonic_ns() + kConnectWithin.ps / 1000;
  for (bool waits = true; waits && !process_.stop.load(std::memory_order_relaxed);) {
    waits = false;
    if (monotonic_ns() > give_up)
      return Error{fmt::format("the QPs of {} clients were not connected in {:.0f} s",
                               process_.clients.size(), kConnectWithin.seconds()),
                   {}};
    for (const auto& worker : process_.workers)
      for (ActorHost* host : worker->hosts()) {
        host->poll();
        waits = waits || host->busy();
      }
    if (waits && process_.options.look_around) process_.options.look_around();
  }
  return fine();
}

Status Rendezvous::start_together() {
  std::int64_t epoch = monotonic_ns();
  if (process_.options.exchange) {
    if (Status ready = connect_clients(); !ready) return ready;
    if (Status compared = wait_for_clock(); !compared) return compared;
    epoch = monotonic_ns() + clock_.ahead_ns;
    const auto all = process_.tell_all(std::to_string(epoch));
    if (!all) return all.error();
    began_together_ = true;
    // All nodes begin at the latest date, which is given by the first node's clock as each node
    // knows it.
    epoch = latest(all.value(), epoch) - clock_.ahead_ns;
  }
  for (const auto& worker : process_.workers) worker->set_epoch(epoch);
  return fine();
}

}  // namespace latchlab::ib

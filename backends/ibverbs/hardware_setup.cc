// Set-up of the backend: nodes, their threads, and the channels between them.

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "backends/ibverbs/cores.h"
#include "backends/ibverbs/hardware.h"
#include "backends/ibverbs/node_descriptor.h"
#include "core/base/check.h"

namespace latchlab::ib {

namespace {

constexpr Duration kConnectWithin = seconds(50);  // less than the launcher waits for a node

std::int64_t latest(const std::vector<std::string>& dates, std::int64_t own) {
  for (const std::string& text : dates) {
    std::int64_t date = own;
    std::from_chars(text.data(), text.data() + text.size(), date);
    own = std::max(own, date);
  }
  return own;
}

}  // namespace

std::uint32_t Hardware::threads_of(NodeId node) const {
  const bool server = plan_.nodes[node.value - 1].server;
  return server ? std::max(options_.workers, options_.server_workers) : options_.workers;
}

ThreadId Hardware::memory_server_of(NodeId node) const {
  return {node, static_cast<std::uint8_t>(threads_of(node))};
}

Status Hardware::set_up() {
  if (Status taken = take_cores(); !taken) return taken;
  for (const NodeId id : options_.hosted)
    if (Status made = make_node(id); !made) return made;
  if (Status connected = connect(); !connected) return connected;
  const NativeAtomics native = atomics_of_all();
  capabilities_ =
      ibverbs_capabilities(native, options_.software_atomics, is_one_machine(), directory_.dc);
  up_ = true;
  return fine();
}

NativeAtomics Hardware::atomics_of_all() {
  NativeAtomics all = nodes_.begin()->second->atomics;
  for (const NodeDescriptor& descriptor : directory_.nodes) {
    const LocalNode* const here = find(descriptor.node);
    all = common(all, here != nullptr
                          ? here->atomics
                          : NativeAtomics{descriptor.atomics,
                                          fmt::format("the RNIC of node {} lacks some; latchlab "
                                                      "doctor says more there",
                                                      descriptor.node.value)});
  }
  if (directory_.dc) all = all.by_dc();
  directory_.atomics = all.kinds;
  return all;
}

bool Hardware::is_one_machine() const {
  return std::all_of(directory_.nodes.begin(), directory_.nodes.end(),
                     [&](const NodeDescriptor& descriptor) {
                       return descriptor.machine == directory_.nodes.front().machine;
                     });
}

Status Hardware::make_node(NodeId id) {
  LATCHLAB_CHECK(id.value >= 1 && id.value <= plan_.nodes.size(), "a node of the plan");
  const NodePlan& planned = plan_.nodes[id.value - 1];
  auto node = std::make_unique<LocalNode>();
  node->id = id;
  if (options_.connection_cache) node->parts = options_.connection_cache->take(id, made_for(id));
  if (!node->parts)
    if (Status opened = open_device(*node); !opened) return opened;
  node->device = node->parts->device.get();
  node->paths = node->parts->paths.get();
  if (!options_.software_atomics) {
    node->atomics = try_atomics(*node->device);
    if (!node->atomics.has(NativeAtomics::plain)) return Error{node->atomics.lacking, {}};
  }
  // An agent is a CPU, whose accesses to the RNIC's memory are not atomic.
  if (options_.software_atomics && planned.device_bytes > 0)
    return Error{
        "a lock table in the RNIC's own memory is nothing for agents, whose accesses to it would "
        "not be atomic: use locks.memory: host",
        {}};
  auto memory = Memory::make(*node->device, id, planned.bytes, plan_.image,
                             {options_.device_from, planned.device_bytes});
  if (!memory) return memory.error();
  node->memory = std::move(memory).value();
  if (Status made = make_threads(*node); !made) return made;
  nodes_.emplace(id, std::move(node));
  return fine();
}

Status Hardware::open_device(LocalNode& node) const {
  DeviceChoice choice;
  choice.name = options_.device;
  choice.path = options_.path;
  choice.port = options_.port;
  choice.gid_index = options_.gid_index;
  if (!options_.addresses.empty())
    choice.address = options_.addresses[nodes_.size() % options_.addresses.size()];
  auto device = Device::open(choice);
  if (!device) return device.error();
  if (!device.value()->facts().atomics && !options_.software_atomics)
    return Error{fmt::format("{} has no atomics, which locks need: use --agents",
                             device.value()->facts().name),
                 {}};
  node.parts = std::make_unique<NodeParts>();
  node.parts->made_for = made_for(node.id);
  node.parts->paths = std::make_unique<AhCache>(*device.value());
  node.parts->device = std::move(device).value();
  node.parts->threads = std::vector<ThreadQueues>(threads_of(node.id) + 1);
  return fine();
}

Status Hardware::make_threads(LocalNode& node) {
  const std::uint32_t memory_server = threads_of(node.id);
  auto mailbox = Mailbox::make(memory_server + 1);
  if (!mailbox) return mailbox.error();
  node.mailbox = std::move(mailbox).value();
  for (std::uint32_t i = 0; i < memory_server; ++i) {
    const OnCores there(core_of_worker(i));
    ThreadQueues& queues = node.parts->threads[i];
    auto frames = FrameExchange::make(*node.device, {node.id, static_cast<std::uint8_t>(i)},
                                      *node.mailbox, options_.frame_rnr_retries, queues);
    if (!frames) return frames.error();
    node.hosts.push_back(std::make_unique<ActorHost>(*workers_[i], node, directory_,
                                                     std::move(frames).value(), queues));
    node.hosts.back()->set_clients(plan_.clients);
  }
  const OnCores there(cores_of_memory_server(nodes_.size()));
  ThreadQueues& queues = node.parts->threads[memory_server];
  auto frames = FrameExchange::make(*node.device, memory_server_of(node.id), *node.mailbox,
                                    options_.frame_rnr_retries, queues);
  if (!frames) return frames.error();
  node.memory_server = std::make_unique<MemoryServer>(std::move(frames).value(), *node.memory,
                                                      plan_.clients, queues);
  if (directory_.dc)
    if (Status offered = node.memory_server->offer_dc(); !offered) return offered;
  std::vector<ThreadId> others;
  for (const NodePlan& other : plan_.nodes)
    if (other.id != node.id) others.push_back(memory_server_of(other.id));
  return node.memory_server->frames().make_channels(others);
}

// ---- node descriptors ----

std::vector<std::string> Hardware::descriptors_of(const LocalNode& node) const {
  NodeDescriptor descriptor;
  descriptor.node = node.id;
  descriptor.base = reinterpret_cast<std::uint64_t>(node.memory->base());
  descriptor.bytes = node.memory->table().bytes;
  descriptor.key = node.memory->table().remote_key;
  descriptor.device_offset = node.memory->on_device().offset;
  descriptor.device_bytes = node.memory->on_device().bytes;
  descriptor.device_key = node.memory->on_device().remote_key;
  descriptor.threads = threads_of(node.id) + 1;
  descriptor.infiniband = node.device->facts().infiniband;
  descriptor.pkey = node.device->path().pkey;
  descriptor.atomics = node.atomics.kinds;
  descriptor.dct = node.memory_server->dct();
  descriptor.machine = clock_identity();
  std::vector<std::string> descriptors;
  for (const NodePlan& other : plan_.nodes) {
    descriptor.channel = {};
    if (other.id != node.id)
      descriptor.channel = node.memory_server->frames().channel_address(memory_server_of(other.id));
    descriptors.push_back(write_descriptor(descriptor));
  }
  return descriptors;
}

Status Hardware::read_descriptors(LocalNode& node, const std::vector<std::string>& descriptors) {
  LATCHLAB_CHECK(descriptors.size() == plan_.nodes.size(), "a descriptor of each node");
  for (std::size_t i = 0; i < descriptors.size(); ++i) {
    auto descriptor = read_descriptor(descriptors[i], plan_.nodes[i].id);
    if (!descriptor) return descriptor.error();
    node.descriptor_bytes += descriptors[i].size();
    directory_.nodes[i] = std::move(descriptor).value();
  }
  FrameExchange& frames = node.memory_server->frames();
  for (const NodeDescriptor& descriptor : directory_.nodes) {
    if (descriptor.node == node.id) continue;
    if (Status same = check_fabric(directory_.of(node.id), descriptor); !same) return same;
    if (Status made = frames.connect_channel(memory_server_of(descriptor.node), descriptor.channel);
        !made)
      return made;
  }
  return fine();
}

Result<std::vector<std::string>> Hardware::tell_all(const std::string& text) const {
  return options_.exchange(std::vector<std::string>(plan_.nodes.size(), text));
}

// A DCI has one MTU for all targets, so all targets must have the same.
Status Hardware::check_dc() const {
  for (const NodeDescriptor& descriptor : directory_.nodes)
    if (directory_.dc && descriptor.dct.mtu != directory_.nodes.front().dct.mtu)
      return Error{
          fmt::format("--transport dc: the ports of node {} and node 1 have different MTUs; "
                      "give them one, or use --transport rc",
                      descriptor.node.value),
          {}};
  return fine();
}

Status Hardware::connect() {
  std::map<NodeId, std::vector<std::string>> descriptors;
  for (const auto& [id, node] : nodes_) {
    descriptors[id] = descriptors_of(*node);
    for (const std::string& descriptor : descriptors[id])
      node->descriptor_bytes += descriptor.size();
  }
  for (auto& [id, node] : nodes_) {
    std::vector<std::string> mine;
    if (options_.exchange) {
      LATCHLAB_CHECK(nodes_.size() == 1, "one node in each process");
      auto got = options_.exchange(descriptors[id]);
      if (!got) return got.error();
      mine = std::move(got).value();
    } else {
      for (const NodePlan& from : plan_.nodes) mine.push_back(descriptors[from.id][id.value - 1]);
    }
    if (Status read = read_descriptors(*node, mine); !read) return read;
  }
  if (Status fits = check_dc(); !fits) return fits;
  compare_clocks();
  std::size_t place = 0;
  for (auto& [id, node] : nodes_) {
    const OnCores there(cores_of_memory_server(place++));
    node->memory_server->start();
  }
  if (!options_.exchange) return start_together();
  return fine();
}

SetUpCost Hardware::set_up_cost(NodeId node) const {
  const LocalNode& here = *nodes_.at(node);
  return {here.device->qps(), here.device->qps_made(), here.device->doorbells(),
          here.descriptor_bytes};
}

// Connects the QPs to servers before anything is measured, because a server makes its ends one
// after the other.
Status Hardware::connect_clients() {
  for (const auto& worker : workers_)
    for (ActorHost* host : worker->hosts())
      for (const NodePlan& node : plan_.nodes)
        if (node.server && !directory_.software_atomics) host->connect_clients(node.id);
  const std::int64_t give_up = monotonic_ns() + kConnectWithin.ps / 1000;
  for (bool waits = true; waits && !stop_.load(std::memory_order_relaxed);) {
    waits = false;
    if (monotonic_ns() > give_up)
      return Error{fmt::format("the QPs of {} clients were not connected in {:.0f} s",
                               clients_.size(), kConnectWithin.seconds()),
                   {}};
    for (const auto& worker : workers_)
      for (ActorHost* host : worker->hosts()) {
        host->poll();
        waits = waits || host->busy();
      }
    if (waits && options_.look_around) options_.look_around();
  }
  return fine();
}

Status Hardware::start_together() {
  std::int64_t epoch = monotonic_ns();
  if (options_.exchange) {
    if (Status ready = connect_clients(); !ready) return ready;
    if (Status compared = wait_for_clock(); !compared) return compared;
    epoch = monotonic_ns() + clock_.ahead_ns;
    const auto all = tell_all(std::to_string(epoch));
    if (!all) return all.error();
    together_ = true;
    // All nodes begin at the latest date, which is given by the first node's clock as each node
    // knows it.
    epoch = latest(all.value(), epoch) - clock_.ahead_ns;
  }
  for (const auto& worker : workers_) worker->set_epoch(epoch);
  return fine();
}

}  // namespace latchlab::ib

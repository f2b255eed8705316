// Makes the nodes of a process.

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "backends/ibverbs/process.h"
#include "core/base/check.h"

namespace latchlab::ib {

namespace {

// The configuration for which a node's parts can be reused. Includes the cores, because memory is
// allocated close to them.
std::string configuration_of(const Process& process, NodeId node) {
  const IbverbsOptions& options = process.options;
  std::string addresses;
  for (const std::string& each : options.addresses) addresses += each + " ";
  return fmt::format("{} of {}by {} sl {} class {}, {} threads on {}, {}, {} initiators",
                     options.device, addresses, options.path.pkey, options.path.sl,
                     options.path.traffic_class, process.threads_of(node), process.cores.text(),
                     process.directory.dc ? "dc" : "rc", options.dcis);
}

Status open_device(const Process& process, LocalNode& node) {
  const IbverbsOptions& options = process.options;
  DeviceChoice choice;
  choice.name = options.device;
  choice.path = options.path;
  choice.port = options.port;
  choice.gid_index = options.gid_index;
  if (!options.addresses.empty())
    choice.address = options.addresses[process.nodes.size() % options.addresses.size()];
  auto device = Device::open(choice);
  if (!device) return device.error();
  if (!device.value()->facts().atomics && !options.software_atomics)
    return Error{fmt::format("{} has no atomics, which locks need: use --agents",
                             device.value()->facts().name),
                 {}};
  node.parts = std::make_unique<NodeParts>();
  node.parts->made_for = configuration_of(process, node.id);
  node.parts->paths = std::make_unique<AhCache>(*device.value());
  node.parts->device = std::move(device).value();
  node.parts->threads = std::vector<ThreadQueues>(process.threads_of(node.id) + 1);
  return fine();
}

Result<std::unique_ptr<FrameExchange>> make_frames(const Process& process, LocalNode& node,
                                                   std::uint32_t thread) {
  ThreadQueues& queues = node.parts->threads[thread];
  if (Status made = queues.make(*node.device, thread < process.threads_of(node.id)); !made)
    return made.error();
  return std::make_unique<FrameExchange>(*node.device,
                                         ThreadId{node.id, static_cast<std::uint8_t>(thread)},
                                         *node.mailbox, process.options.frame_rnr_retries, queues);
}

Status make_threads(Process& process, LocalNode& node) {
  const std::uint32_t memory_server = process.threads_of(node.id);
  auto mailbox = Mailbox::make(memory_server + 1, process.options.by_event);
  if (!mailbox) return mailbox.error();
  node.mailbox = std::move(mailbox).value();
  for (std::uint32_t i = 0; i < memory_server; ++i) {
    const OnCores there(process.cores.of_worker(i));
    auto frames = make_frames(process, node, i);
    if (!frames) return frames.error();
    node.hosts.push_back(std::make_unique<ActorHost>(*process.workers[i], node, process.directory,
                                                     std::move(frames).value(),
                                                     node.parts->threads[i], process.plan.clients));
  }
  const OnCores there(process.cores.of_memory_server(process.nodes.size()));
  auto frames = make_frames(process, node, memory_server);
  if (!frames) return frames.error();
  node.memory_server =
      std::make_unique<MemoryServer>(std::move(frames).value(), *node.memory, process.plan.clients,
                                     node.parts->threads[memory_server]);
  if (process.directory.dc)
    if (Status offered = node.memory_server->offer_dc(); !offered) return offered;
  std::vector<ThreadId> others;
  for (const NodePlan& other : process.plan.nodes)
    if (other.id != node.id) others.push_back(process.memory_server_of(other.id));
  return node.memory_server->frames().make_channels(others);
}

}  // namespace

Process::Process(const WorldPlan& world_plan, const IbverbsOptions& all_options)
    : plan(world_plan), options(all_options) {
  LATCHLAB_CHECK(options.workers >= 1 && options.workers < 255, "1 to 254 threads of clients");
  LATCHLAB_CHECK(options.server_workers >= 1 && options.server_workers < 255,
                 "1 to 254 threads of a server part");
  if (options.hosted.empty())
    for (const NodePlan& node : plan.nodes) options.hosted.push_back(node.id);
  directory.nodes.resize(plan.nodes.size());
  directory.software_atomics = options.software_atomics;
  directory.dc = options.dc && !options.software_atomics;
  directory.most_dcis = options.dcis;
  directory.server_threads = options.server_workers;
  directory.synchronisation_error = options.synchronisation_error;
  std::uint32_t threads = 1;
  for (const NodeId node : options.hosted) threads = std::max(threads, threads_of(node));
  for (std::uint32_t i = 0; i < threads; ++i)
    workers.push_back(std::make_unique<Worker>(i, monotonic_ns(), live_clients));
  if (options.exchange)
    for (const auto& worker : workers) worker->set_serves_others();
}

std::uint32_t Process::threads_of(NodeId node) const {
  const bool server = plan.nodes[node.value - 1].server;
  return server ? std::max(options.workers, options.server_workers) : options.workers;
}

LocalNode* Process::find(NodeId node) {
  const auto found = nodes.find(node);
  return found == nodes.end() ? nullptr : found->second.get();
}

Result<std::vector<std::string>> Process::tell_all(const std::string& text) const {
  return options.exchange(std::vector<std::string>(plan.nodes.size(), text));
}

Status make_node(Process& process, NodeId id) {
  const IbverbsOptions& options = process.options;
  LATCHLAB_CHECK(id.value >= 1 && id.value <= process.plan.nodes.size(), "a node of the plan");
  const NodePlan& planned = process.plan.nodes[id.value - 1];
  auto node = std::make_unique<LocalNode>();
  node->id = id;
  if (options.connection_cache)
    node->parts = options.connection_cache->take(id, configuration_of(process, id));
  if (!node->parts)
    if (Status opened = open_device(process, *node); !opened) return opened;
  node->device = node->parts->device.get();
  node->paths = node->parts->paths.get();
  if (!options.software_atomics) {
    node->atomics = try_atomics(*node->device);
    if (!node->atomics.has(NativeAtomics::plain)) return Error{node->atomics.lacking, {}};
  }
  // A proxy is a CPU, whose accesses to the RNIC's memory are not atomic.
  if (options.software_atomics && planned.device_bytes > 0)
    return Error{
        "a lock table in the RNIC's own memory is nothing for agents, whose accesses to it would "
        "not be atomic: use locks.memory: host",
        {}};
  auto memory = Memory::make(*node->device, id, planned.bytes, process.plan.image,
                             {options.device_from, planned.device_bytes});
  if (!memory) return memory.error();
  node->memory = std::move(memory).value();
  if (Status made = make_threads(process, *node); !made) return made;
  process.nodes.emplace(id, std::move(node));
  return fine();
}

}  // namespace latchlab::ib

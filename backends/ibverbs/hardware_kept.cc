// The end of a run, and what it leaves to the next (connection_cache.h).

#include <fmt/core.h>
#include <sched.h>

#include <array>
#include <chrono>
#include <cstring>
#include <set>
#include <thread>
#include <utility>

#include "backends/ibverbs/cores.h"
#include "backends/ibverbs/hardware.h"

namespace latchlab::ib {

namespace {

constexpr std::chrono::seconds kLinger{1};
constexpr std::int64_t kDrainedWithinNs = 1'000'000'000;

std::set<std::uint32_t> numbers_in(const std::vector<std::string>& texts) {
  std::set<std::uint32_t> all;
  for (const std::string& text : texts)
    for (std::size_t at = 0; at + sizeof(std::uint32_t) <= text.size();
         at += sizeof(std::uint32_t)) {
      std::uint32_t number = 0;
      std::memcpy(&number, text.data() + at, sizeof(number));
      all.insert(number);
    }
  return all;
}

bool has_all_initiators(const ThreadQueues& queues) {
  return !queues.dcis || queues.dcis->has_all();
}

}  // namespace

// The configuration for which a node's parts can be reused. Includes the cores, because memory is
// allocated close to them.
std::string Hardware::made_for(NodeId node) const {
  const PathOptions& path = options_.path;
  std::string addresses;
  for (const std::string& each : options_.addresses) addresses += each + " ";
  return fmt::format("{} of {}by {} sl {} class {}, {} threads on {} and {}, {}, {} initiators",
                     options_.device, addresses, path.pkey, path.sl, path.traffic_class,
                     threads_of(node), text_of_cores(cores_), text_of_cores(others_),
                     directory_.dc ? "dc" : "rc", options_.dcis);
}

// Waits until everything that was posted here is back; false: that takes too long.
bool Hardware::drained(const LocalNode& node) {
  const std::int64_t give_up = monotonic_ns() + kDrainedWithinNs;
  for (const auto& host : node.hosts)
    while (!host->drain()) {
      if (monotonic_ns() > give_up) return false;
      ::sched_yield();
    }
  return true;
}

// For each node of the run, the numbers of its ends that this node confirms as drained.
std::vector<std::string> Hardware::confirm_drained(LocalNode& node) {
  std::map<NodeId, std::string> confirmed;
  node.quiet = options_.connection_cache && !node.dead && drained(node);
  if (node.quiet)
    for (const auto& host : node.hosts) host->give_back(confirmed);
  std::vector<std::string> all;
  for (const NodePlan& other : plan_.nodes) all.push_back(confirmed[other.id]);
  return all;
}

// Until all nodes are done, another node may still use this one's memory.
Hardware::~Hardware() {
  std::map<NodeId, std::vector<std::string>> confirmed;  // by sender, for each node
  if (up_ && (together_ || !options_.exchange))
    for (auto& [id, node] : nodes_) confirmed[id] = confirm_drained(*node);
  std::map<NodeId, std::set<std::uint32_t>> kept;  // confirmed ends, by node
  if (together_) {
    const NodeId here = nodes_.begin()->first;
    const auto all = options_.exchange(confirmed[here]);
    // If a node is lost, the exchange fails; the other nodes end their runs at the same date.
    if (!all) std::this_thread::sleep_for(kLinger);
    if (all) kept[here] = numbers_in(all.value());
  } else if (!confirmed.empty()) {
    for (const auto& [id, node] : nodes_) {
      std::vector<std::string> mine;
      for (const auto& [from, texts] : confirmed) mine.push_back(texts[id.value - 1]);
      kept[id] = numbers_in(mine);
    }
  }
  for (auto& [id, node] : nodes_)
    if (node->memory_server) node->memory_server->stop();
  std::map<NodeId, std::unique_ptr<NodeParts>> parts;
  for (const auto& [id, ends] : kept) {
    LocalNode& node = *nodes_.at(id);
    if (!node.quiet) continue;
    node.memory_server->give_back(ends);
    parts[id] = std::move(node.parts);
  }
  nodes_.clear();  // destroys all QPs that are not kept, and the memory
  for (auto& [id, each] : parts) keep(id, std::move(each));
  if (!before_.empty()) use_cores(before_);  // for this thread and those that it starts
}

void Hardware::keep(NodeId node, std::unique_ptr<NodeParts> parts) {
  std::array<Done, 32> of_destroyed_ones;
  for (ThreadQueues& queues : parts->threads) {
    if (!has_all_initiators(queues)) return;
    while (queues.cq.poll(of_destroyed_ones) > 0) continue;
  }
  options_.connection_cache->give(node, std::move(parts));
}

}  // namespace latchlab::ib

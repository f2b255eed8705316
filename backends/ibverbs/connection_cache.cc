// The end of a run, and what it leaves to the next.

#include "backends/ibverbs/connection_cache.h"

#include <sched.h>

#include <array>
#include <chrono>
#include <cstring>
#include <map>
#include <set>
#include <thread>
#include <utility>

#include "backends/ibverbs/process.h"

namespace latchlab::ib {

namespace {

constexpr int kCompletions = 8192;  // for the thread's verbs
static_assert(ThreadQueues::kMostVerbs <= kCompletions);
constexpr int kMemoryServerCompletions = 64;
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

// Waits until everything that was posted here is back; false: that takes too long.
bool drained(const LocalNode& node) {
  const std::int64_t give_up = monotonic_ns() + kDrainedWithinNs;
  for (const auto& host : node.hosts)
    while (!host->verbs().drain()) {
      if (monotonic_ns() > give_up) return false;
      ::sched_yield();
    }
  return true;
}

// For each node of the run, the numbers of its ends that this node confirms as drained.
std::vector<std::string> confirm_drained(const Process& process, LocalNode& node) {
  std::map<NodeId, std::string> confirmed;
  node.quiet = process.options.connection_cache && !node.dead && drained(node);
  if (node.quiet)
    for (const auto& host : node.hosts) host->verbs().give_back(confirmed);
  std::vector<std::string> all;
  for (const NodePlan& other : process.plan.nodes) all.push_back(confirmed[other.id]);
  return all;
}

// By node of this process, the numbers of its ends that all nodes confirm. A node without an entry
// keeps nothing.
std::map<NodeId, std::set<std::uint32_t>> confirmed_ends(const Process& process, bool is_up,
                                                         bool began_together) {
  std::map<NodeId, std::vector<std::string>> confirmed;  // by sender, for each node
  if (is_up && (began_together || !process.options.exchange))
    for (const auto& [id, node] : process.nodes) confirmed[id] = confirm_drained(process, *node);
  std::map<NodeId, std::set<std::uint32_t>> ends;
  if (began_together) {
    const NodeId here = process.nodes.begin()->first;
    const auto all = process.options.exchange(confirmed[here]);
    // If a node is lost, the exchange fails; the other nodes end their runs at the same date.
    if (!all) std::this_thread::sleep_for(kLinger);
    if (all) ends[here] = numbers_in(all.value());
  } else if (!confirmed.empty()) {
    for (const auto& [id, node] : process.nodes) {
      std::vector<std::string> mine;
      for (const auto& [from, texts] : confirmed) mine.push_back(texts[id.value - 1]);
      ends[id] = numbers_in(mine);
    }
  }
  return ends;
}

// Takes the completions of destroyed QPs. False: an initiator is missing.
bool clean(NodeParts& parts) {
  std::array<Done, 32> of_destroyed_ones;
  for (ThreadQueues& queues : parts.threads) {
    if (queues.dcis && !queues.dcis->has_all()) return false;
    while (queues.cq.poll(of_destroyed_ones) > 0) continue;
  }
  return true;
}

}  // namespace

Status ThreadQueues::make(const Device& device, bool posts_verbs) {
  if (domain) return fine();
  auto made = CompletionQueue::make(device, posts_verbs ? kCompletions : kMemoryServerCompletions);
  if (!made) return made.error();
  cq = std::move(made).value();
  domain = std::make_unique<ThreadDomain>(device);
  return fine();
}

void end_run(Process& process, bool is_up, bool began_together) {
  // Until all nodes are done, another node may still use this one's memory.
  const auto confirmed = confirmed_ends(process, is_up, began_together);
  for (auto& [id, node] : process.nodes)
    if (node->memory_server) node->memory_server->stop();
  std::map<NodeId, std::unique_ptr<NodeParts>> parts;
  for (const auto& [id, ends] : confirmed) {
    LocalNode& node = *process.nodes.at(id);
    if (!node.quiet) continue;
    node.memory_server->give_back(ends);
    parts[id] = std::move(node.parts);
  }
  process.nodes.clear();  // destroys all QPs that are not kept, and the memory
  for (auto& [id, each] : parts)
    if (clean(*each)) process.options.connection_cache->give(id, std::move(each));
}

}  // namespace latchlab::ib

// A node's part of a fabric probe.

#include <sys/resource.h>

#include <chrono>
#include <fstream>
#include <utility>

#include "tools/latchlab/hardware/fabric.h"
#include "tools/latchlab/hardware/hardware.h"

namespace latchlab::tool {

namespace {

constexpr std::chrono::seconds kOneRound{120};  // limit for the slowest node in a round
constexpr int kLockMemory = 14;                 // CAP_IPC_LOCK (capability.h)

std::string line_of(const std::string& file) {
  std::ifstream in(file);
  std::string line;
  std::getline(in, line);
  return line;
}

// RLIMIT_MEMLOCK does not apply to a process with CAP_IPC_LOCK.
bool may_lock_memory() {
  std::ifstream in("/proc/self/status");
  for (std::string word; in >> word;)
    if (std::uint64_t has = 0; word == "CapEff:" && in >> std::hex >> has)
      return (has >> kLockMemory & 1) != 0;
  return false;
}

std::int64_t memlock_bytes() {
  rlimit limit = {};
  if (::getrlimit(RLIMIT_MEMLOCK, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return -1;
  return may_lock_memory() ? -1 : static_cast<std::int64_t>(limit.rlim_cur);
}

void tell_machine(FabricNode& told) {
  told.memlock_bytes = memlock_bytes();
  told.clock = line_of("/sys/devices/system/clocksource/clocksource0/current_clocksource");
  told.governor = line_of("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
  told.library = ib::verbs_library();
}

void tell_port(const ib::Device& device, FabricNode& told) {
  told.device = device.facts().name;
  told.firmware = device.facts().firmware;
  told.software = device.facts().software;
  told.board = ib::board_of(device);
  told.link_layer = device.facts().infiniband ? "InfiniBand" : "RoCE v2";
  told.gid = ib::text_of(device.gid());
  told.gid_index = device.gid_index();
  told.port = device.port();
  told.mtu_bytes = static_cast<std::uint32_t>(device.facts().path_mtu_bytes);
  told.pkey = device.path().pkey;
  told.pkeys = ib::partitions_of(device);
}

void try_ways(launch::Member& member, ib::FabricProbe* probe, FabricNode& told) {
  const std::uint32_t nodes = member.size();
  std::vector<std::string> descriptors(nodes);
  if (probe != nullptr) descriptors = probe->descriptors();
  auto there = member.exchange_each(descriptors, launch::within(kOneRound));
  if (there && probe != nullptr) probe->connect(there.value());
  std::string stopped = there ? "" : there.error().text();
  for (std::uint32_t round = 1; round < nodes; ++round) {
    // A barrier: all nodes have connected, or have finished the previous round.
    if (stopped.empty())
      if (auto all = member.exchange("", launch::within(kOneRound)); !all)
        stopped = all.error().text();
    const std::uint32_t to = (member.rank() + round) % nodes;
    ib::WayReport& way = told.ways[to];
    if (stopped.empty() && member.rank() == 0) member.broadcast(round_text(round));
    member.poll();
    if (!stopped.empty())
      way.why = stopped;
    else if (probe != nullptr)
      way = probe->try_way(NodeId{static_cast<std::uint16_t>(to + 1)});
    else
      way.why = "this node has no port to try";
  }
  // A barrier: no node frees its memory before the other nodes have finished their accesses.
  if (stopped.empty()) static_cast<void>(member.exchange("", launch::within(kOneRound)));
}

}  // namespace

std::string be_probed(launch::Member& member, const HardwareArguments& hardware,
                      const FabricJob& job) {
  FabricNode told;
  told.ways.resize(member.size());
  tell_machine(told);
  ib::DeviceChoice choice = choice_of(hardware, member.rank());
  choice.path = job.path;
  const NodeId self{static_cast<std::uint16_t>(member.rank() + 1)};
  auto made = ib::FabricProbe::make(choice, self, member.size(), job.probe);
  ib::FabricProbe* const probe = made ? made.value().get() : nullptr;
  std::map<std::string, std::uint64_t> before;
  if (probe != nullptr) {
    tell_port(probe->device(), told);
    before = ib::loss_counters(probe->device());
  } else {
    told.trouble = made.error().text();
  }
  try_ways(member, probe, told);
  if (probe != nullptr) told.counters = ib::grown(before, ib::loss_counters(probe->device()));
  told.node = self.value;
  return json_of(told);
}

}  // namespace latchlab::tool

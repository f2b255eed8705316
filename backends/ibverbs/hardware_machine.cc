// The cores of a process's threads, and the comparison of its clock with the first node's.

#include <fmt/core.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <sstream>
#include <thread>

#include "backends/ibverbs/cores.h"
#include "backends/ibverbs/hardware.h"

namespace latchlab::ib {

namespace {

constexpr std::uint32_t kRoundTrips = 64;
constexpr Duration kAnswersWithin = seconds(10);  // for all of them

std::string claim_text(const CoreClaim& claim) {
  return fmt::format("{} {} {}", claim.machine, claim.threads, text_of_cores(claim.cores));
}

Result<CoreClaim> read_claim(const std::string& text, std::size_t node) {
  CoreClaim claim;
  std::istringstream in(text);
  std::string cores;
  if (!(in >> claim.machine >> claim.threads >> cores))
    return Error{
        fmt::format("node {} does not say which cores it may use; is it the same build?", node + 1),
        {}};
  claim.cores = parse_cores(cores);
  return claim;
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

Status Hardware::take_cores() {
  if (!options_.pin) return fine();
  before_ = own_cores();
  std::string device = options_.device;
  if (device.empty() && options_.connection_cache)
    device = options_.connection_cache->device_name(
        options_.hosted.front());  // listing devices is expensive
  if (device.empty())
    if (const auto all = list_devices(); all)
      if (const DeviceFacts* const chosen = choose_device(all.value(), ""); chosen != nullptr)
        device = chosen->name;
  const std::size_t agents = options_.software_atomics ? options_.hosted.size() : 0;
  std::vector<CoreClaim> claims = {
      {machine_identity(), closest_first(device, before_), workers_.size() + agents}};
  std::size_t own = 0;
  if (options_.exchange) {
    const auto all = tell_all(claim_text(claims.front()));
    if (!all) return all.error();
    own = options_.hosted.front().value - 1U;
    claims.clear();
    for (std::size_t i = 0; i < all.value().size(); ++i) {
      auto claim = read_claim(all.value()[i], i);
      if (!claim) return claim.error();
      claims.push_back(std::move(claim).value());
    }
  }
  const std::vector<std::vector<int>> shared = share_cores(claims);
  cores_ = shared[own];
  if (cores_.empty()) return fine();
  others_ = before_;
  for (std::size_t i = 0; i < claims.size(); ++i)
    if (claims[i].machine == claims[own].machine)
      std::erase_if(others_, [&](int core) {
        return std::find(shared[i].begin(), shared[i].end(), core) != shared[i].end();
      });
  if (others_.empty()) others_ = before_;
  for (const auto& worker : workers_) worker->set_has_own_core(true);
  use_cores(core_of_worker(0));
  return fine();
}

std::vector<int> Hardware::core_of_worker(std::size_t worker) const {
  return cores_.empty() ? cores_ : std::vector<int>{cores_[worker]};
}

// Without agents a memory server sleeps nearly always, and gets no core of its own.
std::vector<int> Hardware::cores_of_memory_server(std::size_t place) const {
  return cores_.empty() || !options_.software_atomics
             ? others_
             : std::vector<int>{cores_[workers_.size() + place]};
}

void Hardware::compare_clocks() {
  const NodeId first = plan_.nodes.front().id;
  for (const auto& [id, node] : nodes_)
    if (directory_.of(first).machine != directory_.of(id).machine)
      node->memory_server->compare_clock(memory_server_of(first), kRoundTrips);
}

Status Hardware::wait_for_clock() {
  const LocalNode& here = *nodes_.begin()->second;
  if (directory_.of(plan_.nodes.front().id).machine == directory_.of(here.id).machine)
    return fine();
  const std::int64_t give_up = monotonic_ns() + kAnswersWithin.ps / 1000;
  while (here.memory_server->clock() == nullptr) {
    if (stop_.load(std::memory_order_relaxed)) return fine();
    if (monotonic_ns() > give_up)
      return Error{"the first node does not answer what its clock says", {}};
    if (options_.look_around) options_.look_around();
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  clock_ = here.memory_server->clock()->best();
  return fine();
}

}  // namespace latchlab::ib

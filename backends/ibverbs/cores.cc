#include "backends/ibverbs/cores.h"

#include <fmt/format.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <utility>

namespace latchlab::ib {

namespace {

bool has_core(const std::vector<int>& cores, int core) {
  return std::find(cores.begin(), cores.end(), core) != cores.end();
}

std::string claim_text(const CoreClaim& claim) {
  return fmt::format("{} {} {}", claim.machine, claim.threads, text_of_cores(claim.cores));
}

Result<CoreClaim> read_claim(const std::string& text, std::size_t rank) {
  CoreClaim claim;
  std::istringstream in(text);
  std::string cores;
  if (!(in >> claim.machine >> claim.threads >> cores))
    return Error{
        fmt::format("node {} does not say which cores it may use; is it the same build?", rank + 1),
        {}};
  claim.cores = parse_cores(cores);
  return claim;
}

}  // namespace

std::string machine_identity() {
  std::ifstream file("/proc/sys/kernel/random/boot_id");
  std::string id;
  if (std::getline(file, id)) return id;
  std::array<char, 256> name = {};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "unknown";
}

std::vector<int> own_cores() {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  sched_getaffinity(0, sizeof(allowed), &allowed);
  std::vector<int> all;
  for (int core = 0; core < CPU_SETSIZE; ++core)
    if (CPU_ISSET(core, &allowed)) all.push_back(core);
  return all;
}

void use_cores(const std::vector<int>& cores) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const int core : cores) CPU_SET(core, &set);
  sched_setaffinity(0, sizeof(set), &set);
}

std::vector<int> closest_first(const std::string& device, const std::vector<int>& allowed) {
  std::ifstream file(fmt::format("/sys/class/infiniband/{}/device/local_cpulist", device));
  std::string text;
  std::getline(file, text);
  const std::vector<int> close = parse_cores(text);
  std::vector<int> all;
  for (const bool wanted : {true, false})
    for (const int core : allowed)
      if (has_core(close, core) == wanted) all.push_back(core);
  return all;
}

std::vector<int> parse_cores(const std::string& text) {
  std::vector<int> cores;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, ',');) {
    int first = 0, last = 0;
    const int found = std::sscanf(part.c_str(), "%d-%d", &first, &last);
    if (found < 1 || first < 0) continue;
    last = std::min(found == 2 ? last : first, CPU_SETSIZE - 1);
    for (int core = first; core <= last; ++core) cores.push_back(core);
  }
  return cores;
}

std::string text_of_cores(const std::vector<int>& cores) {
  std::string text;
  for (std::size_t i = 0; i < cores.size();) {
    std::size_t end = i + 1;
    while (end < cores.size() && cores[end] == cores[end - 1] + 1) ++end;
    text += fmt::format("{}{}", text.empty() ? "" : ",", cores[i]);
    if (end > i + 1) text += fmt::format("-{}", cores[end - 1]);
    i = end;
  }
  return text;
}

std::vector<std::vector<int>> share_cores(const std::vector<CoreClaim>& claims) {
  std::vector<std::vector<int>> shared(claims.size());
  std::map<std::string, std::set<int>> taken;
  std::set<std::string> crowded;
  for (std::size_t i = 0; i < claims.size(); ++i) {
    std::set<int>& there = taken[claims[i].machine];
    for (const int core : claims[i].cores)
      if (shared[i].size() < claims[i].threads && there.insert(core).second)
        shared[i].push_back(core);
    if (shared[i].size() < claims[i].threads) crowded.insert(claims[i].machine);
  }
  for (std::size_t i = 0; i < claims.size(); ++i)
    if (crowded.contains(claims[i].machine)) shared[i].clear();
  return shared;
}

// ---- CoreAssignment ----

Status CoreAssignment::take(const std::string& device, std::size_t workers, std::size_t proxies,
                            std::size_t rank, const TellAll& tell_all) {
  workers_ = workers;
  before_ = own_cores();
  std::vector<CoreClaim> claims = {
      {machine_identity(), closest_first(device, before_), workers + proxies}};
  std::size_t own = 0;
  if (tell_all) {
    const auto all = tell_all(claim_text(claims.front()));
    if (!all) return all.error();
    own = rank;
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
      std::erase_if(others_, [&](int core) { return has_core(shared[i], core); });
  if (others_.empty()) others_ = before_;
  use_cores(of_worker(0));
  return fine();
}

CoreAssignment::~CoreAssignment() {
  if (!before_.empty()) use_cores(before_);  // for this thread and those that it starts
}

std::vector<int> CoreAssignment::of_worker(std::size_t worker) const {
  return cores_.empty() ? cores_ : std::vector<int>{cores_[worker]};
}

std::vector<int> CoreAssignment::of_memory_server(std::size_t place) const {
  const std::size_t at = workers_ + place;
  return at < cores_.size() ? std::vector<int>{cores_[at]} : others_;
}

// ---- OnCores ----

OnCores::OnCores(const std::vector<int>& cores) {
  if (cores.empty()) return;
  before_ = own_cores();
  use_cores(cores);
}

OnCores::~OnCores() {
  if (!before_.empty()) use_cores(before_);
}

}  // namespace latchlab::ib

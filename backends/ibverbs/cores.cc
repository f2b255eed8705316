// Which cores a device's threads run on.

#include <fmt/core.h>
#include <sched.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "backends/ibverbs/device.h"

namespace latchlab::ib {

namespace {

// "0-3,8" as the kernel writes it.
std::vector<int> parse_list(const std::string& text) {
  std::vector<int> cores;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, ',');) {
    int first = 0, last = 0;
    const int found = std::sscanf(part.c_str(), "%d-%d", &first, &last);
    if (found < 1) continue;
    for (int core = first; core <= (found == 2 ? last : first); ++core) cores.push_back(core);
  }
  return cores;
}

}  // namespace

std::vector<int> own_cores() {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  sched_getaffinity(0, sizeof(allowed), &allowed);
  std::vector<int> all;
  for (int core = 0; core < CPU_SETSIZE; ++core)
    if (CPU_ISSET(core, &allowed)) all.push_back(core);
  return all;
}

std::vector<int> close_cores(const std::string& device, const std::vector<int>& allowed) {
  std::ifstream file(fmt::format("/sys/class/infiniband/{}/device/local_cpulist", device));
  std::string text;
  if (!std::getline(file, text)) return allowed;
  std::vector<int> close = parse_list(text);
  std::erase_if(close, [&](int core) {
    return std::find(allowed.begin(), allowed.end(), core) == allowed.end();
  });
  return close.empty() ? allowed : close;
}

void use_cores(const std::vector<int>& cores) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const int core : cores) CPU_SET(core, &set);
  sched_setaffinity(0, sizeof(set), &set);
}

}  // namespace latchlab::ib

#include "tools/latchlab/hardware/binding.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "backends/ibverbs/cores.h"

namespace latchlab::tool {

namespace {

std::string way_out(const std::string& bound_by, std::size_t threads) {
  if (bound_by == "mpirun")
    return fmt::format("mpirun --map-by slot:PE={}, or --bind-to none", threads);
  if (bound_by == "srun") return fmt::format("srun --cpus-per-task={} --cpu-bind=cores", threads);
  return "fewer --workers, fewer nodes on a machine, or a wider mask";
}

}  // namespace

std::string bound_by(std::size_t cores) {
  const long online = ::sysconf(_SC_NPROCESSORS_ONLN);
  if (online <= 0 || cores >= static_cast<std::size_t>(online)) return {};
  const auto is_set = [](const char* variable) { return std::getenv(variable) != nullptr; };
  if (is_set("OMPI_COMM_WORLD_SIZE")) return "mpirun";
  if (is_set("SLURM_CPU_BIND") || is_set("SLURM_STEP_NUM_TASKS")) return "srun";
  if (is_set("PMIX_RANK")) return "a launcher that speaks PMIx";
  return "its affinity mask";
}

CoreAdvice advise_on_cores(const std::vector<NodeCores>& nodes, std::size_t threads) {
  CoreAdvice advice;
  std::vector<ib::CoreClaim> claims;
  for (const NodeCores& node : nodes) {
    claims.push_back({node.machine, node.cores, threads});
    if (!node.bound_by.empty())
      advice.notes.push_back(fmt::format("node {} on {}: cores {}, bound by {}", node.node,
                                         node.host, ib::text_of_cores(node.cores), node.bound_by));
  }
  const std::vector<std::vector<int>> shared = ib::share_cores(claims);
  std::vector<std::string> told;  // machines that already have a line
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const std::string& machine = nodes[i].machine;
    if (!shared[i].empty() || std::count(told.begin(), told.end(), machine) > 0) continue;
    told.push_back(machine);
    std::vector<int> cores;
    std::size_t here = 0;
    for (const NodeCores& node : nodes) {
      if (node.machine != machine) continue;
      ++here;
      cores.insert(cores.end(), node.cores.begin(), node.cores.end());
    }
    std::sort(cores.begin(), cores.end());
    cores.erase(std::unique(cores.begin(), cores.end()), cores.end());
    advice.warnings.push_back(fmt::format(
        "{}: {} thread{} of each of {} node{} may use cores {}{}, too few for one of their own "
        "each: "
        "they take turns, and tails are the scheduler's; {}",
        nodes[i].host, threads, threads == 1 ? "" : "s", here, here == 1 ? "" : "s",
        ib::text_of_cores(cores), nodes[i].bound_by.empty() ? "" : " by " + nodes[i].bound_by,
        way_out(nodes[i].bound_by, threads)));
  }
  return advice;
}

}  // namespace latchlab::tool

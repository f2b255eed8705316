#include <fmt/format.h>

#include "models/measured/benchmarks.h"

namespace latchlab {
namespace {

std::string groups_text(const ProbePoint& point) {
  std::string text;
  for (std::size_t i = 0; i < point.groups.size(); ++i)
    text +=
        fmt::format("{}{{name: {}, nodes: {}, clients_per_node: {}}}", i > 0 ? ", " : "",
                    i == 0 ? "timed" : "others", point.groups[i].nodes, point.groups[i].clients);
  return "[" + text + "]";
}

}  // namespace

std::string measuring_scenario(const MeasureOptions& options) {
  std::string protocols, groups, servers, colocated, software, cores, server_cpu, locks, memory,
      warmups, durations;
  for (const Benchmark& benchmark : benchmarks()) {
    if (options.without.count(benchmark.name) > 0 || (options.quick && benchmark.slow)) continue;
    for (const ProbePoint& point : benchmark.points) {
      if (options.not_here.count(point.label) > 0) continue;
      const auto add = [](std::string& list, const std::string& item) {
        list += "\n    - " + item;
      };
      const int length = kSpanUs * options.spans * static_cast<int>(point.cycles);
      add(protocols, fmt::format("{{name: verb_probe, label: {}, {}}}", point.label, point.probe));
      add(groups, groups_text(point));
      add(servers, std::to_string(point.servers));
      add(colocated, point.loopback ? "true" : "false");
      add(software, point.by_event ? "event_channel" : "null");
      add(cores, point.one_core ? "1" : "null");
      add(server_cpu, point.probe == "verb: call" ? "{cores: 1}" : "{cores: null}");
      add(locks, std::to_string(point.servers));
      add(memory, point.device ? "device" : "host");
      add(warmups, fmt::format("{}us", length / 4));
      add(durations, fmt::format("{}us", length));
    }
  }
  return fmt::format(
      "schema: 1\n"
      "name: measured-nic\n"
      "description: microbenchmarks of a NIC, to find its constants\n"
      "platform: {{nic: {}}}\n"
      "locks: {{stride: null}}\n"
      "workload: {{read_ratio: 100%, distribution: uniform}}\n"
      "run: {{repeats: {}, seed: {}}}\n"
      "sweep:\n"
      "  zip:\n"
      "  - protocol:{}\n"
      "    groups:{}\n"
      "    platform.servers:{}\n"
      "    platform.colocated:{}\n"
      "    platform.software:{}\n"
      "    platform.cores:{}\n"
      "    platform.server_cpu:{}\n"
      "    locks.count:{}\n"
      "    locks.memory:{}\n"
      "    run.warmup:{}\n"
      "    run.duration:{}\n",
      options.nic, options.repeats, options.seed, protocols, groups, servers, colocated, software,
      cores, server_cpu, locks, memory, warmups, durations);
}

}  // namespace latchlab

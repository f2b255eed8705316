#include "tools/benchmarks/locks.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/protocols/registry.h"
#include "tools/benchmarks/latchlab_run.h"

namespace latchlab::bench {

namespace {

constexpr double kMostOfCas = 1.3;  // the goal

Result<Point> point_for(const std::string& protocol, bool quick) {
  return point_of(fmt::format(
      "schema: 1\n"
      "name: benchmark\n"
      "platform: {{nic: connectx-5, servers: 1, client_nodes: 5, clients_per_node: 48}}\n"
      "locks: {{count: 240}}\n"
      "workload: {{distribution: {{kind: uniform}}, read_ratio: 50%}}\n"
      "protocol: {}\n"
      "run: {{warmup: {}, duration: {}}}\n",
      protocol == "cas" ? "{name: cas, backoff: none}" : "{name: " + protocol + "}",
      quick ? "20us" : "2ms", quick ? "50us" : "10ms"));
}

}  // namespace

Result<std::vector<LockLine>> run_locks_benchmark(const EngineOptions& options) {
  // The CAS lock comes first in each round: what follows is compared with it.
  std::vector<std::string> names = remote_protocol_names();
  const auto cas = std::find(names.begin(), names.end(), "cas");
  std::rotate(names.begin(), cas, cas + 1);
  struct Rounds {
    std::vector<double> ns;
    std::vector<double> ratios;
    std::vector<double> events;
  };
  std::vector<Rounds> rounds(names.size());
  for (std::uint32_t round = 0; round < (options.quick ? 1 : options.repeats); ++round) {
    for (std::size_t i = 0; i < names.size(); ++i) {
      auto point = point_for(names[i], options.quick);
      if (!point) return point.error();
      const Sample sample = in_child([&] { return measure_latchlab(point.value()); });
      if (sample.problem.empty() && sample.verbs <= 0)
        return Error{names[i] + ": nothing happened in the measured stretch", {}};
      if (!sample.problem.empty()) return Error{names[i] + ": " + sample.problem, {}};
      rounds[i].ns.push_back(sample.cpu_ns / sample.verbs);
      rounds[i].ratios.push_back(rounds[i].ns.back() / rounds[0].ns.back());
      rounds[i].events.push_back(sample.events / sample.verbs);
    }
  }
  std::vector<LockLine> lines;
  for (std::size_t i = 0; i < names.size(); ++i)
    lines.push_back(
        {names[i], median(rounds[i].events), median(rounds[i].ns), median(rounds[i].ratios)});
  return lines;
}

std::string report_text(const std::vector<LockLine>& lines) {
  std::string text =
      fmt::format("{:<18} {:>11} {:>8} {:>8}  goal\n", "lock", "events/verb", "ns", "of cas");
  for (const LockLine& line : lines)
    text += fmt::format("{:<18} {:>11.2f} {:>8.0f} {:>8.2f}  <= {} {}\n", line.protocol,
                        line.events_per_verb, line.ns, line.ratio, kMostOfCas,
                        line.ratio <= kMostOfCas ? "met" : "missed");
  return text + "\nns: CPU time per verb, message or call; medians\n";
}

std::string report_json(const std::vector<LockLine>& lines) {
  nlohmann::ordered_json json = {{"schema", 1}, {"lines", nlohmann::ordered_json::array()}};
  for (const LockLine& line : lines)
    json["lines"].push_back({{"protocol", line.protocol},
                             {"events_per_verb", line.events_per_verb},
                             {"ns", line.ns},
                             {"of_cas", line.ratio},
                             {"goal_most", kMostOfCas}});
  return json.dump(2) + "\n";
}

}  // namespace latchlab::bench

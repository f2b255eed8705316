#include "tools/benchmarks/locks.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "core/base/json.h"
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

// CPU time and events per verb.
struct Cost {
  double ns = 0;
  double events = 0;
};
Result<Cost> cost_of(const std::string& protocol, bool quick) {
  auto point = point_for(protocol, quick);
  if (!point) return point.error();
  const Sample sample = in_child([&] { return measure_latchlab(point.value()); });
  if (!sample.problem.empty()) return Error{protocol + ": " + sample.problem, {}};
  if (sample.verbs <= 0) return Error{protocol + ": nothing happened in the measured stretch", {}};
  return Cost{sample.cpu_ns / sample.verbs, sample.events / sample.verbs};
}

// Interference only adds CPU time, so the smallest of several measurements is the best estimate.
Cost least(Cost a, Cost b) {
  return a.ns <= b.ns ? a : b;
}

struct Pair {
  Cost cas;
  Cost lock;
};

}  // namespace

Result<std::vector<LockLine>> run_locks_benchmark(const EngineOptions& options) {
  std::vector<std::string> names = remote_protocol_names();
  const auto cas = std::find(names.begin(), names.end(), "cas");
  std::rotate(names.begin(), cas, cas + 1);
  std::vector<std::optional<Pair>> least_of(names.size());
  for (std::uint32_t round = 0; round < (options.quick ? 1 : options.repeats); ++round) {
    for (std::size_t i = 0; i < names.size(); ++i) {
      // The CAS lock runs right before each lock, because the machine's speed varies in a round.
      const auto beside = cost_of("cas", options.quick);
      if (!beside) return beside.error();
      const auto lock = cost_of(names[i], options.quick);
      if (!lock) return lock.error();
      const Pair now{beside.value(), lock.value()};
      const Pair before = least_of[i].value_or(now);
      least_of[i] = Pair{least(before.cas, now.cas), least(before.lock, now.lock)};
    }
  }
  std::vector<LockLine> lines;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const Pair& pair = *least_of[i];
    lines.push_back({names[i], pair.lock.events, pair.lock.ns, pair.lock.ns / pair.cas.ns});
  }
  return lines;
}

std::string report_text(const std::vector<LockLine>& lines) {
  std::string text =
      fmt::format("{:<18} {:>11} {:>8} {:>8}  goal\n", "lock", "events/verb", "ns", "of cas");
  for (const LockLine& line : lines)
    text += fmt::format("{:<18} {:>11.2f} {:>8.0f} {:>8.2f}  <= {} {}\n", line.protocol,
                        line.events_per_verb, line.ns, line.ratio, kMostOfCas,
                        line.ratio <= kMostOfCas ? "met" : "missed");
  return text + "\nns: CPU time per verb, message or call; the least of the rounds\n";
}

std::string report_json(const std::vector<LockLine>& lines) {
  Json json = {{"schema", 1}, {"lines", Json::array()}};
  for (const LockLine& line : lines)
    json["lines"].push_back({{"protocol", line.protocol},
                             {"events_per_verb", line.events_per_verb},
                             {"ns", line.ns},
                             {"of_cas", line.ratio},
                             {"goal_most", kMostOfCas}});
  return dump_json(json, 2) + "\n";
}

}  // namespace latchlab::bench

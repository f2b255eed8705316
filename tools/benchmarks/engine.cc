#include "tools/benchmarks/engine.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <tuple>
#include <utility>

#include "tools/benchmarks/hold.h"
#include "tools/benchmarks/latchlab_run.h"
#include "tools/benchmarks/plain_program.h"

namespace latchlab::bench {

namespace {

// Durations for one number of clients: about 200,000 verbs in each measured interval, after a
// warm-up in which every client posts a few. With many clients, the warm-up also lets the initial
// queue at the server drain.
struct Size {
  std::uint32_t nodes;
  std::uint32_t clients_per_node;
  const char* warm_up;
  const char* uniform;  // length of the measured interval
  const char* zipf;
  std::uint64_t hold_events;
  std::uint64_t program_verbs;  // 0: not run, too many actors
  double most_floor_events;     // the goal

  std::uint32_t clients() const { return nodes * clients_per_node; }
};

constexpr Size kSizes[] = {
    {5, 48, "1ms", "4ms", "20ms", 2'000'000, 20'000, 5},
    {80, 50, "3ms", "4ms", "10ms", 2'000'000, 20'000, 4},
    {1'000, 100, "8ms", "4ms", "6ms", 1'000'000, 0, 4},
};
constexpr Size kQuickSizes[] = {{5, 48, "20us", "50us", "50us", 2'000, 500, 5}};

constexpr double kLeastSpeedUp = 10;
constexpr double kMostIdleBytes = 1024;

struct Protocol {
  const char* subject;
  const char* scenario;
};
constexpr Protocol kProtocols[] = {{"cas", "{name: cas, backoff: none}"},
                                   {"shiftlock", "{name: shiftlock, profile: repaired}"}};

// Lengths of the two runs whose difference is counted. Larger runs would take minutes to count.
constexpr std::uint32_t kMostCountedClients = 4'000;
constexpr std::pair<const char*, const char*> kCounted = {"200us", "1200us"};
constexpr std::pair<const char*, const char*> kQuickCounted = {"20us", "50us"};

// One server, with the NIC of the quickstart scenario.
std::string scenario(const Size& size, const char* protocol, const std::string& locks,
                     const std::string& workload, const char* warm_up, const char* duration) {
  return fmt::format(
      "schema: 1\n"
      "name: benchmark\n"
      "platform: {{nic: connectx-5, servers: 1, client_nodes: {}, clients_per_node: {}}}\n"
      "locks: {{count: {}}}\n"
      "workload: {{{}}}\n"
      "protocol: {}\n"
      "run: {{warmup: {}, duration: {}}}\n",
      size.nodes, size.clients_per_node, locks, workload, protocol, warm_up, duration);
}

std::string uniform(const Size& size, const char* protocol, const char* duration) {
  return scenario(size, protocol, std::to_string(size.clients()),
                  "distribution: {kind: uniform}, read_ratio: 50%", size.warm_up, duration);
}

std::string zipf(const Size& size, const char* protocol, const char* duration) {
  return scenario(size, protocol, "10M", "distribution: {kind: zipf, theta: 0.99}, read_ratio: 50%",
                  size.warm_up, duration);
}

// At the end, every client has completed one cycle, a few have completed two, and all think.
std::string idle(const Size& size, const char* protocol) {
  return scenario(size, protocol, "100k",
                  "distribution: {kind: uniform}, read_ratio: 50%, think_time: 30ms", "30ms",
                  "1ms");
}

// One line of the report, how it is measured, and its samples, one per round.
struct Measurement {
  EngineLine line;
  std::function<Sample()> measure;
  std::function<VerbCounts()> count;  // empty: not counted
  std::vector<double> events_per_verb;
  std::vector<double> floor_events;
};

class Benchmark {
 public:
  explicit Benchmark(const EngineOptions& options) { report_.options = options; }

  Result<EngineReport> run() {
    for (const Size& size : sizes())
      if (Status status = plan(size); !status) return status.error();
    for (std::uint32_t round = 0; round < rounds(); ++round)
      if (Status status = run_round(round); !status) return status.error();
    for (Measurement& each : plan_) {
      if (each.count) each.line.counts = each.count();
      report_.lines.push_back(summary(each));
    }
    compare_with_simgrid();
    for (const Protocol& protocol : kProtocols)
      if (Status status = measure_memory(protocol); !status) return status.error();
    return std::move(report_);
  }

 private:
  std::vector<Size> sizes() const {
    if (report_.options.quick) return {std::begin(kQuickSizes), std::end(kQuickSizes)};
    return {std::begin(kSizes), std::end(kSizes)};
  }
  std::uint32_t rounds() const { return report_.options.quick ? 1 : report_.options.repeats; }

  void add(const Size& size, const char* subject, const char* workload,
           std::function<Sample()> measure) {
    Measurement made;
    made.line.clients = size.clients();
    made.line.subject = subject;
    made.line.workload = workload;
    made.measure = std::move(measure);
    plan_.push_back(std::move(made));
  }

  Status add_latchlab(const Size& size, const Protocol& protocol, const char* workload,
                      const std::string& text) {
    auto point = point_of(text);
    if (!point) return point.error();
    add(size, protocol.subject, workload,
        [point = std::move(point).value()] { return measure_latchlab(point); });
    plan_.back().line.most_floor_events = size.most_floor_events;
    return fine();
  }

  // The floor comes first, because the other lines of this size are compared with it.
  Status plan(const Size& size) {
    const HoldModel hold{size.clients(), 4ULL * size.clients(), size.hold_events};
    add(size, "floor", "hold", [hold] { return measure_floor(hold); });
    add(size, "simgrid-timers", "hold", [hold] { return measure_simgrid_timers(hold); });
    if (size.program_verbs > 0) {
      auto point = point_of(uniform(size, kProtocols[0].scenario, size.uniform));
      if (!point) return point.error();
      const PlainProgram program{size.nodes,         size.clients_per_node,
                                 size.clients(),     2ULL * size.clients(),
                                 size.program_verbs, point.value().platform.nic};
      add(size, "simgrid-program", "uniform", [program] { return measure_plain_program(program); });
    }
    for (const Protocol& protocol : kProtocols) {
      for (const auto& [name, text, duration] :
           {std::tuple{"uniform", &uniform, size.uniform}, std::tuple{"zipf", &zipf, size.zipf}}) {
        if (Status status =
                add_latchlab(size, protocol, name, text(size, protocol.scenario, duration));
            !status)
          return status;
        if (size.clients() > kMostCountedClients || (report_.options.quick && counts_something()))
          continue;
        const auto& [less, more] = report_.options.quick ? kQuickCounted : kCounted;
        plan_.back().count = [shorter = text(size, protocol.scenario, less),
                              longer = text(size, protocol.scenario, more)] {
          const auto program = std::filesystem::read_symlink("/proc/self/exe");
          return count_per_verb(program.string(), shorter, longer);
        };
      }
    }
    return fine();
  }

  // Every other round runs in reverse order, so that drift of the machine affects all lines alike.
  Status run_round(std::uint32_t round) {
    std::vector<Measurement*> order;
    for (Measurement& each : plan_) order.push_back(&each);
    if (round % 2 == 1) std::reverse(order.begin(), order.end());
    for (Measurement* each : order) {
      const Sample sample = in_child(each->measure);
      if (!sample.problem.empty()) return problem(*each, sample.problem);
      const double units = each->line.workload == "hold" ? sample.events : sample.verbs;
      if (units <= 0) return problem(*each, "nothing happened in the measured stretch");
      each->line.ns_of_repeats.push_back(sample.cpu_ns / units);
      if (sample.events > 0 && sample.verbs > 0)
        each->events_per_verb.push_back(sample.events / sample.verbs);
    }
    for (Measurement& each : plan_)
      each.floor_events.push_back(each.line.ns_of_repeats.back() /
                                  find(each.line.clients, "floor")->line.ns_of_repeats.back());
    return fine();
  }

  bool counts_something() const {
    return std::any_of(plan_.begin(), plan_.end(),
                       [](const Measurement& each) { return static_cast<bool>(each.count); });
  }

  static Error problem(const Measurement& of, const std::string& what) {
    return {fmt::format("{} with {} clients ({}): {}", of.line.subject, of.line.clients,
                        of.line.workload, what),
            {}};
  }

  const Measurement* find(std::uint32_t clients, const char* subject,
                          const char* workload = nullptr) const {
    for (const Measurement& each : plan_)
      if (each.line.clients == clients && each.line.subject == subject &&
          (workload == nullptr || each.line.workload == workload))
        return &each;
    return nullptr;
  }

  static EngineLine summary(const Measurement& of) {
    EngineLine line = of.line;
    line.ns = median(line.ns_of_repeats);
    line.floor_events = median(of.floor_events);
    if (!of.events_per_verb.empty()) line.events_per_verb = median(of.events_per_verb);
    return line;
  }

  void compare_with_simgrid() {
    for (const Size& size : sizes()) {
      const Measurement* theirs = find(size.clients(), "simgrid-program");
      if (theirs == nullptr) continue;
      const Measurement* ours = find(size.clients(), kProtocols[0].subject, "uniform");
      std::vector<double> factors;
      for (std::size_t i = 0; i < ours->line.ns_of_repeats.size(); ++i)
        factors.push_back(theirs->line.ns_of_repeats[i] / ours->line.ns_of_repeats[i]);
      report_.speed_ups.push_back({size.clients(), median(factors), kLeastSpeedUp});
    }
  }

  // The number of nodes is fixed, so that the difference is the memory of the added clients.
  Status measure_memory(const Protocol& protocol) {
    Size few = report_.options.quick ? Size{20, 10, "", "", "", 0, 0, 0}
                                     : Size{1'000, 10, "", "", "", 0, 0, 0};
    Size many = few;
    many.clients_per_node *= 10;
    const auto measure = [&](const Size& size) -> Result<double> {
      auto point = point_of(idle(size, protocol.scenario));
      if (!point) return point.error();
      const Sample sample = in_child([&] { return measure_latchlab(point.value()); });
      if (!sample.problem.empty()) return Error{sample.problem, {}};
      if (sample.verbs > size.clients() / 2.0)
        return Error{"clients that should be idle post verbs", {}};
      return sample.resident_bytes;
    };
    auto least = measure(few);
    if (!least)
      return Error{fmt::format("memory of {}: {}", protocol.subject, least.error().message), {}};
    auto most = measure(many);
    if (!most)
      return Error{fmt::format("memory of {}: {}", protocol.subject, most.error().message), {}};
    report_.memory.push_back({protocol.subject, few.nodes, few.clients(), many.clients(),
                              (most.value() - least.value()) / (many.clients() - few.clients()),
                              kMostIdleBytes});
    return fine();
  }

  EngineReport report_;
  std::vector<Measurement> plan_;
};

}  // namespace

Result<EngineReport> run_engine_benchmark(const EngineOptions& options) {
  return Benchmark(options).run();
}

}  // namespace latchlab::bench

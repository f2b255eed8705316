#pragma once
// A simulation that stands for hardware: constants drawn by seed, within plausible ranges around
// those of connectx-5, measured by the benchmarks, with noise added.

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "backends/simgrid/simgrid_backend.h"
#include "core/protocols/registry.h"
#include "core/scenario/nic_constants.h"
#include "models/fit_spec.h"
#include "models/measured/benchmarks.h"
#include "models/measured/estimate.h"
#include "models/measured/probe.h"
#include "tests/paths.h"

namespace latchlab::planted_test {

struct Range {
  const char* key;
  double low, high;  // ns
};

inline const std::vector<Range>& ranges() {
  static const std::vector<Range> all = {
      {"latency.post", 50, 150},
      {"latency.one_way", 600, 850},
      {"latency.completion", 40, 100},
      {"latency.jitter", 20, 50},
      {"latency.read", 200, 900},
      {"latency.write", 200, 550},
      {"latency.atomic_16", 180, 400},
      {"latency.receive", 100, 350},
      {"request.gap", 7, 12.5},
      {"request.answer", 7, 12.5},
      {"responder.read", 7.4, 11.8},
      {"responder.write", 8.1, 11},
      {"responder.send", 8, 12.2},
      {"responder.atomic_8", 18, 26},
      {"responder.atomic_16", 20, 36},
      {"atomic.same_address", 300, 450},
      {"atomic.same_address_failed", 190, 385},
      {"atomic.same_address_16", 400, 650},
      {"local.loopback_one_way", 460, 592},
      {"local.cpu_access", 5, 20},
      {"local.line_transfer", 27, 130},
      {"local.on_node", 20, 100},
      {"local.handle_message", 120, 329},
      {"server.call_service", 200, 300},
      {"device_memory.read", 80, 350},
      {"device_memory.write", 150, 480},
      {"device_memory.atomic_8", 11, 16},
      {"device_memory.atomic_16", 11, 20},
      {"device_memory.same_address", 90, 150},
      {"device_memory.same_address_failed", 63, 111},
      {"device_memory.same_address_16", 150, 437},
  };
  return all;
}

class PlantedNic {
 public:
  explicit PlantedNic(std::uint64_t seed) : chance_(seed) {
    nic_ = load_nic("connectx-5", "", data()).value();
    NicChanges changes;
    for (const Range& range : ranges())
      changes.push_back({range.key, NicChange::Kind::set,
                         std::uniform_real_distribution<>(range.low, range.high)(chance_)});
    nic_ = changed(nic_, changes);
    const int windows[] = {48, 64, 72, 96, 128};
    nic_.window = windows[chance_() % 5];
    nic_.slots = chance_() % 2 == 0 ? 512 : 256;
    nic_.outstanding = chance_() % 2 == 0 ? 16 : 32;
    const std::int64_t gbps[] = {200, 100, 400};  // never filled by short packets
    nic_.link_bits_per_s = nic_.measured_bits_per_s = gbps[chance_() % 3] * 1'000'000'000;
    nic_.pcie_bits_per_s = 107'200'000'000 + static_cast<std::int64_t>(chance_() % 90'000'000'000);
    nic_.packet_overhead = 20 + static_cast<std::int64_t>(chance_() % 7);
    std::mt19937_64 apart(seed);  // so that the draws of the others stay
    event_completion_ = nanoseconds(6000 + static_cast<std::int64_t>(apart() % 19'000));
  }

  static DataDirs data() { return {{LATCHLAB_SOURCE_DIR}}; }
  const NicModel& nic() const { return nic_; }

  // Every repeat of every point times 1 + x, x normal with this standard deviation.
  Measurements measured(MeasureOptions options, double scatter) {
    EXPECT_TRUE(register_verb_probe());
    auto scenario = parse_scenario({measuring_scenario(options), "benchmarks", ""}, {},
                                   protocol_infos(), data());
    if (!scenario) {
      ADD_FAILURE() << scenario.error().text();
      return {};
    }
    for (Point& point : scenario.value().points) {
      point.platform.nic = nic_;
      if (point.platform.by_event) point.platform.nic.completion = event_completion_;
    }
    StudyOptions how;
    how.jobs = 2;
    const StudyOutcome outcome = run_study(scenario.value(), how, simulation);
    Taken taken = take_measurements(scenario.value(), outcome);
    for (const std::string& left_out : taken.left_out) ADD_FAILURE() << left_out;
    std::normal_distribution<> noise(1, scatter);
    for (auto& [label, point] : taken.measurements)
      for (Measured::Repeat& repeat : point.repeats) {
        const double factor = noise(chance_);
        for (double* const value : {&repeat.typical, &repeat.least, &repeat.pace, &repeat.cycle})
          *value *= factor;
        repeat.others_cycle *= factor;
      }
    return std::move(taken.measurements);
  }

  // What a completion costs a client that sleeps until it raises an event.
  double event_completion() const { return static_cast<double>(event_completion_.ps) / kPsPerNs; }
  // The value that a correct description has for this constant.
  double truth(const std::string& key) const {
    const NicConstant& constant = *find_nic_constant(key);
    if (key == "qp.cache") return rate_ppm(nic_, 1920) / 1e6;
    const auto number = static_cast<double>(number_in(nic_, constant));
    return constant.as_key.kind == KeyKind::duration ? number / kPsPerNs : number;
  }

 private:
  static std::unique_ptr<Backend> simulation(const WorldPlan& plan, const Point& point) {
    SimgridOptions options;
    options.nic = point.platform.nic;
    options.cores = point.platform.cores;
    options.core_sharing = point.platform.core_sharing;
    for (const GroupSpec& group : point.groups)
      options.groups.push_back(group.hardware(point.platform));
    options.nic.server_cores = point.platform.server_cpu.cores.value_or(options.nic.server_cores);
    for (NodeHardware& group : options.groups) group.nic.server_cores = options.nic.server_cores;
    return make_simgrid(plan, options);
  }

  std::mt19937_64 chance_;
  NicModel nic_;
  Duration event_completion_;
};

}  // namespace latchlab::planted_test

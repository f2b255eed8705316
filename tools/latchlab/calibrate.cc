#include "tools/latchlab/calibrate.h"

#include <fmt/core.h>

#include <chrono>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <map>
#include <utility>

#include "core/protocols/registry.h"
#include "core/run/files.h"
#include "core/scenario/suggestions.h"
#include "core/scenario/text_file.h"
#include "models/calibration.h"
#include "models/measured/benchmarks.h"
#include "models/measured/description.h"
#include "tools/latchlab/backends.h"
#include "tools/latchlab/estimate.h"

namespace latchlab::tool {

namespace {

// Prints one line per stage of the fit, with the elapsed time and the amount of simulation.
class Stages {
 public:
  explicit Stages(bool talks) : talks_(talks), started_(std::chrono::steady_clock::now()) {}
  void begin(const std::string& stage) const {
    if (!talks_) return;
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - started_;
    fmt::print(stderr, "{:6.0f} s, {:6} simulations: {}\n", spent.count(), simulated_, stage);
    std::fflush(stderr);
  }
  void simulated(std::size_t count) { simulated_ = count; }

 private:
  bool talks_;
  std::size_t simulated_ = 0;
  std::chrono::steady_clock::time_point started_;
};

Status save(const std::string& directory, const std::string& name, const std::string& page) {
  std::error_code failed;
  std::filesystem::create_directories(directory, failed);
  if (failed) return Error{"cannot be made: " + failed.message(), directory};
  return write_atomically((std::filesystem::path(directory) / (name + ".md")).string(), page);
}

}  // namespace

int calibrate(const CalibrateArguments& arguments) {
  const auto factory = backend_factory("simgrid");
  if (!factory) return complain(factory.error(), kCannot);
  const auto spec = load_fit(arguments.fit, protocol_infos(), data_dirs(arguments.data));
  if (!spec) return complain(spec.error());
  const std::uint32_t jobs = arguments.jobs > 0 ? arguments.jobs : cores();
  check_context().replay_command = "latchlab calibrate " + arguments.fit;
  Stages stages(!arguments.quiet);
  Simulations simulations(spec.value(), factory.value(), jobs,
                          [&](std::size_t count) { stages.simulated(count); });
  const CalibrationProgress progress{[&](const std::string& stage) { stages.begin(stage); }};
  const auto result = latchlab::calibrate(spec.value(), simulations, progress);
  if (!result) return complain(result.error(), simulations.interrupted() ? kInterrupted : kBroken);
  stages.begin("done");
  const std::string page = calibration_page(spec.value(), result.value());
  if (arguments.json) fmt::print("{}", calibration_json(spec.value(), result.value()));
  if (!arguments.out.empty()) {
    if (const Status saved = save(arguments.out, spec.value().name, page); !saved)
      return complain(saved.error());
  } else if (!arguments.json) {
    fmt::print("{}", page);
  }
  return kFine;
}

namespace {

namespace fs = std::filesystem;

std::string date_of(const std::string& directory) {
  std::error_code failed;
  const auto written = fs::last_write_time(directory + "/scenario.yaml", failed);
  const auto system = std::chrono::file_clock::to_sys(written);
  const std::time_t seconds = std::chrono::system_clock::to_time_t(
      std::chrono::time_point_cast<std::chrono::system_clock::duration>(system));
  std::tm utc = {};
  ::gmtime_r(&seconds, &utc);
  char text[64] = "";
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc);
  return text;
}

// "mlx5_0" of "ibverbs on mlx5_0 (firmware ...)"; a simulated NIC's name.
std::string usual_name(const Measuring& measuring, bool software) {
  const std::string& backend = measuring.manifest.backend;
  const std::size_t on = backend.find(" on ");
  if (on == backend.npos) return measuring.scenario.points.front().platform.nic.name + "-simulated";
  const std::string device = backend.substr(on + 4, backend.find(' ', on + 4) - on - 4);
  return (software ? "soft-" : "") + device + "-measured";
}

Result<MeasuredWhere> where_of(const MeasureArguments& arguments, const Measuring& measuring) {
  MeasuredWhere where;
  where.software = !measuring.manifest.software.empty();
  where.name = arguments.name.empty() ? usual_name(measuring, where.software) : arguments.name;
  where.device = measuring.manifest.backend;
  if (where.device == "simgrid")
    where.device = "a simulated " + measuring.scenario.points.front().platform.nic.device;
  where.date = date_of(measuring.directory);
  where.one_machine = fs::exists(measuring.directory + "/" + kOneMachine);
  where.base = arguments.base;
  const std::string file = fs::path(arguments.common.out).filename().string();
  const bool named_so =
      where.name.starts_with("soft") && (file.empty() || file.starts_with("soft"));
  if (where.software && !named_so)
    return Error{fmt::format("{}: this device is software, and what is written of it must not be "
                             "taken for an RNIC's: let name and file begin with 'soft'",
                             arguments.common.out.empty() ? where.name : arguments.common.out),
                 {}};
  return where;
}

Result<std::map<std::string, double>> perftest_beside(const std::string& directory) {
  const std::string file = directory + "/perftest.csv";
  if (!fs::exists(file)) return std::map<std::string, double>{};
  const Result<std::string> text = read_text_file(file);
  if (!text) return text.error();
  return read_perftest(text.value(), file);
}

// Removes the benchmarks of --without from the fit and from the output, even if they were measured.
void leave_out(const std::vector<std::string>& without, Taken& taken) {
  const auto named = [&](const std::string& label) {
    const Benchmark* const benchmark = benchmark_of(label);
    return benchmark != nullptr && contains(without, benchmark->name);
  };
  std::erase_if(taken.measurements, [&](const auto& each) { return named(each.first); });
  std::erase_if(taken.left_out,
                [&](const std::string& line) { return named(line.substr(0, line.find(": "))); });
}

}  // namespace

int tell(const MeasureArguments& arguments, const std::vector<Measuring>& all) {
  const Measuring& measuring = all.front();
  Taken taken;
  std::map<std::string, std::string> unsound;  // labels, by reason
  for (const Measuring& each : all) {
    Taken more = take_measurements(each.scenario, each.outcome);
    leave_out(arguments.without, more);
    taken.measurements.merge(more.measurements);
    for (const std::string& left_out : more.left_out) {
      const std::size_t colon = left_out.find(": ");
      std::string& labels = unsound[left_out.substr(colon + 2)];
      labels += (labels.empty() ? "" : ", ") + left_out.substr(0, colon);
    }
  }
  for (const auto& [why, labels] : unsound)
    fmt::print(stderr, "latchlab: warning: left out: {}: {}\n", labels, why);
  const auto where = where_of(arguments, measuring);
  if (!where) return complain(where.error());
  const auto perftest = perftest_beside(measuring.directory);
  if (!perftest) return complain(perftest.error());
  auto found = estimate(taken.measurements, measuring.scenario.points.front().platform.nic);
  if (!found) return complain(found.error(), kBroken);
  if (where.value().one_machine) leave_the_network_open(found.value());
  fmt::print("{}", measured_report(found.value(), where.value(), perftest.value()));
  const std::string file = arguments.common.out.empty()
                               ? measuring.directory + "/" + where.value().name + ".yaml"
                               : arguments.common.out;
  if (const Status written = write_atomically(file, nic_description(found.value(), where.value()));
      !written)
    return complain(written.error(), kCannot);
  fmt::print("\nMeasurements: {}\nDescription: {}\n", measuring.directory, file);
  return kFine;
}

}  // namespace latchlab::tool

#include <fmt/core.h>

#include <chrono>
#include <cstdio>
#include <filesystem>

#include "core/protocols/registry.h"
#include "core/study/files.h"
#include "models/calibration.h"
#include "tools/latchlab/commands.h"
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

}  // namespace latchlab::tool

#pragma once
// `latchlab calibrate`: fits the constants of a NIC, to published values or to measurements of a
// real or simulated NIC.

#include <cstdint>
#include <string>
#include <vector>

#include "core/conclude/output.h"
#include "core/run/study.h"
#include "core/scenario/scenario.h"
#include "tools/latchlab/run.h"

namespace latchlab::tool {

struct CalibrateArguments {
  std::string fit = "connectx-5";  // a file, or a name under models/fits/
  std::string out;                 // directory for the page; empty: stdout
  std::string data;
  std::uint32_t jobs = 0;  // 0: as many as there are cores
  bool json = false;
  bool quiet = false;
};
int calibrate(const CalibrateArguments& arguments);  // to published values

// `calibrate` measures a NIC if `backend` or `from` is set.
struct MeasureArguments {
  std::string backend;
  std::vector<std::string> from;     // directories of earlier measurements
  std::string nic = "connectx-5";    // the NIC to simulate
  std::vector<std::string> without;  // benchmarks to skip; with `from`: excluded from the fit
  std::string measurements;          // directory; empty: results/calibrate-N
  std::string name;                  // of the description; empty: the device's
  std::string base;                  // of the description
  std::uint32_t repeats = 8;
  std::uint64_t seed = 1;
  bool quick = false;
  bool resume = false;
  HardwareArguments hardware;
  CalibrateArguments common;  // out: the description's file
};

int measure_nic(const MeasureArguments& arguments);

// A marker file in the directory of the measurements: all nodes were on one machine.
inline constexpr const char* kOneMachine = "one-machine";

struct Measuring {
  Scenario scenario;
  StudyOutcome outcome;
  RunManifest manifest;
  std::string directory;
};

// Fits the description, prints the result and writes the files. If several measurements have the
// same point, uses the first.
int tell(const MeasureArguments& arguments, const std::vector<Measuring>& all);

}  // namespace latchlab::tool

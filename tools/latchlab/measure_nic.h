#pragma once
// `latchlab calibrate --backend`: measures a real or simulated NIC and writes its description.

#include <cstdint>
#include <string>
#include <vector>

#include "tools/latchlab/commands.h"

namespace latchlab::tool {

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

}  // namespace latchlab::tool

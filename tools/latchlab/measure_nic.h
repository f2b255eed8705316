#pragma once
// `latchlab calibrate --backend`: measures a NIC, real or simulated, and writes its description.

#include <cstdint>
#include <string>
#include <vector>

#include "tools/latchlab/commands.h"

namespace latchlab::tool {

// It is a measurement if one of the first two is given.
struct MeasureArguments {
  std::string backend;
  std::vector<std::string> from;     // directories of measurements that were made before
  std::string nic = "connectx-5";    // what is simulated
  std::vector<std::string> without;  // names of benchmarks; with `from`: not fitted to
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

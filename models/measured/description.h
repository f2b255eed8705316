#pragma once
// What a measurement has found, as a NIC's description and as a table for people.

#include <map>
#include <string>

#include "models/measured/estimate.h"

namespace latchlab {

struct MeasuredWhere {
  std::string name;          // of the description
  std::string device;        // "mlx5_0 (firmware 16.35, Linux 6.1)"
  std::string date;          // ISO 8601
  bool software = false;     // no RNIC: the numbers describe the CPU that plays one
  bool one_machine = false;  // all nodes were one RNIC's
  std::string base;          // whose constants stand in for those left open; empty: nobody's
};

// All nodes were one RNIC's: what is told of a way between two of them is none of the network's.
void leave_the_network_open(Estimate& estimate);

// A file for models/nics: the constants that were found, each with interval and benchmarks; what is
// open, residuals and provenance as comments. The same bytes for the same estimate.
std::string nic_description(const Estimate& estimate, const MeasuredWhere& where);

// The same for a terminal. `perftest`: what perftest says of a benchmark's point, by label, in ns.
std::string measured_report(const Estimate& estimate, const MeasuredWhere& where,
                            const std::map<std::string, double>& perftest);

// "LABEL, NANOSECONDS" on each line; # begins a comment.
Result<std::map<std::string, double>> read_perftest(const std::string& text,
                                                    const std::string& file);

}  // namespace latchlab

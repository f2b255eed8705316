#pragma once
// Writes the result of a measurement as a NIC description and as a table.

#include <map>
#include <string>

#include "models/measured/estimate.h"

namespace latchlab {

struct MeasuredWhere {
  std::string name;          // of the description
  std::string device;        // "mlx5_0 (firmware 16.35, Linux 6.1)"
  std::string date;          // ISO 8601
  bool software = false;     // no RNIC: the numbers describe a CPU
  bool one_machine = false;  // all nodes shared one RNIC
  std::string base;          // NIC whose constants replace the open ones; empty: none
};

// If all nodes shared one RNIC, the measurements do not describe the network: marks its constants
// as open.
void leave_the_network_open(Estimate& estimate);

// A file for models/nics: the constants that were found, each with interval and benchmarks; open
// constants, residuals, provenance and what software that sleeps pays for a completion, as
// comments. Byte-identical for the same estimate.
std::string nic_description(const Estimate& estimate, const MeasuredWhere& where);

// The same for a terminal. `perftest`: latencies by perftest in ns, by the label of the
// corresponding point.
std::string measured_report(const Estimate& estimate, const MeasuredWhere& where,
                            const std::map<std::string, double>& perftest);

// Reads lines "LABEL, NANOSECONDS"; # begins a comment.
Result<std::map<std::string, double>> read_perftest(const std::string& text,
                                                    const std::string& file);

}  // namespace latchlab

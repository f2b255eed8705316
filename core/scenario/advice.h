#pragma once
// Checks of a valid point: settings that are allowed but probably unintended, and settings that
// only a simulation can honour. A run on hardware uses the RNICs, links and clocks that are there.

#include <cstdint>
#include <string>
#include <vector>

#include "core/scenario/scenario.h"

namespace latchlab {

// The warm-up should cover at least this many of the lock's adaptation periods.
inline constexpr std::int64_t kAdaptations = 10;

// The lock of the point, or null if `protocols` has none of that name.
const ProtocolInfo* info_of(const Point& point, const std::vector<ProtocolInfo>& protocols);
// True if `path` names a parameter of a lock and the point's lock has no such parameter.
bool lacks_parameter(const Point& point, const std::string& path);
// The kind's key below `allow`. Precondition: the kind has one.
const std::string& name_of(WarningKind kind);
// One warning for each allowed kind of which the scenario has no warning.
Warnings unused_allowances(const Scenario& scenario);
// unit * times, saturated at kForever.
Duration so_many(Duration unit, std::int64_t times);

// The functions below return warnings without duplicates.
//
// Run times that are too short for the locks of these points, and faults that come too late.
Warnings time_warnings(const std::vector<Point>& points,
                       const std::vector<ProtocolInfo>& protocols);

// Locks whose `units` parameter differs from the workload's units per object.
Warnings unit_warnings(const std::vector<Point>& points,
                       const std::vector<ProtocolInfo>& protocols);

// Swept parameters that some of the swept locks do not have.
Warnings parameter_warnings(const std::vector<Point>& points);

// Sections of several locks while a server returns without its memory.
Warnings return_warnings(const std::vector<Point>& points);

// Locks that detect crashed clients by a timeout, where clients crash and the timeout is off.
Warnings death_warnings(const std::vector<Point>& points,
                        const std::vector<ProtocolInfo>& protocols);

// Sections that take longer than a grant of the lock is valid.
Warnings grant_warnings(const std::vector<Point>& points,
                        const std::vector<ProtocolInfo>& protocols);

// Lines that begin with the key. Errors: hardware cannot produce the fault, so the run is refused.
// Warnings: values that only describe simulated hardware and are ignored, and mutual exclusion that
// the run does not check.
struct HardwareAdvice {
  std::vector<std::string> errors;
  std::vector<std::string> warnings;
};

HardwareAdvice hardware_advice(const Point& point);

}  // namespace latchlab

#pragma once
// What is allowed but probably not meant, and what of a point hardware does not do: a simulation
// makes the world that is asked for, and a run on RNICs takes the one that is there.

#include <cstdint>
#include <string>
#include <vector>

#include "core/scenario/scenario.h"

namespace latchlab {

// A warm-up should cover so many adaptation periods of a lock.
inline constexpr std::int64_t kAdaptations = 10;

// The lock of the point; null: not among these.
const ProtocolInfo* info_of(const Point& point, const std::vector<ProtocolInfo>& protocols);
// The path is that of a lock's parameter, and the lock of the point has none of this name.
bool lacks_parameter(const Point& point, const std::string& path);
// unit * times, or kForever where that is beyond it.
Duration so_many(Duration unit, std::int64_t times);

// Warnings about the time that the protocols of these points need, one line each, no repeats.
std::vector<std::string> time_warnings(const std::vector<Point>& points,
                                       const std::vector<ProtocolInfo>& protocols);

// The same about locks that are told how many units an object has, which is not what the workload
// says.
std::vector<std::string> unit_warnings(const std::vector<Point>& points,
                                       const std::vector<ProtocolInfo>& protocols);

// The same about swept parameters that some of the swept locks do not have.
std::vector<std::string> parameter_warnings(const std::vector<Point>& points);

// The same about sections of several locks when a server returns that has lost its memory.
std::vector<std::string> return_warnings(const std::vector<Point>& points);

// The same about locks that notice deaths by a timeout, where clients die and there is none.
std::vector<std::string> death_warnings(const std::vector<Point>& points,
                                        const std::vector<ProtocolInfo>& protocols);

// The same about sections that take longer than a grant of the lock is valid.
std::vector<std::string> grant_warnings(const std::vector<Point>& points,
                                        const std::vector<ProtocolInfo>& protocols);

// One line each, which begins with the key. Errors: the run would not be the one that was asked
// for, and is refused. Warnings: values that describe a simulated world, and are not used, and what
// nobody will check.
struct HardwareAdvice {
  std::vector<std::string> errors;
  std::vector<std::string> warnings;
};

HardwareAdvice hardware_advice(const Point& point);

}  // namespace latchlab

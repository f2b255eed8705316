#pragma once
// Formats metric values with units.

#include <cstddef>
#include <string>

namespace latchlab {

// All goodputs of a table share one unit, so that they are easy to compare.
struct RateUnit {
  const char* name;
  double per_s;
  int digits;
};
RateUnit unit_for(double greatest_per_s);
std::string rate(double per_s);  // "7.440 M/s"
// `metric` and `value` as in results.json: "7.440 M/s", "1.79 us", "0.9963".
std::string value_text(const std::string& metric, double value);
std::string counted(std::size_t number, const char* what);  // "1 run", "2 runs"

}  // namespace latchlab

#include "core/conclude/values.h"

#include <fmt/core.h>

#include "core/measure/metric_docs.h"

namespace latchlab {

RateUnit unit_for(double greatest_per_s) {
  if (greatest_per_s >= 1e6) return {"M/s", 1e6, 3};
  if (greatest_per_s >= 1e3) return {"k/s", 1e3, 1};
  return {"/s", 1, 0};
}

std::string rate(double per_s) {
  const RateUnit unit = unit_for(per_s);
  return fmt::format("{:.{}f} {}", per_s / unit.per_s, unit.digits, unit.name);
}

std::string value_text(const std::string& metric, double value) {
  const auto doc = metric_doc(metric);
  if (doc && doc->unit == "1/s") return rate(value);
  if (doc && doc->unit == "ns") return fmt::format("{:.2f} us", value / 1e3);
  return fmt::format("{:.4g}", value);
}

std::string counted(std::size_t number, const char* what) {
  return fmt::format("{} {}{}", number, what, number == 1 ? "" : "s");
}

}  // namespace latchlab

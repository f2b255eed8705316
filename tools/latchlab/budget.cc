#include "tools/latchlab/budget.h"

#include <fmt/format.h>

#include <cstdint>

#include "core/scenario/scenario.h"

namespace latchlab::tool {

Result<double> parse_budget(const std::string& text) {
  const char unit = text.empty() ? ' ' : text.back();
  if (unit == 'm' || unit == 'h') {
    const Result<std::int64_t> number = parse_count(text.substr(0, text.size() - 1));
    if (number) return static_cast<double>(number.value()) * (unit == 'm' ? 60 : 3600);
  }
  if (const Result<Duration> length = parse_duration(text)) return length.value().seconds();
  return Error{fmt::format("--budget {}: expected a time such as 90s, 10m or 1h", text), {}};
}

}  // namespace latchlab::tool

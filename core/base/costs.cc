#include "core/base/costs.h"

namespace latchlab {

namespace {

std::string counted(std::uint32_t count, const char* what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

}  // namespace

std::string text_of(const Cost& cost) {
  std::string text;
  const auto add = [&](const std::string& part) { text += (text.empty() ? "" : ", ") + part; };
  if (cost.verbs > 0) add(counted(cost.verbs, "verb"));
  if (cost.messages > 0) add(counted(cost.messages, "message"));
  if (cost.calls > 0) add(counted(cost.calls, "call"));
  if (cost.half_trips % 2 == 1)
    add(std::to_string(cost.half_trips / 2) + ".5 trips");
  else if (cost.half_trips > 0)
    add(counted(cost.half_trips / 2, "trip"));
  if (text.empty()) return "nothing";
  return (cost.at_least ? "at least " : "") + text;
}

}  // namespace latchlab

#include <fmt/core.h>

#include <algorithm>

#include "core/base/json.h"
#include "tools/latchlab/doctor.h"

namespace latchlab::tool {

const char* name_of(Health health) {
  switch (health) {
    case Health::fine:
      return "ok";
    case Health::optional:
      return "optional";
    case Health::note:
      return "note";
    case Health::missing:
      return "MISSING";
    case Health::wrong:
      break;
  }
  return "WRONG";
}

bool is_well(const Lines& lines) {
  return std::none_of(lines.begin(), lines.end(), [](const Line& line) {
    return line.health == Health::missing || line.health == Health::wrong;
  });
}

void print(const Lines& lines) {
  for (const Line& line : lines) {
    fmt::print("{:<8}  {:<13}  {}\n", name_of(line.health), line.what, line.found);
    if (!line.fix.empty()) fmt::print("{:25}{}\n", "", line.fix);
  }
}

std::string json_of(const Lines& lines) {
  Json all = Json::array();
  for (const Line& line : lines)
    all.push_back({{"what", line.what},
                   {"health", name_of(line.health)},
                   {"found", line.found},
                   {"fix", line.fix}});
  return dump_json(all);
}

}  // namespace latchlab::tool

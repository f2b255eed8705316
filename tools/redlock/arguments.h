#pragma once
// The command line of latchlab-redlock, and the scenario that it stands for.

#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/scenario/scenario.h"
#include "tools/redlock/runner.h"

namespace latchlab::bank {

struct Arguments {
  std::vector<std::string> locks;  // NAME[,PARAM=VALUE...]
  Setting setting;
  std::uint32_t clients = 8;
  std::string warmup = "500ms", duration = "2s";
  std::string seed = "1", repeats = "1";
  std::string out, data;
  bool json = false, quiet = false, help = false;
};

std::string help_text();
Result<Arguments> parse_arguments(const std::vector<std::string>& words);

// One point for each lock. redlock is redlock_model with the tool's own label and profile.
std::string scenario_text(const Arguments& arguments);
// Error: a point asks for something that a real Redis cannot provide.
Status check_points(const Arguments& arguments, const Scenario& scenario);

}  // namespace latchlab::bank
